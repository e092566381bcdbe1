import { urlFlag } from '../sandbox/cli-flags.ts';

interface Listening {
  readonly host: string;
  readonly port: number;
  /** Whether web serves HTTPS itself. */
  readonly isHttps: boolean;
}

/** The address of web for a command on the same machine, in the same container or pod. */
export function webAddress({ host, port, isHttps }: Listening): string {
  const reached = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host;
  return `${isHttps ? 'https' : 'http'}://${reached.includes(':') ? `[${reached}]` : reached}:${port}`;
}

/**
 * The `--url` of a command: where Slack and the card service reach web. Slack shows the address with `/slack/events`, so
 * people give that, too. Null: not given. @throws UsageError
 */
export function addressFlag(text: string | undefined, protocols: readonly string[]): string | null {
  return urlFlag('url', text, protocols)?.replace(/(\/slack\/events)?\/*$/, '') ?? null;
}
