import type { Action } from '../actions/action.ts';
import type { ActionTools, Rights } from '../actions/action-tools.ts';
import { ofRule, type Rule, type RuleValue, ruleKey } from '../card-api/rule.ts';
import { centsOf, isLooser, type RuleChange, raiseCents, type Term } from '../card-api/rule-change.ts';
import {
  type CountedRaise,
  countedCents,
  type EarlierRaise,
  exceededCap,
  thresholdCents,
  whyTooLong,
} from '../policy/approval-policy.ts';
import { RAISES_ADDED_MS } from '../policy/decide-action.ts';
import { purchaseCents } from './change-request.ts';
import { isAddedBy, loosenedBefore, type RecentRaise, type RecentRaises } from './recent-raise-store.ts';
import {
  firstEnd,
  highestBack,
  loosenedByEarlierEnd,
  loosenedSince,
  lowestBefore,
  raiseWithout,
  setBelow,
  setTemporarily,
  type TemporaryValue,
  temporaryValue,
} from './rule-future.ts';
import { isMadeBy } from './temporary-change.ts';
import type { TemporaryChange, TemporaryChanges } from './temporary-change-store.ts';
import { endOfTerm, lastsMs, permanent } from './term.ts';
import { readUnanswered } from './unanswered-raise.ts';

/** How changes raise what the card may spend. */
export interface Raise {
  readonly changes: readonly RaisedChange[];
  readonly term: Term;
}

export interface RaisedChange {
  /** Relative to the current value of its rule. */
  readonly change: RuleChange;
  /** The same change, relative to the value of its rule after open temporary changes end. */
  readonly fromBase: RuleChange;
}

/** Who asked for a raise, and who allowed it alone, or approved it with others. */
export type RaisedBy = Pick<RecentRaise, 'by' | 'askedBy' | 'approvedBy'>;

/** The amounts that decide whether two people must approve. */
export type RaiseAmounts = ReturnType<typeof createRaiseAmounts>;

interface Deps extends Pick<ActionTools, 'purchaseOf' | 'zone' | 'now'> {
  readonly progress: Pick<ActionTools['progress'], 'read'>;
  readonly rights: Pick<Rights, 'actsFor' | 'policyOfCard'>;
  readonly recentRaises: Pick<RecentRaises, 'add' | 'cancel' | 'list'>;
  readonly temporaryChanges: Pick<TemporaryChanges, 'all'>;
}

export function createRaiseAmounts(deps: Deps) {
  return { ...createCounts(deps), ...createValues(deps) };
}

function createCounts(deps: Deps) {
  return {
    /**
     * How much more a card may spend after a change.
     *
     * For a limit: new minus old. A rule that is opened (a category, purchases abroad or online) has no amount. For one
     * purchase only, that purchase counts; for a time, or without a purchase, the amount is unknown. Raises of the same
     * rule by the same people within 24 hours are added, so that small raises cannot sum up to one that needs two
     * people. Keeping a temporary change is a raise from the value it would go back to.
     *
     * Of several limits, the one that rises most (including earlier raises) decides, as if they were raised one by one.
     * So neither joining nor splitting raises is a way around the rule.
     *
     * @param named who asks for it and who approves it, if known. The people they act for as delegates are added.
     * @param unanswered earlier approvals of the same change that got no answer. It adds nothing to them.
     */
    async count(
      action: Action,
      acctId: number,
      raise: Raise,
      named: readonly string[],
      unanswered: readonly string[] = [],
    ): Promise<CountedRaise> {
      // Reads the card's group, by which people act for others.
      const policy = await deps.rights.policyOfCard(acctId);
      const people = (await Promise.all(named.map((userId) => deps.rights.actsFor(userId, acctId)))).flat();
      const all = await amountsOf(action, acctId, raise, { people, unanswered }, deps);
      const ownMost = Math.max(...all.map((raise) => raise.ownCents ?? 0));
      const { repeatedBy } = await readUnanswered(
        unanswered.map((actionId) => ({ actionId })),
        deps,
      );
      const except = [action.id, ...repeatedBy(raise.changes.map(({ change }) => change))];
      const cap = exceededCap(policy, await loosenedBefore(except, acctId, people, deps), ownMost);
      const most = all.reduce((one, raise) => (countedCents(raise) > countedCents(one) ? raise : one));
      return { ...most, aboveCents: thresholdCents(policy, countedCents(most)), cap };
    },
    /** Stores the raise that is about to be made. */
    async remember(action: Action, acctId: number, raise: Raise, by: RaisedBy): Promise<void> {
      const { changes, term } = raise;
      const inPlaceOf = await representedIn(by, acctId, deps.rights);
      const common = { actionId: action.id, acctId, ...by, inPlaceOf, atMs: deps.now().getTime() };
      const paidCents = await paidFor(action, term, deps);
      for (const raised of changes) {
        const { change } = raised;
        const rule = ruleKey(change.rule);
        const now = ownCents(change, paidCents);
        const base = baseCents(raised, paidCents);
        if (now !== 0) await deps.recentRaises.add({ ...common, rule, cents: now });
        // A temporary change becomes permanent: no raise from the current value, but from the value it goes back to.
        if (term.kind === 'permanent' && base !== 0)
          await deps.recentRaises.add({ ...common, rule: staysKey(change.rule), cents: base });
        // It lasts longer than the temporary change that set the current value.
        else if (centsOrInfinity(base) > centsOrInfinity(now))
          await deps.recentRaises.add({ ...common, rule: longerKey(change.rule), cents: base });
      }
    },
    /** The change, or the order, was certainly not made, so it no longer counts. */
    async forget({ id }: Pick<Action, 'id'>): Promise<void> {
      const raises = await deps.recentRaises.list('program', deps.now().getTime());
      for (const { atMs: _at, ...raise } of raises.filter(({ actionId }) => actionId === id))
        await deps.recentRaises.cancel(raise);
    },
  };
}

/** The people for whom those who allowed a raise acted as delegates. */
export async function representedIn(
  { by, askedBy, approvedBy = [] }: RaisedBy,
  acctId: number | null,
  { actsFor }: Pick<Rights, 'actsFor'>,
): Promise<string[]> {
  const whose = by === null ? [askedBy, ...approvedBy] : [by];
  const represented = await Promise.all(whose.map((userId) => actsFor(userId, acctId)));
  return [...new Set(represented.flat())].filter((userId) => !whose.includes(userId));
}

/** From which values rules change, and to which they go back, by the temporary changes that set them. */
function createValues(deps: Deps) {
  const setIn = async (acctId: number) => setTemporarily(await deps.temporaryChanges.all(), acctId);
  /** Changes, given relative to the current rules, also relative to the lowest value of each rule before they end. */
  async function withBase(changes: readonly RuleChange[], term: Term, acctId: number): Promise<RaisedChange[]> {
    const set = await setIn(acctId);
    const end = endMs(term, deps);
    return changes.map((change) => ({ change, fromBase: { ...change, from: lowestBefore(change, set, end) } }));
  }
  return {
    withBase,
    /** The changes relative to the lowest value that each rule would have before they end. */
    changesFromBase: async (...asked: Parameters<typeof withBase>): Promise<RuleChange[]> =>
      (await withBase(...asked)).map(({ fromBase }) => fromBase),
    /**
     * How long the rules of a raise will have been loosened when it ends: with the time since temporary changes loosened them,
     * one after another. `tooLong`: why that is longer than the policy allows; `tooLongInFull`: the same for people, who also
     * read since when it counts.
     */
    async loosenedFor({ changes, term }: Raise, acctId: number) {
      const raised = changes.flatMap(({ change, fromBase }) => (isLooser([fromBase]) ? [change] : []));
      const since = loosenedSince(raised, await setIn(acctId));
      const now = deps.now();
      const before = since === undefined ? 0 : now.getTime() - Date.parse(since);
      const lasts = lastsMs(term, now, deps.zone) + before;
      const tooLong = whyTooLong(await deps.rights.policyOfCard(acctId), lasts);
      const sinceWords = since === undefined ? '' : ` The card has been loosened since ${since}, and that counts.`;
      return { lastsMs: lasts, tooLong, tooLongInFull: tooLong && `${tooLong}${sinceWords}` };
    },
    /**
     * What the rules would allow sooner, because these changes have their present values and end before the reductions
     * that set these do. Empty: nothing.
     *
     * @param userId who asks. Whoever made a reduction may end it: then `byOthers` is false.
     */
    async sooner(changes: readonly RuleChange[], term: Term, acctId: number, userId: string) {
      const set = await setIn(acctId);
      const fromMs = term.kind === 'purchase' ? deps.now().getTime() : endMs(term, deps);
      const sooner = changes.flatMap((change) => loosenedByEarlierEnd(change, set, fromMs) ?? []);
      return {
        changes: sooner.map(({ rule, from, to }) => ({ rule, from, to })),
        byOthers: sooner.some(({ reduction }) => !isMadeBy(reduction, userId)),
      };
    },
    /** What a temporary change's rules would allow more if it ended now, at the time at which that is most. */
    async withoutChange(ended: TemporaryChange): Promise<RuleChange[]> {
      const set = await setIn(ended.acctId);
      return ended.changes.flatMap((change) => raiseWithout(change, ended, set, deps.now().getTime()) ?? []);
    },
    /** The highest values that a temporary change's rules would have from now on if it were put back. */
    async valuesPutBack(ended: TemporaryChange): Promise<RuleValue[]> {
      const set = await setIn(ended.acctId);
      return ended.changes.map((change) => highestBack(change, ended, set));
    },
    /** How long a change made now lasts. */
    lastsMs: (term: Term): number => lastsMs(term, deps.now(), deps.zone),
    /** How long the values last that a temporary change's rules go back to. */
    async returnTerm(changes: readonly RuleChange[], { id, acctId }: TemporaryChange): Promise<Term> {
      const others = (await deps.temporaryChanges.all()).filter((other) => other.id !== id);
      const at = firstEnd(changes, setTemporarily(others, acctId));
      return at === undefined ? permanent : { kind: 'until', at };
    },
    /** The changes relative to the value that each rule goes back to before they end, or else to its current value. */
    async changesFromReturn(changes: readonly RuleChange[], term: Term, acctId: number): Promise<RuleChange[]> {
      const end = endMs(term, deps);
      const ending = (await setIn(acctId)).filter(({ setBy }) => Date.parse(setBy.endsAt) < end);
      return changes.map((change) => {
        const last = setBelow(change, ending).at(-1);
        return last === undefined ? change : { ...change, from: last.from };
      });
    },
    /** What temporary changes have set of these rules, given relative to their current values. */
    async temporaryValues(changes: readonly RuleChange[], acctId: number): Promise<TemporaryValue[]> {
      const set = await setIn(acctId);
      return changes.flatMap((change) => temporaryValue(change, set) ?? []);
    },
  };
}

/** What each change of a raise counts: from the current value, and from the one that it goes back to. */
async function amountsOf(
  action: Action,
  acctId: number,
  { changes, term }: Raise,
  { people, unanswered }: { readonly people: readonly string[]; readonly unanswered: readonly string[] },
  deps: Deps,
): Promise<Omit<CountedRaise, 'aboveCents' | 'cap'>[]> {
  const nowMs = deps.now().getTime();
  const recent = (await deps.recentRaises.list({ acctId }, nowMs)).filter(
    (raise) => raise.actionId !== action.id && raise.atMs >= nowMs - RAISES_ADDED_MS && isAddedBy(raise, people),
  );
  const end = endMs(term, deps);
  const lasting = (await deps.temporaryChanges.all()).filter(
    (open) => open.acctId === acctId && open.state === 'open' && Date.parse(open.endsAt) >= end,
  );
  const paidCents = await paidFor(action, term, deps);
  const { isUnsure, isUnmade } = await readUnanswered(recent, deps);
  return changes.flatMap((raised) => {
    const { change } = raised;
    const { rule } = change;
    const base = baseCents(raised, paidCents);
    // Limits are set, not added to: the same change adds nothing to itself.
    const isRepeated = (raise: RecentRaise) => unanswered.includes(raise.actionId) && isUnmade(raise, change);
    const counted = recent.filter((raise) => !isRepeated(raise));
    const earlierIn = (raises: readonly RecentRaise[]) => earlierOf(raises, people, (raise) => isUnsure(raise, change));
    const earlier = earlierIn(counted.filter((raise) => raise.rule === ruleKey(rule)));
    const still = earlierIn(counted.filter((raise) => stillCounts(raise, rule, lasting)));
    return [
      { rule, ownCents: ownCents(change, paidCents), earlier },
      { rule, ownCents: base, earlier: base === 0 ? [] : still },
    ];
  });
}

/** When a change made now ends; Infinity: never. */
function endMs(term: Term, { now, zone }: Pick<Deps, 'now' | 'zone'>): number {
  return endOfTerm(term, now(), zone)?.getTime() ?? Number.POSITIVE_INFINITY;
}

/**
 * Whether an earlier raise of a rule is still in force when a new change ends, so that both add up: it is permanent, or
 * its temporary change lasts as long.
 */
function stillCounts({ rule: key, actionId }: RecentRaise, rule: Rule, lasting: readonly TemporaryChange[]): boolean {
  if (key === staysKey(rule)) return true;
  const isOfRule = key === ruleKey(rule) || key === longerKey(rule);
  const made = lasting.find(({ id }) => id === actionId);
  return isOfRule && made !== undefined && ofRule(made.changes, rule) !== undefined;
}

/** Infinity if no amount is known. */
function centsOrInfinity(cents: number | null): number {
  return cents ?? Number.POSITIVE_INFINITY;
}

/**
 * Oldest first. If an action both raised a rule and made it last longer, the larger amount counts. Of several who approved it
 * together, it names the one with whose next raise it counts.
 */
function earlierOf(
  raises: readonly RecentRaise[],
  people: readonly string[],
  isUnsure: (raise: RecentRaise) => boolean,
): EarlierRaise[] {
  const largest = raises.filter(
    (raise, index) =>
      !raises.some(
        (other, at) =>
          other.actionId === raise.actionId &&
          (centsOrInfinity(other.cents) > centsOrInfinity(raise.cents) || (other.cents === raise.cents && at < index)),
      ),
  );
  return largest.map((raise) => {
    const { by, askedBy, approvedBy, atMs, cents } = raise;
    return {
      by: by ?? approvedBy?.find((userId) => people.includes(userId)) ?? askedBy,
      at: new Date(atMs).toISOString(),
      cents,
      ...(isUnsure(raise) && { isUnsure: true }),
    };
  });
}

/** What a rule that is opened for one purchase allows. Any number of purchases can be made during a time, however short. */
async function paidFor(action: Action, term: Term, { purchaseOf }: Pick<Deps, 'purchaseOf'>): Promise<number | null> {
  return term.kind === 'purchase' ? purchaseCents(action, await purchaseOf(action)) : null;
}

/** Whole cents; 0 if nothing is loosened; null if no amount is known. */
function ownCents(change: RuleChange, paidCents: number | null): number | null {
  if (!isLooser([change])) return 0;
  const { rule, from, to } = change;
  if (rule.kind !== 'limit') return paidCents;
  const cents = raiseCents(centsOf(from), centsOf(to));
  return Number.isFinite(cents) ? cents : null;
}

/** The same from the value that a rule goes back to. What is open already is not opened for one purchase only. */
function baseCents({ change, fromBase }: RaisedChange, paidCents: number | null): number | null {
  const isOpenAlready = change.rule.kind !== 'limit' && !isLooser([change]) && isLooser([fromBase]);
  return isOpenAlready ? null : ownCents(fromBase, paidCents);
}

/** The key for the amount by which a rule was raised permanently. */
const staysKey = (rule: Rule): string => `stays:${ruleKey(rule)}`;
/** The key for the amount by which a rule was raised beyond the end of a temporary change. */
const longerKey = (rule: Rule): string => `longer:${ruleKey(rule)}`;
