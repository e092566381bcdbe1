import { ConfigError } from './errors.ts';

/** A server of ours cannot listen on its configured address. The message says why, and which setting to change. */
export class ListenError extends Error {}

/** The settings that choose where a server listens. `host` is absent when it cannot be chosen. */
interface Settings {
  readonly host?: string;
  readonly port: string;
}

export const ownAddress = 'an address or a name of this machine, such as 0.0.0.0 or 127.0.0.1';

/**
 * Explains why a server failed to listen, in words for the person who started it.
 *
 * @returns a `ConfigError` when the host is wrong; a `ListenError` when the port is not available; any other error
 * unchanged.
 */
export function listenError(
  error: unknown,
  { host, port }: { readonly host: string; readonly port: number },
  settings: Settings,
): unknown {
  const why: Readonly<Record<string, string>> = {
    EADDRINUSE: `port ${port} of ${host} is taken. Stop what listens there, or set ${settings.port} to another port`,
    EACCES: `this user may not listen on port ${port} of ${host}. Set ${settings.port} to a port above 1023`,
  };
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const isOfAnother = code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN';
  if (isOfAnother && settings.host !== undefined) return new ConfigError([`${settings.host}: expected ${ownAddress}`]);
  const words = why[code];
  return words === undefined ? error : new ListenError(`Cannot listen: ${words}.`, { cause: error });
}
