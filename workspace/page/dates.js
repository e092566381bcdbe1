const DAY_MS = 86_400_000;

function format(date, zone, options) {
  return new Intl.DateTimeFormat('en-US', { timeZone: zone, ...options }).format(date);
}

function dayKey(date, zone) {
  return new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(
    date,
  );
}

function ordinal(number) {
  const tens = number % 100;
  if (tens >= 11 && tens <= 13) return `${number}th`;
  return `${number}${['th', 'st', 'nd', 'rd'][number % 10] ?? 'th'}`;
}

function relativeDay(date, zone) {
  const now = Date.now();
  const key = dayKey(date, zone);
  if (key === dayKey(now, zone)) return 'today';
  if (key === dayKey(now - DAY_MS, zone)) return 'yesterday';
  if (key === dayKey(now + DAY_MS, zone)) return 'tomorrow';
  return undefined;
}

function ago(date) {
  const seconds = Math.round((Date.now() - date) / 1000);
  const [amount, unit] =
    Math.abs(seconds) < 60
      ? [seconds, 'second']
      : Math.abs(seconds) < 3600
        ? [Math.round(seconds / 60), 'minute']
        : Math.abs(seconds) < 86_400
          ? [Math.round(seconds / 3600), 'hour']
          : [Math.round(seconds / 86_400), 'day'];
  return new Intl.RelativeTimeFormat('en-US').format(-amount, unit);
}

/** The time of day, `3:04 PM`. */
export function timeOfDay(date, zone, withSeconds = false) {
  return format(date, zone, { hour: 'numeric', minute: '2-digit', ...(withSeconds ? { second: '2-digit' } : {}) });
}

function ordinalDate(date, zone, withYear) {
  const month = format(date, zone, { month: 'long' });
  const day = ordinal(Number(format(date, zone, { day: 'numeric' })));
  return withYear ? `${month} ${day}, ${format(date, zone, { year: 'numeric' })}` : `${month} ${day}`;
}

/** The heading of a day in the message list. */
export function dayHeading(date, zone) {
  const near = relativeDay(date, zone);
  if (near) return near.charAt(0).toUpperCase() + near.slice(1);
  return `${format(date, zone, { weekday: 'long' })}, ${ordinalDate(date, zone, false)}`;
}

/** A full date and time, for tooltips. */
export function fullDate(date, zone) {
  return `${format(date, zone, { dateStyle: 'full' })} at ${timeOfDay(date, zone, true)}`;
}

/** Whether two moments are on the same day in the zone. */
export function sameDay(one, other, zone) {
  return dayKey(one, zone) === dayKey(other, zone);
}

const TOKENS = {
  date_num: (date, zone) => dayKey(date, zone),
  date_slash: (date, zone) => format(date, zone, { year: 'numeric', month: '2-digit', day: '2-digit' }),
  date: (date, zone) => ordinalDate(date, zone, true),
  date_short: (date, zone) => format(date, zone, { month: 'short', day: 'numeric', year: 'numeric' }),
  date_long: (date, zone) => `${format(date, zone, { weekday: 'long' })}, ${ordinalDate(date, zone, true)}`,
  date_long_full: (date, zone) => format(date, zone, { month: 'long', day: 'numeric', year: 'numeric' }),
  date_pretty: (date, zone) => relativeDay(date, zone) ?? ordinalDate(date, zone, true),
  date_short_pretty: (date, zone) => relativeDay(date, zone) ?? TOKENS.date_short(date, zone),
  date_long_pretty: (date, zone) => relativeDay(date, zone) ?? TOKENS.date_long(date, zone),
  day_divider_pretty: (date, zone) => dayHeading(date, zone),
  time: (date, zone) => timeOfDay(date, zone),
  time_secs: (date, zone) => timeOfDay(date, zone, true),
  ago: (date) => ago(date),
};

/** A date token as Slack shows it in the zone. `seconds` since 1970. */
export function dateToken(seconds, pattern, zone) {
  const date = seconds * 1000;
  return pattern.replace(/\{(\w+)\}/g, (whole, name, at) => {
    const shown = TOKENS[name]?.(date, zone);
    if (shown === undefined) return whole;
    // Slack starts a line with a capital: "Today at 3:04 PM".
    return at === 0 ? shown.charAt(0).toUpperCase() + shown.slice(1) : shown;
  });
}
