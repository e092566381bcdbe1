import type { Refusal } from '../../templates/policy/refusal.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import { formatCents } from '../core/money.ts';
import { type RecentRaises, sumsIn } from '../limits/recent-raise-store.ts';
import { type ApprovalPolicy, aloneCents, exceededCap } from '../policy/approval-policy.ts';
import type { VirtualOrder } from './order.ts';
import type { OrderVirtualAction } from './verbs.ts';

/** Asks the policy, and counts the order when it may be made. Answers with why it may not; null when it may. */
export interface OrderPermit {
  permit(action: OrderVirtualAction, order: VirtualOrder): Promise<Pick<Refusal, 'why' | 'whoCan'> | null>;
  /** Nothing was ordered: it counts no more. */
  cancel(action: OrderVirtualAction, order: VirtualOrder): Promise<void>;
}

interface Deps extends Pick<ActionTools, 'authorize' | 'withLock' | 'now'> {
  readonly recentRaises: Pick<RecentRaises, 'add' | 'cancel' | 'list'>;
  readonly policyFor: (group: string | null) => ApprovalPolicy;
}

/** Orders have a name of their own among the raises: they change no rule of a card. */
const ORDER = 'order';

/** Several orders must not sum up to what one person may not order at once. */
export function createOrderPermit({ recentRaises, policyFor, authorize, withLock, now }: Deps): OrderPermit {
  return {
    async permit(action, order) {
      // Two orders at once must not both pass for the first.
      return await withLock('recent-raises', async () => {
        const { userId } = action.actor;
        const nowMs = now().getTime();
        const sums = async (scope: { readonly userId: string } | 'program', only?: string) => {
          const raises = await recentRaises.list(scope, nowMs);
          return sumsIn(only === undefined ? raises : raises.filter(({ rule }) => rule === only), action.id, nowMs);
        };
        const { fundCents } = order;
        const policy = policyFor(null);
        const ordered = (await sums({ userId }, ORDER)).dayCents;
        const card = { dayCents: 0, monthCents: 0 };
        const loosened = { person: await sums({ userId }), card, program: await sums('program') };
        const cap = exceededCap(policy, loosened, fundCents);
        const raiseCents = fundCents === 0 ? 0 : ordered + fundCents;
        const amount = { raiseCents, isOverCap: cap !== null, bands: policy.orderBands };
        const verdict = await authorize(action, amount);
        if (verdict.kind === 'refused') return { why: verdict.why, whoCan: 'Ask an approver.' };
        if (verdict.kind === 'late') return { why: 'It waited longer than 10 minutes.', whoCan: 'Order it again.' };
        if (verdict.kind === 'allowed') {
          if (fundCents > 0) await recentRaises.add({ ...raiseOf(action, order), atMs: nowMs });
          return null;
        }
        const most = formatCents(aloneCents({ bands: policy.orderBands }));
        const before = ordered === 0 ? '' : ` You have ordered ${formatCents(ordered)}.`;
        const byAmount = `One approver can put at most ${most} on new virtual cards within 24 hours.${before}`;
        return {
          why: cap === null ? byAmount : 'This goes over a cap of the policy.',
          whoCan: 'Ask another approver.',
        };
      });
    },
    async cancel(action, order) {
      if (order.fundCents > 0) await recentRaises.cancel(raiseOf(action, order));
    },
  };
}

function raiseOf({ id, actor: { userId } }: OrderVirtualAction, { fundCents }: VirtualOrder) {
  return { actionId: id, acctId: null, rule: ORDER, cents: fundCents, by: userId, askedBy: userId };
}
