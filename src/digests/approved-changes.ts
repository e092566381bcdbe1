import type { AuditReader, AuditRecord } from '../audit/audit.ts';
import { readSince } from '../audit/read-since.ts';
import { parseAmount } from '../core/money.ts';
import { BETWEEN_RULES } from '../limits/rule-words.ts';

/** A change that let a card spend more, or the order of a card, as it is on record. */
export interface ApprovedChange {
  /** UTC ISO 8601. */
  readonly at: string;
  readonly holder: string | null;
  readonly last4: string | null;
  readonly merchant: string | null;
  readonly before: string | null;
  readonly after: string;
  /** How much more; of several rules the one that rises most. Null: no amount says how much, as where a category is allowed. */
  readonly cents: number | null;
  /** In words; null: nothing is said of it, so it stays. */
  readonly duration: string | null;
  /** Slack users. */
  readonly approvedBy: readonly string[];
  /** No approver answered: an operator broke the glass. */
  readonly isOverride: boolean;
  readonly reason: string;
}

/** A change is on record before it is confirmed: whoever reads a period has to know whether it was made before that. */
const EARLIER_MS = 24 * 3_600_000;

/**
 * What was approved in a period, oldest first: each change once, when it was made. What Cardbell did by itself, such as ending a
 * temporary change, is none.
 */
export async function approvedChanges(reader: AuditReader, fromMs: number, toMs: number): Promise<ApprovedChange[]> {
  const byAction = new Map<string, AuditRecord[]>();
  for (const record of await readSince(reader, fromMs - EARLIER_MS))
    byAction.set(record.actionId, [...(byAction.get(record.actionId) ?? []), record]);
  return [...byAction.values()].flatMap((records) => {
    const made = records.find(({ event, actor }) => actor !== null && (event === 'done' || event === 'confirmed'));
    if (made === undefined || Date.parse(made.at) < fromMs || Date.parse(made.at) >= toMs) return [];
    return changeIn(made, records);
  });
}

function changeIn(made: AuditRecord, records: readonly AuditRecord[]): ApprovedChange[] {
  const { at, verb, holder = null, last4 = null, merchant = null, before, after, reason } = made;
  const isOrder = verb === 'order-virtual';
  const raise = isOrder ? { cents: amountIn(after ?? '') ?? 0 } : raiseIn(before ?? '', after ?? '');
  if (after === null || raise === null) return [];
  const said = <Key extends 'duration' | 'approvers'>(key: Key) => records.find((one) => one[key] != null)?.[key];
  return [
    {
      at,
      holder,
      last4,
      merchant,
      before,
      after,
      reason,
      cents: raise.cents,
      duration: isOrder ? null : (said('duration') ?? null),
      approvedBy: said('approvers') ?? [made.actor?.userId ?? ''],
      isOverride: records.some((one) => one.verb === 'emergency-override'),
    },
  ];
}

/** By how much the rules were raised, as the record has them: `daily limit $150.00; …`. Null: none of them allows more than before. */
function raiseIn(before: string, after: string): { cents: number | null } | null {
  const [from, to] = [before.split(BETWEEN_RULES), after.split(BETWEEN_RULES)];
  const raises = to.flatMap((now, index) => {
    const was = from[index] ?? '';
    const [fromCents, toCents] = [amountIn(was), amountIn(now)];
    if (fromCents !== null && toCents !== null) return toCents > fromCents ? [toCents - fromCents] : [];
    const isOpened = fromCents !== null && now.endsWith(' none');
    return isOpened || (was.endsWith(' not allowed') && !now.endsWith(' not allowed')) ? [null] : [];
  });
  if (raises.length === 0) return null;
  return { cents: raises.includes(null) ? null : Math.max(...raises.map((cents) => cents ?? 0)) };
}

/** The last amount in words of ours, whole cents. */
function amountIn(words: string): number | null {
  return parseAmount(/\$[\d,]+\.\d\d(?!.*\$)/.exec(words)?.[0] ?? '');
}
