import { z } from 'zod';
import { TooLateError } from './errors.ts';
import type { OpenRecordStore } from './record-store.ts';

/** Who decided on a record that waits for people. */
export const DecidedBy = z.strictObject({
  /** The click, so that its job recognizes its own decision after a crash. */
  actionId: z.string(),
  /** Slack user id. `at`: UTC ISO 8601. */
  by: z.string(),
  at: z.string(),
});
export type DecidedBy = z.infer<typeof DecidedBy>;

interface Decided {
  readonly state: string;
  readonly decision?: DecidedBy;
}

/** Null while it is open, and when it expired. */
export function decisionOf(record: Decided): DecidedBy | null {
  return record.decision ?? null;
}

export function isDecidedBy(record: Decided, actionId: string): boolean {
  return record.decision?.actionId === actionId;
}

/**
 * Stores the decision on a record unless it was decided differently in the meantime: every decision is final.
 *
 * @throws TooLateError when it was: the caller was frozen for longer than its lock.
 */
export async function saveUndecided<T extends Decided & { readonly id: string }>(
  store: Pick<OpenRecordStore<T>, 'change'>,
  record: T,
): Promise<void> {
  const { isChanged } = await store.change(record.id, (stands) =>
    stands === null || stands.state === 'open' || isSameDecision(stands, record) ? record : null,
  );
  if (!isChanged) throw new TooLateError('it was decided in the meantime');
}

function isSameDecision(one: Decided, other: Decided): boolean {
  return one.state === other.state && decisionOf(one)?.actionId === decisionOf(other)?.actionId;
}
