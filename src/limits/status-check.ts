import { type CardStatus, declinedStatuses, isByRule, isSaidToBeNew, type TransactionEvent } from '../core/event.ts';
import { hadBegun } from '../core/service-time.ts';
import type { Remedy } from './remedy-change.ts';

/** A card of an account as it is now. */
export interface KnownCard {
  readonly status: CardStatus | null;
  /** Since when it is blocked or closed, UTC ISO 8601. Null: not known. */
  readonly since: string | null;
}

interface Deps {
  readonly accountOf: (acctId: number) => Promise<{ readonly cards: readonly KnownCard[] }>;
  readonly hasFraudCase: (acctId: number) => Promise<boolean>;
}

/** Whether the status of its cards stops a purchase; `status`: none of them is active. */
type StatusCheck =
  | { readonly state: 'stopped'; readonly remedy: Remedy }
  | { readonly state: 'passes' }
  | { readonly state: 'unknown'; readonly why?: 'status' };

/** No card of the account can ever be used again, so no rule needs to let a purchase pass. */
export async function areAllClosed(acctId: number, { accountOf }: Pick<Deps, 'accountOf'>): Promise<boolean> {
  const { cards } = await accountOf(acctId);
  return cards.length > 0 && cards.every(({ status }) => status === 'CLOSED');
}

/**
 * The service has no separate decline reason for a blocked card: it calls it inactive. The card's known status decides.
 *
 * @param time `then`: a block explains only what was tried since.
 */
export async function byStatus(
  event: TransactionEvent,
  { accountOf, hasFraudCase }: Deps,
  time: 'then' | 'now',
): Promise<StatusCheck> {
  const message = event.decline?.message ?? '';
  if (!declinedStatuses(message).includes('BLOCKED')) return { state: 'unknown' };
  const { cards } = await accountOf(event.acctId);
  const hadBegunThen = ({ since }: KnownCard): boolean => since === null || hadBegun(since, event);
  const hadStatus = (card: KnownCard): boolean => time === 'now' || hadBegunThen(card);
  const open = cards.filter((card) => card.status !== 'CLOSED' || !hadStatus(card));
  if (open.some(({ status }) => status === 'ACTIVE')) return { state: 'passes' };
  // Nobody pays with a replacement that is still in the mail.
  const usable = isSaidToBeNew(message) ? open : open.filter(({ status }) => status !== 'INACTIVE');
  // Unless the other card was blocked only later: then the replacement itself may have been declined for its status.
  const mayBeNew = usable.length < open.length && !isByRule(event.decline);
  const explains = mayBeNew ? hadBegunThen : hadStatus;
  const isBlocked = usable.length > 0 && usable.every((card) => card.status === 'BLOCKED' && explains(card));
  const isEachKnown = cards.length > 0 && cards.every(({ status }) => status !== null);
  if (!isBlocked) return { state: 'unknown', ...(isEachKnown && { why: 'status' }) };
  const isFraud = await hasFraudCase(event.acctId);
  return { state: 'stopped', remedy: { kind: 'unblock', ...(isFraud && { hasFraudCase: isFraud }) } };
}
