import { UsageError, urlFlag } from '../cli-flags.ts';
import { TIMES_MAX } from './catalogue.ts';

/** What `npm run trigger` was asked to do. */
export interface TriggerArguments {
  readonly name: string | undefined;
  readonly list: boolean;
  readonly help: boolean;
  readonly dryRun: boolean;
  /** Sends exactly the same body each time, as a service does when it is unsure whether a webhook arrived. */
  readonly same: boolean;
  readonly url: string;
  readonly to: string | undefined;
  readonly secret: string | undefined;
  readonly version: string;
  readonly times: number;
  /** Fields of `Data` to set, in the given order. */
  readonly fields: readonly (readonly [name: string, text: string])[];
}

const SWITCHES = ['list', 'help', 'dry-run', 'same'] as const;
const SETTINGS = ['url', 'to', 'secret', 'version', 'times'] as const;

/**
 * Parses the command line by hand: any `--Name value` is a field of the payload, and a value may start with a minus.
 *
 * Our own flags are lowercase and the payload's fields start uppercase, so they cannot clash.
 *
 * @param receivers the receivers of this machine's web process.
 */
export function parseTriggerArguments(
  args: readonly string[],
  defaultVersion: string,
  receivers: string,
): TriggerArguments {
  const switches = new Set<string>();
  const settings = new Map<string, string>();
  const fields: (readonly [string, string])[] = [];
  let name: string | undefined;

  const rest = [...args];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '-h') {
      switches.add('help');
      continue;
    }
    if (!word.startsWith('--')) {
      if (name !== undefined) throw new UsageError(`one KIND at a time, not ${name} and ${word}`);
      name = word;
      continue;
    }
    const [flag = '', inline] = word.slice(2).split(/=(.*)/s);
    if ((SWITCHES as readonly string[]).includes(flag)) {
      if (inline !== undefined) throw new UsageError(`--${flag} takes no value`);
      switches.add(flag);
      continue;
    }
    // The next flag is no value. An amount may start with one minus.
    const value = inline ?? (rest[0]?.startsWith('--') === true ? undefined : rest.shift());
    if (value === undefined) throw new UsageError(`--${flag} needs a value`);
    if ((SETTINGS as readonly string[]).includes(flag)) {
      if (value === '') throw new UsageError(`--${flag} must not be empty`);
      settings.set(flag, value);
    } else if (/^[A-Z]/.test(flag)) fields.push([flag, value]);
    else throw new UsageError(`there is no flag --${flag}; fields of the payload start with an uppercase letter`);
  }
  const times = Number(settings.get('times') ?? '1');
  if (!Number.isInteger(times) || times < 1 || times > TIMES_MAX)
    throw new UsageError(`--times must be a whole number from 1 to ${TIMES_MAX}`);
  const version = settings.get('version') ?? defaultVersion;
  if (!/^\d+(\.\d+)*$/.test(version))
    throw new UsageError('--version must be numbers separated by dots, such as 2.0.1.3');
  const urlOf = (flag: string) => urlFlag(flag, settings.get(flag), ['http:', 'https:']);
  return {
    name,
    list: switches.has('list'),
    help: switches.has('help'),
    dryRun: switches.has('dry-run'),
    same: switches.has('same'),
    url: urlOf('url') ?? receivers,
    to: urlOf('to'),
    secret: settings.get('secret'),
    version,
    times,
    fields,
  };
}
