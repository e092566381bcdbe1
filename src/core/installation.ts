import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Settings of an installation that appear in many texts: the name of the slash command, the time zone of the card
 * service, and its card program. Set once before a process renders anything, so texts that use them cannot be
 * module-level constants. When one process serves several card programs, each has its own: see
 * {@link installationScope}.
 */
interface Installation {
  /** `/card` */
  readonly command: string;
  /** IANA name. */
  readonly serviceZone: string;
  /** Needed at a terminal, where commands act on the first program unless another is named. Empty: the first one. */
  readonly program?: string;
}

export const DEFAULT_COMMAND = '/card';
export const DEFAULT_ZONE = 'America/New_York';

let installed = described({ command: DEFAULT_COMMAND, serviceZone: DEFAULT_ZONE });

export function useInstallation(installation: Installation): void {
  installed = described(installation);
}

/** Everything that `run` does uses this installation. */
export type InstallationScope = <T>(run: () => T) => T;

const scopes = new AsyncLocalStorage<ReturnType<typeof described>>();

export function installationScope(installation: Installation): InstallationScope {
  const own = described(installation);
  return (run) => scopes.run(own, run);
}

const current = (): ReturnType<typeof describe> => (scopes.getStore() ?? installed)();

/**
 * Built with the first text, not earlier: loading Node's time zone data takes a tenth of the startup time, and commands
 * do not need it.
 */
function described(installation: Installation): () => ReturnType<typeof describe> {
  let known: ReturnType<typeof describe> | undefined;
  return () => {
    known ??= describe(installation);
    return known;
  };
}

/** `show 4242` → `/card show 4242`; nothing → `/card`. */
export function slashCommand(words = ''): string {
  return words === '' ? current().command : `${current().command} ${words}`;
}

/** `slashCommand` formatted as code in mrkdwn. */
export function commandCode(words = ''): string {
  return `\`${slashCommand(words)}\``;
}

/** What to type at a terminal: `replay -- list` → `npm run replay -- list`, with `PROGRAM=eu` before it for `eu`. */
export function terminalCommand(words: string): string {
  const { program } = current();
  return `${program === '' ? '' : `PROGRAM=${program} `}npm run ${words}`;
}

/** `terminalCommand` formatted as code in mrkdwn. */
export function terminalCode(words: string): string {
  return `\`${terminalCommand(words)}\``;
}

/** The zone that defines the card service's days, and its names: `America/New_York`, `ET`, `Eastern time`. */
export function serviceZone(): Readonly<Record<'name' | 'short' | 'long', string>> {
  return current().zone;
}

/** `ET` for the card service's zone; any other by its name. */
export function zoneWord(zone: string): string {
  const { name, short } = serviceZone();
  return zone === name ? short : zone;
}

/** `Nov 20, 2026, 9:14 AM ET`, on the service's clock. Text that is not a time is returned unchanged. */
export function serviceTime(instant: string): string {
  const time = format(instant, current().full);
  return time === null ? instant : `${time} ${current().zone.short}`;
}

/** `9:14 AM`, for use under a heading that names the zone. */
export function serviceClock(instant: string): string {
  return format(instant, current().clock) ?? instant;
}

/** `Nov 20, 9:14 AM`, with its year if that is not the year of `seenAt`. The heading names the zone. */
export function serviceDay(instant: string, seenAt: string): string {
  return format(instant, isOtherYear(instant, seenAt) ? current().full : current().clockAndDay) ?? instant;
}

/** Whether two times are on one day of the service. */
export function isSameServiceDay(one: string, other: string): boolean {
  const dayOf = (at: string): string => serviceTime(at).split(',', 2).join();
  return dayOf(one) === dayOf(other);
}

function isOtherYear(instant: string, seenAt: string): boolean {
  const [year, seen] = [instant, seenAt].map((each) => format(each, current().year));
  return year !== null && seen !== null && year !== seen;
}

function format(instant: string, by: Intl.DateTimeFormat): string | null {
  const time = new Date(instant);
  return Number.isNaN(time.getTime()) ? null : by.format(time).replaceAll(/\s/g, ' ');
}

function describe({ command, serviceZone: timeZone, program = '' }: Installation) {
  const formatIn = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat('en-US', { timeZone, ...options });
  const nameOf = (timeZoneName: 'shortGeneric' | 'longGeneric'): string =>
    (
      formatIn({ timeZoneName })
        .formatToParts(0)
        .find(({ type }) => type === 'timeZoneName')?.value ?? timeZone
    )
      // Some versions of Node say GMT+0.
      .replace(/^GMT\+[0:]+$/, 'GMT');
  return {
    command,
    program,
    zone: {
      name: timeZone,
      short: nameOf('shortGeneric'),
      long: nameOf('longGeneric').replace(/(?<!Standard) Time$/, ' time'),
    },
    full: formatIn({ dateStyle: 'medium', timeStyle: 'short' }),
    year: formatIn({ year: 'numeric' }),
    clock: formatIn({ timeStyle: 'short' }),
    clockAndDay: formatIn({ month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' }),
  };
}
