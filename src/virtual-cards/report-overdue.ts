import { overdueAnswer } from '../../templates/virtual-cards/order.ts';
import { reported } from '../actions/action-state.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import type { Lease } from '../core/lock.ts';
import type { Log } from '../core/log.ts';
import type { AwaitedOrders, AwaitingAction } from './order.ts';

interface Deps extends Pick<ActionTools, 'withLock' | 'now'> {
  readonly awaitedOrders: Pick<AwaitedOrders, 'waitingSince'>;
  /** How long a webhook may take (ms). */
  readonly virtualCardWithinMs: number;
  /** Whether the webhooks that arrived before this time (ms) were delivered. */
  readonly isDelivered: (beforeMs: number) => Promise<boolean>;
  readonly report: ReportOverdue;
  readonly log: Log;
}

/**
 * Tells each person once that the webhook of their order, or of the details that they asked for, did not come in time: they
 * would wait, or order and pay again. One that comes later is reported like any other.
 */
export function createReportOverdueOrders(deps: Deps) {
  const { virtualCardWithinMs: withinMs } = deps;
  return async function reportOverdueOrders(): Promise<void> {
    for (const { awaiting, sinceMs } of await deps.awaitedOrders.waitingSince(deps.now().getTime() - withinMs)) {
      const { actionId } = awaiting;
      try {
        // While no worker ran, it may have arrived in time.
        if (!(await deps.isDelivered(sinceMs + withinMs))) continue;
        await deps.withLock(`virtual-card:${actionId}`, (lease) => deps.report(awaiting, lease));
      } catch (error) {
        deps.log.warn({ err: error, actionId }, 'could not report an overdue order; will retry on the next run');
      }
    }
  };
}

/** Reports it, unless its webhook has arrived. Idempotent. Runs under a lock that its webhook's delivery also takes. */
type ReportOverdue = (awaiting: AwaitingAction, lease: Lease) => Promise<void>;

interface ReportDeps extends Pick<ActionTools, 'progress' | 'record' | 'notifyDirectly'> {
  readonly awaitedOrders: Pick<AwaitedOrders, 'unanswered' | 'settle' | 'forget'>;
}

export function createReportOverdue({ awaitedOrders, progress, record, notifyDirectly }: ReportDeps): ReportOverdue {
  return async function reportOverdue(awaiting, lease) {
    const { awaited, actionId } = awaiting;
    const action = await awaitedOrders.unanswered(awaiting);
    if (action === null) return await awaitedOrders.settle(awaiting);
    const written = await progress.read(actionId);
    if (written?.state === 'refused') return await awaitedOrders.forget(awaited, actionId);
    const state = reported(written);
    // Its own outcome is reported first.
    if (state?.isNotified !== true) return;
    const { at, result } = state;
    // Whoever was told that nothing was sent waits for nothing.
    if (result.state !== 'done' && result.state !== 'unknown') return await awaitedOrders.forget(awaited, actionId);
    const { after } = result;
    const card = awaited.kind === 'resend' ? { ...result.card, acctId: awaited.acctId } : result.card;
    await lease.confirm();
    const [acctId, did] =
      awaited.kind === 'resend'
        ? [awaited.acctId, 'asked for the details of']
        : [null, 'asked to order a virtual card for'];
    const line = { did, card, at, after, outcome: 'no result from the card service' };
    const detail = 'no webhook arrived';
    await record(action, { event: 'unconfirmed', acctId, cardId: card.cardId, after, detail, line });
    const message = overdueAnswer({ awaited, card, summary: after ?? '', at, ref: actionId.slice(-8) });
    await notifyDirectly(action.actor.userId, `virtual-${actionId}-overdue`, message);
    await awaitedOrders.settle(awaiting);
  };
}
