/** A server of ours cannot listen on its configured address. The message says why, and which setting to change. */
export class ListenError extends Error {}

/** The settings that choose where a server listens. `host` is absent when it cannot be chosen. */
interface Settings {
  readonly host?: string;
  readonly port: string;
}

/**
 * Explains why a server failed to listen, in words for the person who started it.
 *
 * @returns a `ListenError`; any other error is returned unchanged.
 */
export function listenError(
  error: unknown,
  { host, port }: { readonly host: string; readonly port: number },
  settings: Settings,
): unknown {
  const why: Readonly<Record<string, string>> = {
    EADDRINUSE: `port ${port} of ${host} is taken. Stop what listens there, or set ${settings.port} to another port`,
    EACCES: `this user may not listen on port ${port} of ${host}. Set ${settings.port} to a port above 1023`,
    EADDRNOTAVAIL: `${host} is not an address of this machine. Correct ${settings.host ?? 'it'}`,
    ENOTFOUND: `${host} is unknown. Correct ${settings.host ?? 'it'}`,
  };
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const words = why[code];
  return words === undefined ? error : new ListenError(`Cannot listen: ${words}.`, { cause: error });
}
