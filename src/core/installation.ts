import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * What differs between installations and stands in many texts: the name of the slash command, and the time zone of the card
 * service. Set once, before a process renders anything; a text must not be built before that, so not as a constant. Where one
 * process works for several card programs, each has its own: see {@link installationScope}.
 */
interface Installation {
  /** `/card` */
  readonly command: string;
  /** IANA name. */
  readonly serviceZone: string;
}

export const DEFAULT_COMMAND = '/card';
export const DEFAULT_ZONE = 'America/New_York';

let installed = described({ command: DEFAULT_COMMAND, serviceZone: DEFAULT_ZONE });

export function useInstallation({ command, serviceZone }: Installation): void {
  installed = described({ command, serviceZone });
}

/** What is run inside, with all that follows from it, speaks of this installation. */
export type InstallationScope = <T>(run: () => T) => T;

const scopes = new AsyncLocalStorage<ReturnType<typeof described>>();

export function installationScope({ command, serviceZone }: Installation): InstallationScope {
  const own = described({ command, serviceZone });
  return (run) => scopes.run(own, run);
}

const current = (): ReturnType<typeof describe> => (scopes.getStore() ?? installed)();

/** With the first text, not before: Node takes a tenth of a start to load what it knows about zones, and commands need none. */
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

/** The same as code in mrkdwn. */
export function commandCode(words = ''): string {
  return `\`${slashCommand(words)}\``;
}

/** The zone in which the card service counts days, and its name: `America/New_York`, `ET`, `Eastern time`. */
export function serviceZone(): Readonly<Record<'name' | 'short' | 'long', string>> {
  return current().zone;
}

/** `Nov 20, 2026, 9:14 AM ET`: on the service's clock. Text that is no time comes back as it is. */
export function serviceTime(instant: string): string {
  const time = format(instant, current().full);
  return time === null ? instant : `${time} ${current().zone.short}`;
}

/** `9:14 AM`, or `Nov 20, 9:14 AM`, under a head that names the zone. */
export function serviceClock(instant: string, withDay = false): string {
  return format(instant, withDay ? current().clockAndDay : current().clock) ?? instant;
}

function format(instant: string, by: Intl.DateTimeFormat): string | null {
  const time = new Date(instant);
  return Number.isNaN(time.getTime()) ? null : by.format(time).replaceAll(/\s/g, ' ');
}

function describe({ command, serviceZone: timeZone }: Installation) {
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
    zone: {
      name: timeZone,
      short: nameOf('shortGeneric'),
      long: nameOf('longGeneric').replace(/(?<!Standard) Time$/, ' time'),
    },
    full: formatIn({ dateStyle: 'medium', timeStyle: 'short' }),
    clock: formatIn({ timeStyle: 'short' }),
    clockAndDay: formatIn({ month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' }),
  };
}
