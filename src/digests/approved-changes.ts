import { fundedWords } from '../../templates/virtual-cards/order.ts';
import { type AuditReader, readRecordsSince } from '../audit/audit.ts';
import { API_NOT_ASKED, type AuditRecord } from '../audit/audit-record.ts';
import { groupBy } from '../core/group-by.ts';
import { parseAmount } from '../core/money.ts';
import { endDetails } from '../limits/notify-end.ts';
import { BETWEEN_RULES } from '../limits/rule-words.ts';
import { permanent, termWords } from '../limits/term.ts';
import { ORDER_KEPT_SECONDS } from '../virtual-cards/order.ts';

/** A change that let a card spend more, or the order of a card, as recorded in the audit. */
export interface DigestApproval {
  /** `raise`: of a limit. `lifted`: what was not allowed is. `order`: of a virtual card. */
  readonly kind: 'raise' | 'lifted' | 'order';
  /** UTC ISO 8601. */
  readonly at: string;
  readonly holder: string | null;
  readonly last4: string | null;
  readonly merchant: string | null;
  readonly before: string | null;
  readonly after: string;
  /**
   * The raise; of several rules the largest; zero if it was in force already. Of an order, the money on the card. Null when
   * no amount applies, for example for an allowed category.
   */
  readonly cents: number | null;
  /** In words; null: the change is permanent. */
  readonly duration: string | null;
  /** Slack users. */
  readonly approvedBy: readonly string[];
  /** Too few approvers answered: an operator used the emergency override. */
  readonly isOverride: boolean;
  /** The card service accepted it, and nothing has shown it since. */
  readonly isUnconfirmed: boolean;
  readonly reason: string;
}

/**
 * A change is recorded before it is confirmed, so we must also read earlier entries to know who asked for it, and whether it
 * was made before the period. Nothing is awaited for longer than an order.
 */
const EARLIER_MS = ORDER_KEPT_SECONDS * 1000;

/**
 * The changes approved in a period, oldest first, each once, at the time it was made. Excludes what Cardbell does
 * automatically, such as ending a temporary change.
 */
export async function approvedChanges(reader: AuditReader, fromMs: number, toMs: number): Promise<DigestApproval[]> {
  const all = await readRecordsSince(reader, fromMs - EARLIER_MS);
  return [...groupBy(all, ({ actionId }) => actionId).values()].flatMap((records) => {
    const [change] = records.filter(isMade).flatMap((made) => changeIn(made, records));
    if (change === undefined || Date.parse(change.at) < fromMs || Date.parse(change.at) >= toMs) return [];
    const addsNothing = change.cents !== null && records.some(wasInForce) && !records.some(changesCard);
    return [addsNothing ? { ...change, cents: 0 } : change];
  });
}

/** Sent to the card service, or put back. */
function changesCard(record: AuditRecord): boolean {
  return record.event === 'sent' || (record.event === 'ended' && isMade(record) && !isKept(record));
}

/** A raise that was made again while it was in force, or kept: the card can spend no more than before. */
const wasInForce = (record: AuditRecord): boolean =>
  isKept(record) || (record.event === 'done' && record.api === API_NOT_ASKED);

const isKept = ({ event, detail }: AuditRecord): boolean =>
  event === 'ended' && detail?.startsWith(endDetails.kept) === true;

/** Nobody takes back a temporary change that ends on schedule. */
function isMade({ event, actor }: AuditRecord): boolean {
  return event === 'done' || event === 'confirmed' || (event === 'ended' && actor !== null);
}

function changeIn(made: AuditRecord, records: readonly AuditRecord[]): DigestApproval[] {
  // A change that is made late is found by Cardbell: an earlier record says who asked for it.
  const asked = made.actor === null ? records.find(({ actor }) => actor !== null) : made;
  if (asked === undefined) return [];
  const { at, verb, holder = null, last4 = null, merchant = null, before } = made;
  const isOrder = verb === 'order-virtual';
  // The settings of a channel have amounts, too, such as those of a filter.
  if (made.acctId === null && !isOrder) return [];
  const became = (outcome: RegExp): boolean => isOrder && records.some(({ detail }) => outcome.test(detail ?? ''));
  if (became(notCreated)) return [];
  const recorded = <Key extends 'after' | 'duration' | 'approvers'>(key: Key) =>
    records.find((one) => one[key] != null)?.[key];
  // The webhook that confirms an order does not say what was ordered.
  const ordered = (isOrder ? recorded('after') : made.after) ?? null;
  const after = became(notFunded) ? (ordered?.replace(/funded with \$[\d,]+\.\d\d/, fundedWords(0)) ?? null) : ordered;
  const raise = isOrder
    ? ({ kind: 'order', cents: amountIn(after ?? '') } as const)
    : raiseIn(before ?? '', after ?? '');
  if (after === null || raise === null) return [];
  const duration = recorded('duration') ?? null;
  const isOverride = records.some((one) => one.verb === 'emergency-override');
  const happened = (wanted: AuditRecord['event']): boolean => records.some(({ event }) => event === wanted);
  return [
    {
      at,
      holder,
      last4,
      merchant,
      before,
      after,
      reason: asked.reason,
      ...raise,
      duration: isOrder || duration === termWords(permanent) ? null : duration,
      // An override acts for the approvers: those who had approved the request did not approve what it made of it.
      approvedBy: (isOverride ? null : recorded('approvers')) ?? [asked.actor?.userId ?? ''],
      isOverride,
      isUnconfirmed: happened('unconfirmed') && !happened('confirmed'),
    },
  ];
}

/** What `recordedOutcome` says of an order that the card service accepted, and then did not carry out, or only in part. */
const notCreated = /^not_created(?=:|$)/;
const notFunded = /^partial: (?:.*, )?funding(?=,|$)/i;

/**
 * How much the rules were raised, from their recorded form: `daily limit $150.00; …`. Null when none allows more than
 * before.
 */
function raiseIn(before: string, after: string): Pick<DigestApproval, 'kind' | 'cents'> | null {
  const [from, to] = [before.split(BETWEEN_RULES), after.split(BETWEEN_RULES)];
  const raises = to.flatMap((now, index): Pick<DigestApproval, 'kind' | 'cents'>[] => {
    const was = from[index] ?? '';
    const [fromCents, toCents] = [amountIn(was), amountIn(now)];
    if (fromCents !== null && toCents !== null)
      return toCents > fromCents ? [{ kind: 'raise', cents: toCents - fromCents }] : [];
    if (fromCents !== null && removedLimit.test(now)) return [{ kind: 'raise', cents: null }];
    const isLifted = was.endsWith(' not allowed') && !now.endsWith(' not allowed');
    return isLifted ? [{ kind: 'lifted', cents: null }] : [];
  });
  if (raises.length === 0) return null;
  const kind = raises.some((one) => one.kind === 'raise') ? 'raise' : 'lifted';
  const cents = raises.map((one) => one.cents);
  return { kind, cents: cents.includes(null) ? null : Math.max(...cents.map((one) => one ?? 0)) };
}

/** `no daily limit`, `no monthly limit for Restaurants` */
const removedLimit = /^no .*limit(?= |$)/;

/** The last amount in our own text, whole cents. */
function amountIn(words: string): number | null {
  return parseAmount(/\$[\d,]+\.\d\d(?!.*\$)/.exec(words)?.[0] ?? '');
}
