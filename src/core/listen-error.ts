/** A server of ours cannot listen where it was told to. The message says why, and which setting to change. */
export class ListenError extends Error {}

/** The settings that say where a server listens. `host` is left out where it cannot be chosen. */
interface Settings {
  readonly host?: string;
  readonly port: string;
}

/**
 * What made a server fail to listen, in words for the person who started it.
 *
 * @returns a `ListenError`; the error itself where it is something else.
 */
export function listenError(
  error: unknown,
  { host, port }: { readonly host: string; readonly port: number },
  settings: Settings,
): unknown {
  const why: Readonly<Record<string, string>> = {
    EADDRINUSE: `port ${port} of ${host} is taken. Stop what listens there, or set ${settings.port} to another port`,
    EACCES: `port ${port} of ${host} is not for this user. Set ${settings.port} to a port above 1023`,
    EADDRNOTAVAIL: `${host} is no address of this machine. Correct ${settings.host ?? 'it'}`,
    ENOTFOUND: `${host} is not known. Correct ${settings.host ?? 'it'}`,
  };
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const words = why[code];
  return words === undefined ? error : new ListenError(`Cannot listen: ${words}.`, { cause: error });
}
