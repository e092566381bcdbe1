import { codesOf } from '../../src/core/errors.ts';

/** Why the copy of the record cannot be reached. The message of `fetch` is the same for a wrong host, a certificate and a firewall. */
export function sinkFault(error: unknown): string {
  if (!(error instanceof Error)) return 'no answer';
  const { message } = error;
  const codes = codesOf(error).filter((code) => !message.includes(code));
  return [message, ...codes].join(': ');
}
