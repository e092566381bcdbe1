import manifest from '../../manifest.json' with { type: 'json' };
import { DEFAULT_COMMAND, slashCommand } from '../core/installation.ts';

/** The address that stands in `manifest.json` until somebody puts in their own. */
const EXAMPLE = 'https://cardbell.example.com';

/**
 * `manifest.json` as this installation needs it: with its slash command, and its address.
 *
 * @param address without a slash at the end. Null: the example stays.
 */
export function appManifest(address: string | null): typeof manifest {
  const ownCommand = (name: string): string => name.replace(DEFAULT_COMMAND, slashCommand());
  return JSON.parse(JSON.stringify(manifest), (key, value: unknown) => {
    if (typeof value !== 'string') return value;
    if (key === 'command') return ownCommand(value);
    return address !== null && value.startsWith(EXAMPLE) ? `${address}${value.slice(EXAMPLE.length)}` : value;
  });
}
