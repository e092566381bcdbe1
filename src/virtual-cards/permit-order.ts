import type { Refusal } from '../../templates/policy/refusal.ts';
import type { ActionTools, Rights } from '../actions/action-tools.ts';
import { isSameName } from '../holders/claim-card.ts';
import { isSameMailbox } from '../holders/link-store.ts';
import { type RaiseAmounts, type RaisedBy, representedIn } from '../limits/raise-amount.ts';
import { isAddedBy, loosenedBefore, type RecentRaises, sumsIn } from '../limits/recent-raise-store.ts';
import { type ApprovalPolicy, type Band, exceededCap } from '../policy/approval-policy.ts';
import { approvalsNeeded } from '../policy/decide-action.ts';
import { type OrderReason, VirtualOrder } from './order.ts';
import type { OrderVirtualAction } from './verbs.ts';

export type OrderVerdict =
  /** `isUnchecked`: Slack does not tell the email address of whoever orders it, so it may be for themselves. */
  | { readonly kind: 'allowed'; readonly isUnchecked?: true }
  /** Becomes a request that this many others have to approve. */
  | {
      readonly kind: 'request';
      readonly others: number;
      readonly isOwn: boolean;
      /** It is for someone else, and the amount needs others whatever was ordered before. */
      readonly isLarge?: true;
    }
  | ({ readonly kind: 'refused'; readonly isNotPermitted?: true } & Refusal);

/** Refuses an order that waited too long. A question whether to still make it would keep its form. */
export const lateOrder = { why: 'It waited longer than 10 minutes.', whoCan: 'Order it again.' } as const;

export type OrderPermit = ReturnType<typeof createOrderPermit>;

interface Deps extends Pick<ActionTools, 'withLock' | 'now' | 'person'> {
  readonly rights: Pick<Rights, 'authorize' | 'actsFor'>;
  readonly recentRaises: Pick<RecentRaises, 'add' | 'list'>;
  readonly raises: Pick<RaiseAmounts, 'forget'>;
  readonly policyFor: (group: string | null) => ApprovalPolicy;
  /** Opens what the web process sealed; null: it cannot be opened. */
  readonly unseal: (sealed: string) => string | null;
}

/** The rule name of orders among the raises, because they change no rule of a card. */
const ORDER = 'order';

/** Several orders must not sum up to an amount that one person may not order at once. */
export function createOrderPermit(deps: Deps) {
  const { policyFor, rights, withLock } = deps;
  const amountOf = createOrderAmount(deps);

  const read = ({ target }: OrderVirtualAction): VirtualOrder | null => {
    const text = deps.unseal(target.sealed);
    return text === null ? null : VirtualOrder.parse(JSON.parse(text));
  };
  const add = createAddOrder(deps);
  return {
    /** The order that an action makes; null: it can no longer be read. */
    read,
    /** Asks the policy. If one person may make the order, it counts from here on. */
    async permit(action: OrderVirtualAction, order: VirtualOrder): Promise<OrderVerdict> {
      const { userId } = action.actor;
      // Slack may answer slowly, or differently the next time.
      const orderer = await deps.person(userId);
      const isOwnOrder = isFor(orderer, order);
      const isOwn = async (id: string) => (id === userId ? isOwnOrder : isFor(await deps.person(id), order));
      // Two simultaneous orders must not both count as the first.
      return await withLock('recent-raises', async (): Promise<OrderVerdict> => {
        const amount = await amountOf(action, order, [userId]);
        const { orderBands: bands } = policyFor(null);
        const verdict = await rights.authorize(action, { ...amount, bands, isOwn });
        switch (verdict.kind) {
          case 'refused':
            return { kind: 'refused', why: verdict.why, whoCan: 'Ask an approver.', isNotPermitted: true };
          case 'late':
            return { kind: 'refused', ...lateOrder };
          case 'request':
            return {
              kind: 'request',
              others: verdict.others,
              isOwn: isOwnOrder,
              ...(!isOwnOrder && approvalsNeeded({ raiseCents: order.fundCents }, { bands }) > 1 && { isLarge: true }),
            };
          case 'allowed':
            await add(action, order, { by: userId });
            return { kind: 'allowed', ...((orderer?.email ?? null) === null && { isUnchecked: true }) };
        }
      });
    },
    /** How many approvals an order needs now, with these people's other orders, and why. */
    async approvals(action: OrderVirtualAction, people: readonly string[]): Promise<ReturnType<typeof needsOf>> {
      const order = read(action);
      if (order === null) return { needed: 2, why: null };
      return needsOf(order.fundCents, await amountOf(action, order, people), policyFor(null).orderBands);
    },
    /** Whether the ordered card is for this person. */
    async isOwn(userId: string, action: OrderVirtualAction): Promise<boolean> {
      const order = read(action);
      return order !== null && isFor(await deps.person(userId), order);
    },
    /**
     * Counts an order that is about to be made. Two simultaneous approvals must not both count as the first, so it is
     * checked again whether enough people have approved.
     *
     * @returns why it needs more approvals now; null when it counts.
     */
    async count(action: OrderVirtualAction, order: VirtualOrder, { by, approvers }: OrderApproved) {
      return await withLock('recent-raises', async () => {
        const amount = await amountOf(action, order, [action.actor.userId, by]);
        const people = approvers.length;
        if (approvalsNeeded(amount, { bands: policyFor(null).orderBands }) > people) return tooMuchByNow(people);
        await add(action, order, people === 1 ? { by } : { by: null, approvedBy: [...approvers] });
        return null;
      });
    },
    /** The order was certainly not made, so it no longer counts. */
    forget: deps.raises.forget,
  };
}

/**
 * Whoever orders types name and address, so either of them is enough. A namesake needs one more approver. An unknown
 * address is not taken for the same: without the scope for addresses nobody could order or approve any more.
 */
function isFor(person: Awaited<ReturnType<Deps['person']>>, { firstName, lastName, email }: VirtualOrder): boolean {
  return isSameMailbox(person?.email ?? null, email) || isSameName(person?.name ?? '', `${firstName} ${lastName}`);
}

type OrderAmount = Awaited<ReturnType<ReturnType<typeof createOrderAmount>>>;

/** @param amount with these people's other orders. @returns how many approvers it needs, and why more than one. */
function needsOf(
  fundCents: number,
  amount: OrderAmount,
  bands: readonly Band[],
): { readonly needed: number; readonly why: OrderReason | null } {
  const needed = approvalsNeeded(amount, { bands });
  const isNeededFor = (raiseCents: number): boolean => approvalsNeeded({ raiseCents }, { bands }) === needed;
  if (needed === 1) return { needed, why: null };
  if (isNeededFor(fundCents)) return { needed, why: { kind: 'amount' } };
  const { cap } = amount;
  return { needed, why: cap === null || isNeededFor(amount.raiseCents) ? { kind: 'day' } : { kind: 'cap', cap } };
}

/** Who allowed an order last, and everyone who has allowed it. */
export interface OrderApproved {
  readonly by: string;
  readonly approvers: readonly string[];
}

function tooMuchByNow(people: number): string {
  const now = people === 1 ? 'is more than one approver alone may allow' : 'needs more approvals';
  return `With what was approved a moment ago, this ${now}. I did not order it.`;
}

/** The amount including these people's earlier orders, and the cap it exceeds. */
function createOrderAmount(deps: Pick<Deps, 'recentRaises' | 'policyFor' | 'rights' | 'now'>) {
  const { recentRaises, policyFor, rights, now } = deps;
  return async function amountOf(action: OrderVirtualAction, { fundCents }: VirtualOrder, named: readonly string[]) {
    const nowMs = now().getTime();
    const people = (await Promise.all(named.map((userId) => rights.actsFor(userId, null)))).flat();
    const program = await recentRaises.list('program', nowMs);
    const orders = program.filter((raise) => raise.rule === ORDER && isAddedBy(raise, people));
    const { dayCents } = sumsIn(orders, [action.id], nowMs);
    const cap = exceededCap(policyFor(null), await loosenedBefore([action.id], null, people, deps), fundCents);
    const raiseCents = fundCents === 0 ? 0 : dayCents + fundCents;
    return { raiseCents, ownCents: fundCents, isOverCap: cap !== null, cap };
  };
}

/** Counts an order among the raises, for whoever ordered it and for each of several who approved it. */
function createAddOrder({ recentRaises, rights, now }: Pick<Deps, 'recentRaises' | 'rights' | 'now'>) {
  return async (action: OrderVirtualAction, { fundCents }: VirtualOrder, allowed: Omit<RaisedBy, 'askedBy'>) => {
    if (fundCents === 0) return;
    const raisedBy = { ...allowed, askedBy: action.actor.userId };
    const inPlaceOf = await representedIn(raisedBy, null, rights);
    const raise = { actionId: action.id, acctId: null, rule: ORDER, cents: fundCents, ...raisedBy, inPlaceOf };
    await recentRaises.add({ ...raise, atMs: now().getTime() });
  };
}
