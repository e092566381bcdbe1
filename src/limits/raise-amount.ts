import { type Action, alertIdOf } from '../actions/action.ts';
import { isSameRule, ruleKey } from '../card-api/rule.ts';
import type { Term } from '../card-api/rule-change.ts';
import { centsOf, isLooser, type RuleChange, raiseCents } from '../card-api/rule-change.ts';
import { COUNTED_MS } from '../policy/decide.ts';
import { endOfTerm } from './change-request.ts';
import type { LimitDeps } from './deps.ts';

/**
 * True when the card counts as the own one of who decides: linked now, or until a day ago, or when it was asked for.
 *
 * @param holder who held it when it was asked for; null: nobody, or nothing was asked.
 */
export async function isOwnCardOf(
  userId: string,
  acctId: number,
  { links }: Pick<LimitDeps, 'links'>,
  holder: string | null = null,
): Promise<boolean> {
  return holder === userId || (await links.wasHolderLately(userId, acctId));
}

/** How a change raises what the card may spend. */
export interface Raise {
  /** From the rules as they are. */
  readonly changes: readonly RuleChange[];
  /** The same changes from what the rules would be again if nothing were changed: under a temporary change these differ. */
  readonly fromBase: readonly RuleChange[];
  readonly term: Term;
}

/**
 * How much more a card may spend by a change: what the rule of two looks at.
 *
 * For a limit it is new minus old. A rule that is opened (a category, purchases abroad or online) has no amount of its
 * own: for a day at most it counts as the purchase that it is opened for; for longer, or for no purchase, nothing says
 * how much. What one approval added to the same rule of the card within 24 hours counts with it: small raises must
 * not sum up to one that takes two. To keep what was temporary is to raise it from what it would go back to.
 *
 * Of several limits the one that rises most decides, each with what was added to it: the same as if they were raised one
 * by one, so neither joining nor splitting them is a way round.
 *
 * @returns whole cents; Infinity where no amount says how much.
 */
export async function raisedCents(
  action: Action,
  acctId: number,
  { changes, fromBase, term }: Raise,
  deps: LimitDeps,
): Promise<number> {
  const each = changes.map(async (change, index) => {
    const added = await deps.recentRaises.sum(acctId, ruleKey(change.rule), deps.now().getTime(), action.id);
    const own = isLooser([change]) ? await ownCents(action, term, change, deps) : 0;
    return Math.max(own + added, await ownCents(action, term, fromBase[index] ?? change, deps));
  });
  return Math.max(...(await Promise.all(each)));
}

/** The changes from what each rule goes back to by itself, if the change outlasts that; else from what it is now. */
export async function changesFromBase(
  changes: readonly RuleChange[],
  term: Term,
  acctId: number,
  deps: LimitDeps,
): Promise<RuleChange[]> {
  const end = endOfTerm(term, deps.now(), deps.serviceDays)?.getTime() ?? Number.POSITIVE_INFINITY;
  const ending = (await deps.temporaryChanges.all())
    .filter((open) => open.acctId === acctId && open.state === 'open' && Date.parse(open.endsAt) < end)
    .toSorted((a, b) => a.openedAt.localeCompare(b.openedAt))
    .flatMap((open) => open.changes);
  return changes.map((change) => {
    const base = ending.find(({ rule }) => isSameRule(rule, change.rule));
    return base === undefined ? change : { ...change, from: base.from };
  });
}

/** Remembers what one person's approval is about to add. */
export async function countRaise(
  action: Action,
  acctId: number,
  { changes, term }: Pick<Raise, 'changes' | 'term'>,
  deps: LimitDeps,
): Promise<void> {
  for (const change of changes.filter((one) => isLooser([one]))) {
    const cents = await ownCents(action, term, change, deps);
    const target = ruleKey(change.rule);
    await deps.recentRaises.add(acctId, { actionId: action.id, target, cents, atMs: deps.now().getTime() });
  }
}

async function ownCents(action: Action, term: Term, { rule, from, to }: RuleChange, deps: LimitDeps): Promise<number> {
  if (rule.kind === 'limit') return raiseCents(centsOf(from), centsOf(to));
  const now = deps.now();
  const end = endOfTerm(term, now, deps.serviceDays);
  if (end === null || end.getTime() > now.getTime() + COUNTED_MS) return Number.POSITIVE_INFINITY;
  const purchase = await purchaseOf(action, deps);
  return purchase?.amountCents ?? Number.POSITIVE_INFINITY;
}

/** The declined purchase that an action is about; null when it is about none. */
export async function purchaseOf(action: Action, { alerts }: Pick<LimitDeps, 'alerts'>) {
  const alertId = alertIdOf(action);
  const alert = alertId === null ? null : await alerts.get(alertId);
  return alert?.kind === 'transaction' ? alert.event : null;
}
