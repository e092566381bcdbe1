import { raiseCents } from '../alert/limit-change.ts';
import { type RuleValue, targetOf, wantedOf } from '../alert/rule-change.ts';
import { type Action, alertIdOf } from '../authority/action.ts';
import { COUNTED_MS, judge } from '../authority/policy.ts';
import { endOfTerm, type Wish } from '../authority/wish.ts';
import type { LimitRequest } from '../store/requests.ts';
import type { PerformDeps } from './deps.ts';

/** True when the person is linked to the account as the holder of its card. */
export async function isHolder(userId: string, acctId: number, { links }: PerformDeps): Promise<boolean> {
  return (await links.ofAccount(acctId))?.userId === userId;
}

/**
 * How much more a card may spend by a change: what the rule of two looks at.
 *
 * For a limit it is new minus old. A rule that is opened (a category, purchases abroad or online) has no amount of its
 * own: for a day at most it counts as the purchase that it is opened for; for longer, or for no purchase, nothing says
 * how much. What one person's yes added to the same rule of the card within 24 hours counts with it: small raises must
 * not sum up to one that takes two.
 *
 * @returns whole cents; Infinity where no amount says how much.
 */
export async function raisedCents(
  action: Action,
  wish: Wish,
  acctId: number,
  before: RuleValue,
  deps: PerformDeps,
): Promise<number> {
  const own = await ownCents(action, wish, before, deps);
  return own + (await deps.raises.sum(acctId, targetOf(wish.change), deps.now().getTime(), action.id));
}

/** Remembers what one person's yes is about to add. */
export async function countRaise(
  action: Action,
  wish: Wish,
  acctId: number,
  before: RuleValue,
  deps: PerformDeps,
): Promise<void> {
  const cents = await ownCents(action, wish, before, deps);
  const target = targetOf(wish.change);
  await deps.raises.add(acctId, { actionId: action.id, target, cents, atMs: deps.now().getTime() });
}

async function ownCents(action: Action, wish: Wish, before: RuleValue, deps: PerformDeps): Promise<number> {
  const after = wantedOf(wish.change);
  if (wish.change.kind === 'limit') {
    return raiseCents(typeof before === 'number' ? before : null, typeof after === 'number' ? after : null);
  }
  const now = deps.now();
  const end = endOfTerm(wish.term, now, deps.serviceDays);
  if (end === null || end.getTime() > now.getTime() + COUNTED_MS) return Number.POSITIVE_INFINITY;
  const purchase = await purchaseOf(action, deps);
  return purchase?.amountCents ?? Number.POSITIVE_INFINITY;
}

/** The declined purchase that an action is about; null when it is about none. */
export async function purchaseOf(action: Action, { alerts }: PerformDeps) {
  const alertId = alertIdOf(action);
  const alert = alertId === null ? undefined : (await alerts.get(alertId))?.alert;
  return alert !== undefined && 'remedy' in alert ? alert.event : null;
}

/** How many approvers besides who asked a request takes, as it is worded now. */
export async function needsOthers({ action, wish, acctId, before }: LimitRequest, deps: PerformDeps): Promise<1 | 2> {
  const amountCents = await raisedCents(action, wish, acctId, before, deps);
  const isOwnCard = await isHolder(action.actor.userId, acctId, deps);
  const verdict = judge({ deed: 'ask', roles: action.roles, isOwnCard: true, amountCents }, deps);
  return isOwnCard && verdict.kind === 'request' ? verdict.others : 1;
}
