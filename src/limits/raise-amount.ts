import type { Action } from '../actions/action.ts';
import { isSameRule, type Rule, ruleKey } from '../card-api/rule.ts';
import { centsOf, isLooser, type RuleChange, raiseCents, type Term } from '../card-api/rule-change.ts';
import type { TransactionEvent } from '../core/event.ts';
import { type CountedRaise, countedCents, type EarlierRaise } from '../policy/counted-raise.ts';
import { COUNTED_MS } from '../policy/decide.ts';
import { endOfTerm, type ServiceDays } from './change-request.ts';
import type { RecentRaises } from './recent-raise-store.ts';
import type { TemporaryChanges } from './temporary-change-store.ts';

/** How a change raises what the card may spend. */
export interface Raise {
  /** From the rules as they are. */
  readonly changes: readonly RuleChange[];
  /** The same changes from what the rules would be again if nothing were changed: under a temporary change these differ. */
  readonly fromBase: readonly RuleChange[];
  readonly term: Term;
}

/** Who allowed a raise alone, and who asked for it. */
export interface RaisedBy {
  readonly by: string;
  readonly askedBy: string;
}

/** What the rule of two looks at. */
export interface RaiseAmounts {
  /**
   * How much more a card may spend by a change.
   *
   * For a limit it is new minus old. A rule that is opened (a category, purchases abroad or online) has no amount of its
   * own: for a day at most it counts as the purchase that it is opened for; for longer, or for no purchase, nothing says
   * how much. What the same people added to the same rule of the card within 24 hours counts with it: small raises must
   * not sum up to one that takes two. To keep what was temporary is to raise it from what it would go back to.
   *
   * Of several limits the one that rises most decides, each with what was added to it: the same as if they were raised
   * one by one, so neither joining nor splitting them is a way round.
   *
   * @param people who asks for it, and who approves it, as far as somebody has.
   */
  count(action: Action, acctId: number, raise: Raise, people: readonly string[]): Promise<CountedRaise>;
  /** Remembers what one person's approval is about to add. */
  remember(action: Action, acctId: number, raise: Pick<Raise, 'changes' | 'term'>, by: RaisedBy): Promise<void>;
  /** The changes from what each rule goes back to by itself, if the change outlasts that; else from what it is now. */
  changesFromBase(changes: readonly RuleChange[], term: Term, acctId: number): Promise<RuleChange[]>;
}

interface Deps {
  readonly recentRaises: Pick<RecentRaises, 'add' | 'list'>;
  readonly temporaryChanges: Pick<TemporaryChanges, 'all'>;
  /** The declined purchase that an action is about; null when it is about none. */
  readonly purchaseOf: (action: Action) => Promise<Pick<TransactionEvent, 'amountCents'> | null>;
  readonly serviceDays: ServiceDays;
  /** What one person may allow alone, whole cents. */
  readonly twoPersonAboveCents: number;
  readonly now: () => Date;
}

export function createRaiseAmounts(deps: Deps): RaiseAmounts {
  return {
    async count(action, acctId, { changes, fromBase, term }, people) {
      const aboveCents = deps.twoPersonAboveCents;
      const each = changes.map(async (change, index): Promise<CountedRaise[]> => {
        const { rule } = change;
        const now = isLooser([change]) ? await ownCents(action, term, change) : 0;
        const base = await ownCents(action, term, fromBase[index] ?? change);
        const earlier = await earlierRaises(action, acctId, rule, people);
        return [
          { rule, ownCents: now, earlier, aboveCents },
          { rule, ownCents: base, earlier: [], aboveCents },
        ];
      });
      const all = (await Promise.all(each)).flat();
      return all.reduce((most, raise) => (countedCents(raise) > countedCents(most) ? raise : most));
    },
    async remember(action, acctId, { changes, term }, by) {
      const atMs = deps.now().getTime();
      for (const change of changes.filter((candidate) => isLooser([candidate]))) {
        const cents = await ownCents(action, term, change);
        const raise = { actionId: action.id, rule: ruleKey(change.rule), ...by, atMs };
        if (cents !== null && cents > 0) await deps.recentRaises.add(acctId, { ...raise, cents });
      }
    },
    async changesFromBase(changes, term, acctId) {
      const end = endOfTerm(term, deps.now(), deps.serviceDays)?.getTime() ?? Number.POSITIVE_INFINITY;
      const ending = (await deps.temporaryChanges.all())
        .filter((open) => open.acctId === acctId && open.state === 'open' && Date.parse(open.endsAt) < end)
        .toSorted((a, b) => a.openedAt.localeCompare(b.openedAt))
        .flatMap((open) => open.changes);
      return changes.map((change) => {
        const base = ending.find(({ rule }) => isSameRule(rule, change.rule));
        return base === undefined ? change : { ...change, from: base.from };
      });
    },
  };

  /** What single people allowed lately for the same rule, where one of these asked for it or allowed it. */
  async function earlierRaises(
    action: Action,
    acctId: number,
    rule: Rule,
    people: readonly string[],
  ): Promise<EarlierRaise[]> {
    const raises = await deps.recentRaises.list(acctId, ruleKey(rule), deps.now().getTime());
    return raises
      .filter(({ actionId, by, askedBy }) => actionId !== action.id && [by, askedBy].some((id) => people.includes(id)))
      .map(({ by, atMs, cents }) => ({ by, at: new Date(atMs).toISOString(), cents }));
  }

  /** Whole cents; null where no amount says how much. */
  async function ownCents(action: Action, term: Term, { rule, from, to }: RuleChange): Promise<number | null> {
    if (rule.kind === 'limit') {
      const cents = raiseCents(centsOf(from), centsOf(to));
      return Number.isFinite(cents) ? cents : null;
    }
    const now = deps.now();
    const end = endOfTerm(term, now, deps.serviceDays);
    if (end === null || end.getTime() > now.getTime() + COUNTED_MS) return null;
    return (await deps.purchaseOf(action))?.amountCents ?? null;
  }
}
