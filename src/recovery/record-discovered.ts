import { wordOf } from '../actions/send-status.ts';
import { type Audit, type AuditRecord, nobody } from '../audit/audit.ts';
import type { CardStatus, CardStatusEvent } from '../core/event.ts';
import type { Gap } from '../core/gap.ts';

/** How far back a record may explain a change: the audit grows by far less in any gap. */
const READ_BACK = 1000;
/** A change may have been made shortly before the gap that hid it. */
const BEFORE_MS = 10 * 60_000;
/** Records of a change that Cardbell made, or has found before. */
const explains: ReadonlySet<AuditRecord['event']> = new Set(['sent', 'done', 'confirmed', 'discovered']);

interface Deps {
  readonly audit: Pick<Audit, 'append' | 'read' | 'head'>;
  readonly now: () => Date;
}

/** Puts a status that a recovery found on record, when no other record explains it. Safe to repeat. */
export type RecordDiscovered = (gap: Gap, event: CardStatusEvent, before: CardStatus | null) => Promise<void>;

export function createRecordDiscovered({ audit, now }: Deps): RecordDiscovered {
  return async function recordDiscovered(gap, { id, acctId, cards }, before) {
    const [card] = cards;
    if (card === undefined) return;
    const after = wordOf(card.status);
    const since = new Date(Date.parse(gap.from) - BEFORE_MS).toISOString();
    const { count } = await audit.head();
    for await (const { record } of audit.read({ from: Math.max(1, count - READ_BACK) })) {
      if (record === null || record.at < since || record.acctId !== acctId || record.after !== after) continue;
      if (explains.has(record.event)) return;
    }
    await audit.append({
      ...nobody,
      at: now().toISOString(),
      actionId: id,
      event: 'discovered',
      verb: 'status',
      acctId,
      cardId: card.cardId,
      before: before === null ? null : wordOf(before),
      after,
      alertId: id,
      detail: 'seen in the card service after a gap; no record says who made this change',
    });
  };
}
