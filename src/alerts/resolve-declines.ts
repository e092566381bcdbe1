import { currentState } from '../../templates/actions/outcomes.ts';
import { declinePaid } from '../../templates/alerts/decline-paid.ts';
import type { Outcome } from '../actions/action-state.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import { mayDifferBy, type StoredEvent, type TransactionEvent } from '../core/event.ts';
import { formatCents } from '../core/money.ts';
import { AGGREGATION_GAP_MS, merchantKey } from './aggregation-group-store.ts';
import type { TransactionAlert } from './alert.ts';
import { type Alerts, alertsOfKind } from './alert-store.ts';
import type { CardHistory } from './card-history.ts';
import { FOLLOWS_WITHIN_MS, isMasked } from './purchase-timeline.ts';
import { repeatPaid } from './repeat-paid.ts';

/** A later purchase is not a retry. */
const WITHIN_MS = 24 * 3_600_000;

interface Deps extends Pick<ActionTools, 'withLock' | 'updateAlert' | 'notifyDirectly' | 'cardChanged'> {
  readonly history: Pick<CardHistory, 'alertsBetween'>;
  readonly alerts: Pick<Alerts, 'get' | 'setOutcome'>;
  /** Who approved a change that was requested from an alert. */
  readonly approversOf: (acctId: number, alertId: string) => Promise<readonly string[]>;
}

/**
 * A successful purchase resolves the earlier declines of it: their alerts show it, and everyone who approved a change for
 * it is notified. A decline may arrive after its purchase: a webhook was retried, or the decline was fetched. A payment lists
 * its alert before it looks for declines. A decline learns while it is listed whether payments follow it, and only then looks for
 * them (`createReceiveEvent`). So at least one of them finds the other.
 *
 * One payment pays for one purchase, and what was shown stays: a payment that is already shown on a decline resolves no
 * other purchase. A payment that was reversed in full pays for nothing, whichever arrives first. Idempotent.
 */
export function createResolveDeclines(deps: Deps) {
  const { alerts, withLock, updateAlert } = deps;
  const { paymentsIn, declinesIn, listedFrom } = createListed(deps);
  const show = createShowPayment(deps);
  const showOnLeaders = createShowOnLeaders(deps);

  return async function resolveDeclines(event: StoredEvent): Promise<void> {
    if (event.kind === 'reversal') return await reopen(event);
    if (event.kind !== 'decline' && !isPayment(event)) return;
    const at = Date.parse(event.occurredAt);
    const fits = isPayment(event)
      ? (await declinesIn(event, at - WITHIN_MS, at)).some((alert) => isRetryOf(event, alert))
      : (await paymentsIn(event, at, at + WITHIN_MS)).some((payment) => isWithin(payment, event));
    // The raised limit may not be on the alert yet: the retry can be faster than the card service's answer.
    if (fits) await withLock(`account:${event.acctId}`, () => resolve(event));
  };

  /** Earlier payments come first, because a decline belongs to the first one that fits. */
  async function resolve(event: TransactionEvent): Promise<void> {
    const at = Date.parse(event.occurredAt);
    for (const payment of await paymentsIn(event, at - WITHIN_MS, isPayment(event) ? at : at + WITHIN_MS)) {
      const paidMs = Date.parse(payment.occurredAt);
      const attempts = attemptsPaidBy(payment, await declinesIn(event, paidMs - WITHIN_MS, paidMs));
      for (const alert of attempts) {
        const isNew = !alert.outcomes.some(isPaid);
        if (isNew || payment.id === event.id || alert.event.id === event.id) await show(payment, alert, attempts);
      }
    }
  }

  /** The payment went back, so what it paid for is not paid, unless by another payment. */
  async function reopen(reversal: TransactionEvent): Promise<void> {
    const at = Date.parse(reversal.occurredAt);
    const back = { verb: 'paid', by: null, at: reversal.occurredAt, state: 'failed', text: '' } as const;
    // A run that failed may have reopened it.
    const isBack = ({ verb, state, at: since }: Outcome): boolean =>
      verb === back.verb && state === back.state && since === back.at;
    const all = await listedFrom(reversal, at - FOLLOWS_WITHIN_MS);
    for (const payment of all.filter((one) => isPayment(one) && isOfOne(one, reversal) && isReversed(one, all))) {
      await withLock(`account:${payment.acctId}`, async () => {
        const paidMs = Date.parse(payment.occurredAt);
        const declines = await declinesIn(payment, paidMs - WITHIN_MS, paidMs);
        const attempts = declines.filter((alert) => isPaidBy(payment, alert) || alert.outcomes.some(isBack));
        for (const alert of attempts) {
          await alerts.setOutcome(alert.event.id, `paid-${payment.id}`, back);
          await resolve(alert.event);
          await updateAlert(alert.event.id);
          await showOnLeaders(payment, { alert, attempts, paid: back });
          await deps.cardChanged(payment.acctId);
        }
      });
    }
  }
}

/** Shows on a decline that it was paid, and notifies who approved a change for it. */
function createShowPayment(deps: Deps) {
  const { alerts, updateAlert, notifyDirectly } = deps;
  const showOnLeaders = createShowOnLeaders(deps);

  return async function show(
    event: TransactionEvent,
    alert: TransactionAlert,
    attempts: readonly TransactionAlert[],
  ): Promise<void> {
    const amount = amountPaid(event, alert.event);
    const paid = { verb: 'paid', by: null, at: event.occurredAt, state: 'done', ...amount } as const;
    await alerts.setOutcome(alert.event.id, `paid-${event.id}`, paid);
    await updateAlert(alert.event.id);
    await showOnLeaders(event, { alert, attempts, paid });
    // What somebody asked for only to pay this is no longer needed.
    await deps.cardChanged(event.acctId);
    if (currentState(alert.outcomes).isFraud) return;
    const outcomes = [...alert.outcomes.filter(({ verb }) => verb !== 'paid'), paid];
    // For a change with two approvals, the alert names only the person who made it.
    const approvers = new Set([
      ...alert.outcomes.flatMap((outcome) => (isApproval(outcome) ? [outcome.by] : [])),
      ...(await deps.approversOf(event.acctId, alert.event.id)),
    ]);
    for (const userId of approvers) {
      await notifyDirectly(userId, `paid-${alert.event.id}`, declinePaid({ ...alert, outcomes }, event));
    }
  };
}

/** Shows a payment on the alerts of other purchases whose messages count its decline: those of a blocked card. */
function createShowOnLeaders({ alerts, updateAlert }: Pick<Deps, 'alerts' | 'updateAlert'>) {
  return async function showOnLeaders(
    payment: TransactionEvent,
    { alert, attempts, paid }: { alert: TransactionAlert; attempts: readonly TransactionAlert[]; paid: Outcome },
  ): Promise<void> {
    const own = new Set(attempts.map(({ event }) => event.id));
    const leaders = new Set(Object.values(alert.leaders ?? {}));
    for (const leader of [...leaders].filter((id) => !own.has(id))) {
      await alerts.setOutcome(leader, `repeat-paid-${payment.id}`, repeatPaid(paid, alert.event));
      await updateAlert(leader);
    }
  };
}

/** A check of the card, for nothing, pays for nothing. */
function isPayment(event: StoredEvent): event is TransactionEvent {
  return (event.kind === 'authorization' || event.kind === 'pin') && event.amountCents > 0;
}

/** What an account's history lists about its purchases. */
function createListed({ history, alerts }: Pick<Deps, 'history' | 'alerts'>) {
  return { paymentsIn, declinesIn, listedFrom };

  /** Of the event's account and merchant, oldest first, without those that were reversed. */
  async function paymentsIn(event: TransactionEvent, fromMs: number, toMs: number): Promise<TransactionEvent[]> {
    const all = await listedFrom(event, fromMs);
    const fits = (one: TransactionEvent): boolean =>
      isPayment(one) && Date.parse(one.occurredAt) <= toMs && merchantKey(one) === merchantKey(event);
    return all.filter((one) => fits(one) && !isReversed(one, all)).toSorted(byTime);
  }

  /** The account's payments and reversals since then, with the event itself: if many followed, it is not among the latest. */
  async function listedFrom(event: TransactionEvent, fromMs: number): Promise<TransactionEvent[]> {
    const ids = await history.alertsBetween(event.acctId, 'payments', fromMs, Number.MAX_SAFE_INTEGER);
    const all = (await alertsOfKind('transaction', ids, alerts)).map((alert) => alert.event);
    return [...all.filter(({ id }) => id !== event.id), ...(event.kind === 'decline' ? [] : [event])];
  }

  /** Of the event's account, oldest first. */
  async function declinesIn(event: TransactionEvent, fromMs: number, toMs: number): Promise<TransactionAlert[]> {
    const ids = await history.alertsBetween(event.acctId, 'declines', fromMs, toMs);
    const own = event.kind === 'decline' && Date.parse(event.occurredAt) <= toMs ? [event.id] : [];
    const all = await alertsOfKind('transaction', [...new Set([...ids, ...own])], alerts);
    return all.toSorted((a, b) => byTime(a.event, b.event));
  }
}

export const isPaid = ({ verb, state }: Outcome): boolean => verb === 'paid' && state === 'done';

/** The steps of one purchase share the network's id. */
function isOfOne(a: TransactionEvent, b: TransactionEvent): boolean {
  const { networkTransactionId: id } = a;
  return id === b.networkTransactionId && (!isMasked(id) || merchantKey(a) === merchantKey(b));
}

/**
 * A merchant may reverse a part, when the final amount is smaller. A reversal does not say which of several authorizations of
 * one purchase it is about, so only all of them can be reversed.
 */
export function isReversed(payment: TransactionEvent, all: readonly TransactionEvent[]): boolean {
  const steps = all.filter((one) => isOfOne(one, payment));
  const reversed = steps.filter(({ kind }) => kind === 'reversal');
  return reversed.length > 0 && sumOf(reversed) >= sumOf(steps.filter(isPayment));
}

function sumOf(events: readonly TransactionEvent[]): number {
  return events.reduce((sum, { amountCents }) => sum + amountCents, 0);
}

/** A partial approval pays less than the merchant asked for. */
function askedCents({ amountCents, requestedCents }: TransactionEvent): number {
  return Math.max(amountCents, requestedCents ?? 0);
}

/** What was paid, if it is not what was declined. */
function amountPaid(payment: TransactionEvent, declined: TransactionEvent): Pick<Outcome, 'text' | 'isPart'> {
  const { amountCents } = payment;
  if (amountCents === declined.amountCents) return { text: '' };
  const asked = askedCents(payment);
  const paid = formatCents(amountCents);
  return asked > amountCents ? { text: `${paid} of ${formatCents(asked)}`, isPart: true } : { text: paid };
}

const byTime = (a: TransactionEvent, b: TransactionEvent): number => a.occurredAt.localeCompare(b.occurredAt);

/**
 * The attempts of the purchase that a payment pays for. The amount decides; of purchases of the same amount, the latest
 * one. If no amount is the same, a tip or a cheaper choice may explain it, but only if a single purchase was declined.
 */
function attemptsPaidBy(payment: TransactionEvent, declines: readonly TransactionAlert[]): TransactionAlert[] {
  const isAlone = purchasesOf(declines.filter(({ event }) => isWithin(payment, event))).length === 1;
  const purchases = purchasesOf(declines.filter((alert) => isRetryOf(payment, alert)));
  const shown = purchases.find((attempts) => attempts.some((alert) => isPaidBy(payment, alert)));
  const same = purchases.filter(([first]) => first?.event.amountCents === askedCents(payment));
  return shown ?? same.at(-1) ?? (isAlone ? purchases[0] : undefined) ?? [];
}

/** Attempts at the same amount that follow each other closely are one purchase, as in the message that shows them. */
function purchasesOf(declines: readonly TransactionAlert[]): TransactionAlert[][] {
  const purchases: TransactionAlert[][] = [];
  for (const alert of declines) {
    const { amountCents, occurredAt } = alert.event;
    const last = purchases.findLast(([first]) => first?.event.amountCents === amountCents);
    const gapMs = Date.parse(occurredAt) - Date.parse(last?.at(-1)?.event.occurredAt ?? '');
    if (last !== undefined && gapMs <= AGGREGATION_GAP_MS) last.push(alert);
    else purchases.push([alert]);
  }
  // By their latest attempt.
  return purchases.toSorted((a, b) => lastAt(a).localeCompare(lastAt(b)));
}

const lastAt = (attempts: readonly TransactionAlert[]): string => attempts.at(-1)?.event.occurredAt ?? '';

/** True when the purchase may be a retry of the decline, and no other one is shown as its retry. */
function isRetryOf(payment: TransactionEvent, alert: TransactionAlert): boolean {
  return isWithin(payment, alert.event) && (!alert.outcomes.some(isPaid) || isPaidBy(payment, alert));
}

function isPaidBy({ occurredAt }: TransactionEvent, { outcomes }: TransactionAlert): boolean {
  return outcomes.some((outcome) => isPaid(outcome) && outcome.at === occurredAt);
}

/** Same merchant, soon after, and about the same amount. */
function isWithin(payment: TransactionEvent, declined: TransactionEvent): boolean {
  const afterMs = Date.parse(payment.occurredAt) - Date.parse(declined.occurredAt);
  if (afterMs < 0 || afterMs > WITHIN_MS || merchantKey(payment) !== merchantKey(declined)) return false;
  return Math.abs(askedCents(payment) - declined.amountCents) <= mayDifferBy(declined.amountCents);
}

function isApproval(outcome: Outcome): outcome is Outcome & { readonly by: string } {
  const { verb, state, by, asHolder } = outcome;
  return state === 'done' && by !== null && asHolder !== true && ['limit', 'allow', 'unblock'].includes(verb);
}
