import { isMisspelt } from './closest.ts';

const HOUR_MS = 3_600_000;

const units: readonly (readonly [RegExp, number])[] = [
  [/^(m|min|mins|minute|minutes)$/, HOUR_MS / 60],
  [/^(h|hr|hrs|hour|hours)$/, HOUR_MS],
  [/^(d|day|days)$/, 24 * HOUR_MS],
  [/^(w|wk|wks|week|weeks)$/, 7 * 24 * HOUR_MS],
];

/** Numbers as words. They need a full unit after them: `two hours`, never `a m`. */
const numbers: ReadonlyMap<string, number> = new Map([
  ['a', 1],
  ['an', 1],
  ...['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'].map(
    (word, index) => [word, index + 1] as const,
  ),
  ['fifteen', 15],
  ['twenty', 20],
  ['thirty', 30],
  ['forty', 40],
  ['forty-five', 45],
  ['sixty', 60],
  ['ninety', 90],
]);

/** Without `a` and `an`. */
const readNumbers = [...numbers.keys()].filter((name) => name.length > 2).join('|');
const manyWords =
  'hundreds?|thousands?|dozens?|thirteen|fourteen|sixteen|seventeen|eighteen|nineteen|fifty|seventy|eighty';
/** A number as a word, also one that we do not read: `hundred`, `thirty-six`. */
const numberWord = `(${readNumbers}|${manyWords})(-[a-z]+)?`;

const wholeNumberWord = new RegExp(`^${numberWord}$`, 'i');

export function isNumberWord(word: string): boolean {
  return wholeNumberWord.test(word);
}

const DURATION_MAX_MS = 366 * 24 * HOUR_MS;

/**
 * Reads a duration at the start of `words`: `4h`, `90m`, `2 days`, `1.5 hours`, `1h30m`, `an hour`, `two hours`, `half
 * an hour`, `1/2 hour`, `2 hours and 30 minutes`, `an hour and a half`, `two and a half hours`.
 *
 * @returns milliseconds and how many words it took; null when there is none or it is longer than a year.
 */
export function readDuration(words: readonly string[]): { ms: number; words: number } | null {
  const read = readAnyDuration(words);
  return read !== null && read.ms <= DURATION_MAX_MS ? read : null;
}

/** The same for a duration of any length. */
export function readAnyDuration(words: readonly string[]): { ms: number; words: number } | null {
  const first = readPart(words) ?? readPartAndHalf(words);
  if (first === null) return null;
  let { ms, unitMs, words: taken } = first;
  for (;;) {
    const hasAnd = /^and$/i.test(words[taken] ?? '');
    if (hasAnd && /^a half$/i.test(words.slice(taken + 1, taken + 3).join(' '))) {
      ms += unitMs / 2;
      taken += 3;
      break;
    }
    const next = readPart(words.slice(taken + (hasAnd ? 1 : 0)));
    if (next === null || next.unitMs >= unitMs) break;
    ms += next.ms;
    taken += next.words + (hasAnd ? 1 : 0);
    ({ unitMs } = next);
  }
  return { ms, words: taken };
}

interface Part {
  readonly ms: number;
  readonly unitMs: number;
  readonly words: number;
}

/** `two and a half hours` */
function readPartAndHalf([count = '', ...words]: readonly string[]): Part | null {
  const whole = /^and a half$/i.test(words.slice(0, 3).join(' ')) ? readPart([count, ...words.slice(3)]) : null;
  return whole?.words === 2 ? { ...whole, ms: whole.ms + whole.unitMs / 2, words: 5 } : null;
}

/** One number and its unit. */
function readPart(words: readonly string[]): Part | null {
  const [first = '', second = '', third = ''] = words.slice(0, 3).map((word) => word.toLowerCase());
  const together = /^(\d{1,5}(?:\.\d{1,2})?)([a-z]+)$/.exec(first);
  // `6M` is six months to most people, and `6m` six minutes.
  if (together !== null && words[0]?.endsWith('M') === true) return null;
  if (together !== null) return toMs(Number(together[1]), together[2], 1);
  const hoursAndMinutes = /^(\d{1,3})h(\d{1,2})m?$/.exec(first);
  if (hoursAndMinutes !== null) return toMs(Number(hoursAndMinutes[1]) + Number(hoursAndMinutes[2]) / 60, 'h', 1);
  if (/^\d{1,5}(?:\.\d{1,2})?$/.test(first)) return toMs(Number(first), second, 2);
  if (first === 'half' && /^an?$/.test(second)) return isWord(third) ? toMs(0.5, third, 3) : null;
  const [top = 0, bottom = 0] = (/^([1-9])[/⁄]([2-9])$/.exec(first)?.slice(1) ?? []).map(Number);
  if (top < bottom) return isWord(second) ? toMs(top / bottom, second, 2) : null;
  const number = numbers.get(first);
  return number !== undefined && isWord(second) ? toMs(number, second, 2) : null;
}

function isWord(unit: string): boolean {
  return /^(min|mins|minutes?|hours?|days?|weeks?)$/.test(unit);
}

const timeUnit =
  /^(sec|second|min|minute|hr|hour|day|night|evening|wk|week|weekend|fortnight|mth|mnth|month|qtr|quarter|yr|year|while|bit)s?$/;
const unitNames = ['minute', 'hour', 'day', 'night', 'week', 'month', 'year'].flatMap((name) => [name, `${name}s`]);
const amount =
  /^(a|an|the|some|few|several|couple|coupla|of|next|nxt|this|coming|rest|whole|full|entire|little|short|all|more|half|\d[\d.,]*)$/;

/** True for words about a length of time, also when the length is unclear: `a few hours`, `400d`, `two horus`. */
export function soundsLikeDuration(words: readonly string[]): boolean {
  const said = words.slice(0, 5).map((word) => word.toLowerCase().replace(/[,.]$/, ''));
  const [first = ''] = said;
  if (/^[-–]?\d[\d.]*(s|m|h|d|w|y|sec|min|hr|hour|day|wk|week|mo|month|yr|year)s?$/.test(first)) return true;
  const together = /^\d[\d.]*([a-z]+)$/.exec(first)?.[1];
  const at = said.findIndex((word) => !amount.test(word) && !numbers.has(word));
  const unit = together ?? (at > 0 ? said[at] : undefined) ?? '';
  return timeUnit.test(unit) || isMisspelt(unit, unitNames);
}

/** Strips punctuation around a time: `(for 2h)`, `2h.` */
export function bare(word: string): string {
  return (
    word
      // Not that of a year: `'27`.
      .replace(/^(?!['’‘]\d\d$)(?:[([{<"'“‘’„«`*_~•·|:]|\.{2,}|\p{Extended_Pictographic}\uFE0F?)+(?=[\p{L}\d])/u, '')
      .replace(/(?<=[\p{L}\d])(?:[)\]}>"'“”’»`*_~|.,;:!?]|\p{Extended_Pictographic}\uFE0F?)+$/u, '')
      .replace(/(?<=\d|^)([ap])\.m$/i, '$1m')
  );
}

const month = '(jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)(uary|ruary|ch|il|ust|ember|tember|ober)?';
const weekday = '(mon|tue|wed|thu|fri|sat|sun)[a-z]*';
const fullMonth = '(january|february|march|april|may|june|july|august|september|october|november|december)';
const dayName = '(mon|tues?|wed(nes)?|thu(rs)?|fri|sat(ur)?|sun)(days?)?';
const unit = '(h|hrs?|hours?|mins?|minutes?|days?|nights?|weeks?|wks?|months?|years?|workdays?)';
/** Words that are neither a duration nor an end, but are used like one, before or after the reason. */
const vague = '(soon|later|awhile|briefly|shortly|sometime|eventually|whenever|next time)';
const holiday = "(thanksgiving|christmas|xmas|easter|halloween|nye|new year['’]?s?|hanukkah|diwali|ramadan|holidays?)";
const season = '(spring|summer|fall|autumn|winter|season|semester)';
const quarter = '(q[1-4]|fy ?\\d{2,4}|(fiscal|calendar|school) year)';
const dayOfMonth = '\\d{1,2}(st|nd|rd|th)?';
/** `24/12`, but not `24/7`. */
const dayFirst = '(?!24/7)(1[3-9]|2\\d|3[01])/(0?[1-9]|1[0-2])(/20\\d\\d)?';
const hour = '(\\d{1,2}(:\\d\\d)?( ?[ap]m?)?|[012]\\d[0-5][05])';
const range = '(-|–|—|/|to|and|&|through|thru)';
const during = '(for|in|during|over|throughout|through|thru|all|this|next|rest of)( the)?';
const longUnit = '(minute|hour|day|night|week|weekend|fortnight|month|quarter|year|decade|centur(y|ie))s?';
const kindOfPeriod = '(pay|billing|trial|limited|short|brief|long|certain|temporary|interim|extended|grace)';
/** `shift`, `the billing cycle`. */
const ownPeriod = `((the|a|an) )?(shift|(${kindOfPeriod} )?(sprint|period|cycle|decade|century|centuries))`;
/** What ends at a time that only people know: `end of project`, `trip end`. */
const course = '(shift|sprint|trip|term|project|job|event|visit|stay|tour|conference|assignment|contract|campaign)';
/** Times of day that we do not read: `five pm`, `9ish`, `half past five`, `5p`, `from 9 to 5`. */
const hours: readonly RegExp[] = [
  /\d ?[ap]\.?m(?![a-z])|o['’]clock|(^| )o clock(?![a-z])/,
  new RegExp(`(^| )(${readNumbers}) ?[ap]m(?![a-z])`),
  /(day|tomorrow|tonight|noon|soon|late|later|\d|[ap]m)[- ]?ish(?![a-z])/,
  new RegExp(`(^| )(half past(?![a-z])|quarter (past|to|till?) (\\d{1,2}|${readNumbers})$)`),
  new RegExp(`(^| )(\\d{1,2}|${readNumbers}) (past|till?) (\\d{1,2}|${readNumbers})$`),
  new RegExp(`^(5|10|20|25|five|ten|twenty) to (\\d{1,2}|${readNumbers})$`),
  // Not at the end: a `room 12a`.
  /^\d{1,2}[ap](?= |$)|\d:\d\d ?[ap](?![a-z])|(^| )\d{1,2}p$/,
  // What counts things rises, as in `seats 3 to 5`. Only hours fall.
  new RegExp(`^((office|business|working) )?(hours )?${hour} ?(-|–|—|to|and) ?${hour}( only)?$`),
  new RegExp(`(^| )(from|between) ${hour} ?(-|–|—|to|and|until|till?) ?${hour}( only)?$|(^| )([6-9]|1[0-2]) to [1-6]$`),
  /(^| )[012]\d[0-5]0 ?(-|–|—|to) ?[012]\d[0-5]0( only)?$/,
];
const hints: readonly RegExp[] = [
  ...hours,
  // `through year end`: right after the amount, it hardly ever means by way of.
  /^(through|thru) |(^| )(through|thru) (the )?(end|year|month|quarter|week)(?![a-z])/,
  // `Dec 3-5`, `3 to 5 Dec`, `Nov-Jan`, `12/3-12/5`, `3.-5. Dezember`.
  new RegExp(`(^| )${month} ${dayOfMonth} ?${range} ?${dayOfMonth}(?= |$)`),
  new RegExp(`(^| )${dayOfMonth} ?${range} ?${dayOfMonth} (of )?${month}(?![a-z])`),
  new RegExp(`(^| )${month} ?(-|–|—|to) ?${month}(?![a-z])`),
  /^\d{1,2}\/\d{1,2} ?[-–—] ?\d{1,2}(\/\d{1,2})?(?= |$)|(^| )\d{1,2}\/\d{1,2} ?[-–—] ?\d{1,2}(\/\d{1,2})?$/,
  /(^| )\d{1,2}\. ?[-–—] ?\d{1,2}(?= |\.|$)/,
  // `for q4`, `this summer`, `mid December`, `year-end`: at the end of the text, unless they cannot be part of a name.
  new RegExp(`(^| )${during} ${quarter}(?![a-z\\d])|(^| )(q[1-4]|fy ?\\d{2,4})( 20\\d\\d)?( only)?$`),
  new RegExp(`(^| )${during} (20\\d\\d|${season})$|^${season}$|(^| )(year|month|quarter)(['’]s)?[- ]?ends?$`),
  new RegExp(`(^| )(mid|early|late|(end|beginning|start|week|half) of)[- ]${month}$`),
  /(^| )(interim|meantime|meanwhile|provisional(ly)?|stopgap)( (raise|increase|limit|measure|solution))?$/,
  /(^| )(in|for) the (interim|meantime)(?![a-z])/,
  // Dates in forms that we do not read: `2026/12/24`, `24.12.2026`, `12-24`, `the 24th`. A `2nd laptop` is none.
  /(^| )(\d{4}[/.]\d{1,2}([/.]\d{1,2})?|\d{1,2}\.\d{1,2}\.\d{2,4}|\d{1,2}-\d{1,2}-\d{2,4})(?= |$)/,
  /(^| )(the )?((1[0-2]|0?[1-9])-(1[3-9]|2\d|3[01])|\d{1,2}(st|nd|rd|th))$/,
  /(^| )(at|by|around|about|before|after|from|through|thru) \d{1,2}[ap]?( sharp)?$/,
  /(^| )(mornings?|afternoons?|evenings?|nights?|noon|mid-?day|midnight|weekdays?|weekends?|workdays?)$/,
  new RegExp(`(^| )${holiday}( (eve|day|week|weekend|season))?$`),
  new RegExp(`(^| )[-–—>~=+/]+ ?${weekday}(?![a-z])`),
  // `each week`, `monthly`: a limit has no days of its own.
  new RegExp(
    `(^| )(each|every) (other )?(${dayName}|${unit}|morning|afternoon|evening|quarter|weekday|weekend)(?![a-z])`,
  ),
  /(^| )(hourly|daily|nightly|weekly|biweekly|fortnightly|monthly|quarterly|yearly|annually)( only)?$/,
  /(^| )for$|(^| )(limited time|time[- ]limited|right now)(?= |$)|(^| )next (one|time|round|pay ?(day|check|roll)|statement|invoice|bill|cycle|period|sprint|shift|semester|term|season|renewal|review|close)$/,
  new RegExp(`^((for|until|till?) )?${vague}(?= |$)|(^| )(${vague}|a (little|few|moment|spell))$`),
  /(^| )for (the (moment|time being|foreseeable future|duration)|a (moment|spell)|ages)(?![a-z])|(^| )(for (good|long)$|as long as )/,
  new RegExp(`\\d ?[-–]? ?([a-z]+ )?${unit}(?![a-z])`),
  /[a-z]-(hour|minute|day|week|month|night)s?(?![a-z])/,
  // `March team lunch`, `Sept only`: as the first word, the full name of a month is an end more often than something else.
  new RegExp(
    `^${month}(?=$|,| (only|and|to)(?= |$))|^${fullMonth}(?= )|(^| )(for|until|through|thru|during|in|over|throughout|all|this) ${month}(?![a-z])`,
  ),
  new RegExp(`(^| )${weekday} ?[-–/&] ?${weekday}`),
  /(^| )(eo[dmqwy]|eofy|fye|cob|temp|temporary|temporarily|overnight|yesterday)(?![a-z])/,
  /(^| )((this|that) (morning|afternoon|evening|eve)|(the )?following (day|week|month)|for (now|hour|day)|short[- ]term)(?![a-z])/,
  /^(during|while|whilst|throughout)(?![a-z])/,
  /(^| )((working|business) days?|(some|short) (time|while)|(unti|untl|unitl|untli|util|utnil|ntil) )/,
  // Too short to be read as a duration: `for two h`.
  new RegExp(`(^| )(${readNumbers}|for an?)[ -][hdwm](?= |$)`),
  /(^| )for (a|one|the) (semester|trimester|term|season)(?![a-z])/,
  // Units that we do not read, and quantities that we do not: `thirty-six hours`, `another week`, `for my shift`.
  new RegExp(`(^| )(${numberWord}|another|additional|extra|more|further|that|those|these) ${longUnit}(?![a-z])`),
  new RegExp(`(^| )(\\d+|${numberWord}) ?(yrs?|mos?|mths?|mnths?|decades?|centur(y|ies)|hs|sprints?|shifts?)(?![a-z])`),
  /(^| )an? (decade|century)(?![a-z])/,
  new RegExp(
    `(^| )(for|over|during|throughout|this|next|that|my|our|his|her|their|one|whole|full) ${ownPeriod}(?![a-z])`,
  ),
  new RegExp(`(^| )${kindOfPeriod} (period|time|term|cycle|spell|stint)$`),
  /(^| )(length|duration|remainder|rest|course) of (the|this|my|our|his|her|their) |(^| )for (length|remainder|course|rest) of /,
  /(^| )(for|over|during|throughout) ([a-z]+ )*duration(?![a-z])|(^| )duration$/,
  // Part of a period, or all of it: `rest of November`, `only December`, `the current week`.
  new RegExp(`(^| )(rest|remainder|all|whole|entire|only|just)( of)?( the)?( (month|rest) of)? ${month}$`),
  /(^| )(current|calendar|business|work) (day|week|month|quarter|year)(?![a-z])/,
  new RegExp(
    `(^| )(end|rest|remainder) of ((the|my|our|his|her|their) )?(${course}|day)$|(^| )${course}['’]?s? ends?$`,
  ),
  /^when(ever)? |^(and )?then back$/,
  /(^| )(weekdays? only|next \d+)$/,
  // `P1D`, `PT4H`, `W48`.
  /(^| )(p(\d+[ymwd])+|p(\d+d)?t(\d+[hms])+|w\d{2})(?= |$)/,
  // Dates that we do not read: `12/24/26`, `12/2026`, `1st of December`, `2026-12-24T17:00`, `24/12`, `24-Dec`, `dec24`,
  // `Nov 2027`, `week 48`.
  /(^| )(\d{1,2}\/\d{1,2}\/\d{2}|(0?[1-9]|1[0-2])\/20\d\d|20\d\d-(0[1-9]|1[0-2]))(?= |$)/,
  new RegExp(`(^| )(${dayOfMonth}|first|second|third|fourth|fifth|last) of ${month}(?![a-z])`),
  /(^| )\d{4}-\d\d-\d\dt\d/,
  new RegExp(`^${dayFirst}(?= |$)|(^| )${dayFirst}$`),
  new RegExp(`(^| )(${dayOfMonth}[-./]?${month}|${month}[-./]?${dayOfMonth})([-./]?(20)?\\d\\d)?(?= |$)`),
  new RegExp(`(^| )${month} (20\\d\\d|['’‘]\\d\\d)(?=$| )`),
  /(^| )(this|next|last|all) (fy|h[12])(?= |$)|(^| )h[12]$|(^| )((first|second|third|fourth|last|[1-4](st|nd|rd|th)) (quarter|half)|week \d{1,2})$/,
  /(^| )(for (minutes|hours|days|nights|weeks|months|years)|wks?|wkends?|wknds?|2nite|(close|end) of business)(?![a-z])/,
];

/** Says how long or when, together with a unit: `for week`, `only month`, `after hours`. A reason has other words. */
const besideUnit =
  /^(for|only|just|max|maximum|single|a|an|the|this|that|my|our|in|of|per|then|back|please|pls|office|business|after|work|working|opening)$/;
const alikeUnit = /^(day-?time|night-?time|long-term|decades?|century|centuries)$/;

/** True for words about a time and nothing else. Not `year end party`. */
function isTimeAlone(said: readonly string[]): boolean {
  const isUnit = (word: string): boolean => timeUnit.test(word) || alikeUnit.test(word);
  return said.some(isUnit) && said.every((word) => isUnit(word) || besideUnit.test(word));
}

/** True when words start with a time of day that we cannot read: `9ish`, `half past five`. */
export function startsWithHour(words: readonly string[]): boolean {
  const said = words.slice(0, 3).map((word) => bare(word).toLowerCase());
  const isNumber = /^(\d|half$|quarter$|from$|between$)/.test(said[0] ?? '') || isNumberWord(said[0] ?? '');
  return isNumber && hours.some((hint) => hint.test(said.join(' ')));
}

/** `conference, june`, `trip and august`, in the text as typed. Not `and may need more`. */
const listedMonth = new RegExp(`(,|;|&| and) ?(?!(may|march) (?!only))${month}(?![a-z])`);

/** True when a reason may mention a duration that we cannot read as a time: `2-3 hours`, `for december`. */
export function mayMeanTime(words: readonly string[]): boolean {
  const said = words.map((word) => bare(word).toLowerCase());
  // `4 dayz`, `2 hors`, `1,5d`, `3-4d`, `2hh`
  const isLength = said.some((word, index) => {
    const [, together, name = ''] = /^(\p{Nd}[\p{Nd}.,+-]*)?([a-z]+)$/u.exec(word) ?? [];
    const count = together ?? said[index - 1] ?? '';
    const unitName = name.replace(/z$/, 's');
    const isShort = /^[hdw]$/.test(name) ? /[.,+]|\d-\d/.test(count) : /^(hh|dd|ww)$/.test(name);
    const isUnit = isShort || timeUnit.test(unitName) || isMisspelt(unitName, unitNames);
    return isUnit && /^\p{Nd}[\p{Nd}.,+-]*$/u.test(count);
  });
  // `24.12.`, before its last dot is stripped: `24.12` may be an amount.
  const isDay = words.some((word) => /^\(?\d{1,2}\.\d{1,2}\.\)?$/.test(word));
  const isListed = listedMonth.test(words.join(' ').toLowerCase());
  return isLength || isDay || isListed || isTimeAlone(said) || hints.some((hint) => hint.test(said.join(' ')));
}

function toMs(count: number, unit: string | undefined, words: number): Part | null {
  const found = units.find(([pattern]) => pattern.test(unit ?? ''));
  if (found === undefined) return null;
  const ms = Math.round(count * found[1]);
  return ms > 0 ? { ms, unitMs: found[1], words } : null;
}

/** `4 hours`, `90 minutes`, `2 days`: the largest unit that needs no fraction. */
export function formatDuration(ms: number): string {
  const names = [
    ['week', 7 * 24 * HOUR_MS],
    ['day', 24 * HOUR_MS],
    ['hour', HOUR_MS],
    ['minute', HOUR_MS / 60],
  ] as const;
  const [name, size] = names.find(([, unit]) => ms >= unit && ms % unit === 0) ?? ['minute', HOUR_MS / 60];
  const count = Math.max(1, Math.round(ms / size));
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}

/** The same, as people say it: minutes up to two hours, then hours. */
export function formatRoughly(ms: number): string {
  const minutes = Math.max(1, Math.round((ms / HOUR_MS) * 60));
  return formatDuration(minutes > 120 ? Math.round(minutes / 60) * HOUR_MS : (minutes * HOUR_MS) / 60);
}
