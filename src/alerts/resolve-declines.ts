import { declinePaid } from '../../templates/alerts/decline-paid.ts';
import type { Outcome } from '../actions/action-state.ts';
import type { StoredEvent, TransactionEvent } from '../core/event.ts';
import type { WithLock } from '../core/lock.ts';
import type { Message } from '../slack/message.ts';
import { merchantKey } from './aggregation-group-store.ts';
import type { TransactionAlert } from './alert.ts';
import { type Alerts, alertsOfKind } from './alert-store.ts';
import type { CardHistory } from './card-history.ts';

/** A later purchase is not a retry. */
const WITHIN_MS = 24 * 3_600_000;
/** Tips or a cheaper choice: how much the paid amount may differ from the declined one. */
const TOLERANCE = 0.2;

interface Deps {
  readonly history: Pick<CardHistory, 'alertsBetween'>;
  readonly alerts: Pick<Alerts, 'get'>;
  readonly withLock: WithLock;
  /** Who approved a change that was requested from an alert. */
  readonly approversOf: (acctId: number, alertId: string) => Promise<readonly string[]>;
  /** Adds an outcome to an alert. */
  readonly showOutcome: (alertId: string, outcomeId: string, outcome: Outcome) => Promise<void>;
  /** Writes to a person directly. The id makes repeated calls harmless. */
  readonly notifyDirectly: (userId: string, id: string, message: Message) => Promise<void>;
}

/**
 * A successful purchase resolves the earlier declines of it: their alerts show it, and everyone who approved a change for
 * it is notified. A decline may arrive after its purchase: a webhook was retried, or the decline was fetched. Both events
 * list and save their alert before they look for the other, so at least one of them finds it. Idempotent.
 */
export function createResolveDeclines(deps: Deps) {
  const { history, alerts, withLock, showOutcome, notifyDirectly } = deps;

  return async function resolveDeclines(event: StoredEvent): Promise<void> {
    if (event.kind === 'authorization' || event.kind === 'pin') await resolveBy(event, await declinesBefore(event));
    if (event.kind !== 'decline') return;
    // Only the first one that fits is the retry.
    for (const purchase of await purchasesAfter(event)) if (await resolveBy(purchase.event, [event.id])) return;
  };

  async function declinesBefore({ acctId, occurredAt }: TransactionEvent): Promise<string[]> {
    const at = Date.parse(occurredAt);
    return await history.alertsBetween(acctId, 'declines', at - WITHIN_MS, at);
  }

  /** Oldest first. */
  async function purchasesAfter({ acctId, occurredAt }: TransactionEvent): Promise<TransactionAlert[]> {
    const at = Date.parse(occurredAt);
    return await alertsOfKind(
      'transaction',
      await history.alertsBetween(acctId, 'payments', at, at + WITHIN_MS),
      alerts,
    );
  }

  /** @returns whether it is the retry of any of these declines. */
  async function resolveBy(event: TransactionEvent, ids: readonly string[]): Promise<boolean> {
    const declines = await alertsOfKind('transaction', ids, alerts);
    if (!declines.some((alert) => isRetryOf(event, alert))) return false;
    // The raised limit may not be on the alert yet: the retry can be faster than the card service's answer.
    await withLock(`account:${event.acctId}`, () => resolve(event, ids));
    return true;
  }

  async function resolve(event: TransactionEvent, ids: readonly string[]): Promise<void> {
    for (const alert of await alertsOfKind('transaction', ids, alerts)) {
      if (!isRetryOf(event, alert)) continue;
      const paid = { verb: 'paid', by: null, at: event.occurredAt, state: 'done', text: '' } as const;
      await showOutcome(alert.event.id, `paid-${event.id}`, paid);
      const outcomes = [...alert.outcomes.filter(({ verb }) => verb !== 'paid'), paid];
      // For a change with two approvals, the alert names only the person who made it.
      const approvers = new Set([
        ...alert.outcomes.flatMap((outcome) => (isApproval(outcome) ? [outcome.by] : [])),
        ...(await deps.approversOf(event.acctId, alert.event.id)),
      ]);
      for (const userId of approvers) {
        await notifyDirectly(userId, `paid-${alert.event.id}`, declinePaid({ ...alert, outcomes }, event));
      }
    }
  }
}

/** True when the purchase is the first retry of the decline, or is already shown as its retry. */
function isRetryOf(event: TransactionEvent, { event: declined, outcomes }: TransactionAlert): boolean {
  const afterMs = Date.parse(event.occurredAt) - Date.parse(declined.occurredAt);
  if (afterMs < 0 || afterMs > WITHIN_MS || merchantKey(event) !== merchantKey(declined)) return false;
  const paid = outcomes.find(({ verb }) => verb === 'paid');
  if (paid !== undefined && paid.at !== event.occurredAt) return false;
  return Math.abs(event.amountCents - declined.amountCents) <= declined.amountCents * TOLERANCE;
}

function isApproval(outcome: Outcome): outcome is Outcome & { readonly by: string } {
  const { verb, state, by, asHolder } = outcome;
  return state === 'done' && by !== null && asHolder !== true && ['limit', 'allow', 'unblock'].includes(verb);
}
