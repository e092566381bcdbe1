import { isTransactionKind, type StoredEvent, type TransactionKind } from '../core/event.ts';
import type { Recoveries } from './recovery-store.ts';

/** When a webhook of the kind last arrived is stored there, for as long as the progress of a recovery: 30 days. */
const arrivedId = (kind: TransactionKind): string => `webhooks-${kind}`;
const NOTE_EVERY_MS = 3_600_000;

/** Notes that webhooks of a kind arrive, once an hour. */
export function createNoteArrival(recoveries: Pick<Recoveries, 'write'>, now: () => Date) {
  const notedAtMs = new Map<TransactionKind, number>();

  return async function noteArrival({ kind }: Pick<StoredEvent, 'kind'>): Promise<void> {
    if (!isTransactionKind(kind) || kind === 'decline') return;
    const nowMs = now().getTime();
    if (Math.abs(nowMs - (notedAtMs.get(kind) ?? 0)) < NOTE_EVERY_MS) return;
    await recoveries.write(arrivedId(kind), { position: new Date(nowMs).toISOString() });
    notedAtMs.set(kind, nowMs);
  };
}

/**
 * Whether webhooks of the kind are sent: some have arrived in the last 30 days. The company may have no address for a kind on
 * purpose, but always needs the one for declines.
 */
export async function isSent(kind: TransactionKind, recoveries: Pick<Recoveries, 'read'>): Promise<boolean> {
  return kind === 'decline' || (await recoveries.read(arrivedId(kind))).position !== null;
}
