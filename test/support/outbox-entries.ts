import type { Priority, Sending } from '../../src/outbox/entry.ts';
import type { Outbox } from '../../src/outbox/outbox-store.ts';

/** An entry that posts an alert. */
export const alertEntry = (id: string, more: { priority?: Priority; notBefore?: number } = {}) =>
  ({ kind: 'tracked', id, subject: { kind: 'alert', id }, ...more }) as const;

/** Claims entries of a channel that nobody else holds. */
export async function claimed(outbox: Outbox, ids: readonly string[], channel = 'C1'): Promise<Sending> {
  const sending = await outbox.claim(channel, ids, null);
  if (sending === null) throw new Error('nothing to claim');
  return sending;
}
