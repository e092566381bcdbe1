import { Action, alertIdOf } from '../actions/action.ts';
import type { ActionDeps } from '../actions/deps.ts';
import type { LimitRequest } from '../approvals/request-store.ts';
import { COUNTED_MS, judge } from '../policy/decide.ts';
import { type ChangeRequest, endOfTerm, type Term } from './change-request.ts';
import { raiseCents } from './limit-change.ts';
import { batch, isLooser, type RuleValue, type Single, singlesOf, targetOf, wantedOf } from './rule-change.ts';

/** True when the person is linked to the account as the holder of its card. */
export async function isHolder(userId: string, acctId: number, { links }: ActionDeps): Promise<boolean> {
  return (await links.ofAccount(acctId))?.userId === userId;
}

/**
 * True when the card counts as the own one of who decides: linked now, or until a day ago, or when it was asked for.
 *
 * @param holder who held it when it was asked for; null: nobody, or nothing was asked.
 */
export async function isOwnCardOf(
  userId: string,
  acctId: number,
  { links }: Pick<ActionDeps, 'links'>,
  holder: string | null = null,
): Promise<boolean> {
  return holder === userId || (await links.wasHolderLately(userId, acctId));
}

/**
 * How much more a card may spend by a change: what the rule of two looks at.
 *
 * For a limit it is new minus old. A rule that is opened (a category, purchases abroad or online) has no amount of its
 * own: for a day at most it counts as the purchase that it is opened for; for longer, or for no purchase, nothing says
 * how much. What one person's yes added to the same rule of the card within 24 hours counts with it: small raises must
 * not sum up to one that takes two.
 *
 * Of several limits the one that rises most decides, each with what was added to it: the same as if they were raised one
 * by one, so neither joining nor splitting them is a way round.
 *
 * @param before the rule as it is, and as it would be again if nothing were changed: under a temporary raise these
 * differ, and to keep what was temporary is to raise it from the latter.
 * @returns whole cents; Infinity where no amount says how much.
 */
export async function raisedCents(
  action: Action,
  changeRequest: ChangeRequest,
  acctId: number,
  before: { readonly current: RuleValue; readonly base: RuleValue },
  deps: ActionDeps,
): Promise<number> {
  const bases = singlesOf(changeRequest.change, before.base);
  const each = singlesOf(changeRequest.change, before.current).map(async (current, index) => {
    const added = await deps.recentRaises.sum(acctId, targetOf(current.change), deps.now().getTime(), action.id);
    const isMore = isLooser(current.value, wantedOf(current.change));
    const own = isMore ? await ownCents(action, changeRequest.term, current, deps) : 0;
    return Math.max(own + added, await ownCents(action, changeRequest.term, bases[index] ?? current, deps));
  });
  return Math.max(...(await Promise.all(each)));
}

/** What each rule goes back to by itself, if the wish outlasts that; else what it is now. */
export async function baseOf(
  changeRequest: ChangeRequest,
  acctId: number,
  current: RuleValue,
  deps: ActionDeps,
): Promise<RuleValue> {
  const end = endOfTerm(changeRequest.term, deps.now(), deps.serviceDays)?.getTime() ?? Number.POSITIVE_INFINITY;
  const ending = (await deps.temporaryChanges.all())
    .filter(
      (temporaryChange) =>
        temporaryChange.acctId === acctId &&
        temporaryChange.state === 'open' &&
        Date.parse(temporaryChange.endsAt) < end,
    )
    .toSorted((one, other) => one.openedAt.localeCompare(other.openedAt))
    .flatMap((temporaryChange) => singlesOf(temporaryChange.change, temporaryChange.before));
  const bases = singlesOf(changeRequest.change, current).map(
    (now) => ending.find(({ change }) => targetOf(change) === targetOf(now.change)) ?? now,
  );
  return batch(bases)?.value ?? current;
}

/** Remembers what one person's yes is about to add. */
export async function countRaise(
  action: Action,
  changeRequest: ChangeRequest,
  acctId: number,
  before: RuleValue,
  deps: ActionDeps,
): Promise<void> {
  for (const single of singlesOf(changeRequest.change, before)) {
    if (!isLooser(single.value, wantedOf(single.change))) continue;
    const cents = await ownCents(action, changeRequest.term, single, deps);
    const target = targetOf(single.change);
    await deps.recentRaises.add(acctId, { actionId: action.id, target, cents, atMs: deps.now().getTime() });
  }
}

/** @param single one rule, and what it was. */
async function ownCents(action: Action, term: Term, { change, value }: Single, deps: ActionDeps): Promise<number> {
  if (change.kind === 'limit') return raiseCents(typeof value === 'number' ? value : null, change.limitCents);
  const now = deps.now();
  const end = endOfTerm(term, now, deps.serviceDays);
  if (end === null || end.getTime() > now.getTime() + COUNTED_MS) return Number.POSITIVE_INFINITY;
  const purchase = await purchaseOf(action, deps);
  return purchase?.amountCents ?? Number.POSITIVE_INFINITY;
}

/** The declined purchase that an action is about; null when it is about none. */
export async function purchaseOf(action: Action, { alerts }: ActionDeps) {
  const alertId = alertIdOf(action);
  const alert = alertId === null ? undefined : (await alerts.get(alertId))?.alert;
  return alert?.kind === 'transaction' ? alert.event : null;
}

/**
 * How many approvers a request takes besides who asked for it, as it is worded now.
 *
 * @param countsAsker whether who asked is one of the approvers.
 * @param by the click that decides now: what it adds itself is not counted against it when it is done again.
 */
export async function needsOthers(
  { action, changeRequest, acctId, before }: LimitRequest,
  countsAsker: boolean,
  by: Action,
  deps: ActionDeps,
): Promise<1 | 2> {
  if (countsAsker) return 1;
  const amountCents = await raisedCents(
    Action.parse({ ...action, id: by.id }),
    changeRequest,
    acctId,
    { current: before, base: before },
    deps,
  );
  const verdict = judge({ verb: 'ask', roles: action.roles, isOwnCard: true, amountCents }, deps);
  return verdict.kind === 'request' ? verdict.others : 2;
}
