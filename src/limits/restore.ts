import type { Action } from '../actions/action.ts';
import { reported } from '../actions/action-state.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import type { LatestChanges } from '../actions/progress-store.ts';
import { mayStillBeMade } from '../actions/send-change.ts';
import type { CardClient } from '../card-api/client.ts';
import { orNull } from '../card-api/errors.ts';
import { without } from '../card-api/rule.ts';
import {
  centsOf,
  changesFrom,
  goalsOf,
  hasGoal,
  isLooser,
  isMade,
  isOnCard,
  isSameGoals,
  limitsOf,
  type RuleChange,
  type RuleGoal,
  reversed,
  ruleValue,
  withGoals,
} from '../card-api/rule-change.ts';
import type { SpendRules } from '../card-api/spend-rules.ts';
import { CardApiError, TooLateError } from '../core/errors.ts';
import type { Lease } from '../core/lock.ts';
import { withAcceptedReturns } from './contradiction.ts';
import { createHandOver, type HandOverDeps, restoreLater } from './hand-over.ts';
import type { OverChange } from './notify-end.ts';
import { assertFresh, type PutRules, type ReadRules } from './put-rules.ts';
import { mayBePermanent, setBelow, setTemporarily, temporaryValue } from './rule-future.ts';
import { sidesOf } from './send-rules.ts';
import { about } from './temporary-change.ts';
import type { TemporaryChange } from './temporary-change-store.ts';

/** A refusal may pass: the specification does not say what a 409 means, and it may stand for a repeated call. */
export const REFUSALS_MAX = 5;

/**
 * Restores the rules from before the temporary change, but none that someone changed meanwhile, or may have changed before
 * a backup was restored: people decide about these, and about all of them if the card was assigned a ruleset, because the
 * write may take it off. What another change on top of it has set goes back when that one ends. Nothing is handed over
 * before the other rules have been written, because that may fail.
 *
 * @param by who reverts it early or decides about it; null when its time is over.
 * @throws CardApiError when the rules could not be read or written, TooLateError when this process must not write.
 */
export type Restore = (temporaryChange: TemporaryChange, by: EndedBy | null, lease: Lease) => Promise<Restored>;

export type Restored =
  /** The temporary change's new state. The caller that reports it saves it. */
  | { readonly kind: 'over'; readonly after: OverChange }
  /** The earlier rules are in effect, but the change may still be made, and must end then. */
  | { readonly kind: 'unclear' }
  | { readonly kind: 'forbidden'; readonly why: WhyNotEnd };

/** Why a person may not end a temporary change. Late: they are asked whether they still want to. */
export type WhyNotEnd = { readonly why: string; readonly whoCan: string } | 'late';

interface EndedBy extends Pick<Action, 'id' | 'actor' | 'askedAt'> {
  /** The values that they were asked about stay. */
  readonly isKept: boolean;
  /** Asked when the rules have been read, because that may take long. Null: they may. */
  readonly whyNot: () => Promise<WhyNotEnd | null>;
}

interface RestoreDeps extends HandOverDeps {
  readonly progress: Pick<ActionTools['progress'], 'read' | 'write'>;
  readonly card: Pick<CardClient, 'getAccount' | 'getSpendRules'>;
  readonly putRules: PutRules;
  readonly latestChanges: Pick<LatestChanges, 'changed' | 'notMade'>;
}

export function createRestore(deps: RestoreDeps): Restore {
  const putBack = createPutBack(deps);
  const endsOf = createEndsOf(deps);
  return async function restore(whole, by, lease) {
    const { id, acctId, state } = whole;
    // A raise must end although the account cannot be read.
    const { rulesetId } = (await orNull(deps.card.getAccount(acctId))) ?? whole;
    const isNewRuleset = rulesetId !== null && rulesetId !== whole.rulesetId;
    const { rules, raw } = await deps.card.getSpendRules(acctId);
    const readAt = performance.now();
    const why = await by?.whyNot();
    if (why != null) return { kind: 'forbidden', why };
    // The limits of a category that the card has lost are gone with it.
    const onCard = whole.changes.filter(({ rule }) => isOnCard(rules, rule));
    const temporaryChange = { ...about(whole, onCard), rulesetId };
    if (onCard.length === 0) {
      const closedAt = deps.now().toISOString();
      return over({ ...whole, closedAt, closingActionId: by?.id ?? null, state: 'kept' });
    }
    const ends = await endsOf(temporaryChange, by, rules, lease);
    const { left, changes, meanwhile } = ends;
    const back = changesFrom(rules, reversed(changes));
    // The automatic end was decided when the change was opened.
    const endId = `end-${id}`;
    const progressId = by?.id ?? endId;
    if (isMade(back)) {
      if (await mayStillCome(id, deps)) return { kind: 'unclear' };
      if (by === null && (await isOnlyOnTop(temporaryChange, deps))) return await ends.asking(meanwhile);
      // Someone restored them already, or we did before a crash.
      const isOurs = (await deps.progress.read(progressId))?.state === 'sending';
      return await ends.ended(
        isOurs ? without(temporaryChange.meanwhile ?? temporaryChange.changes, ends.given) : meanwhile,
      );
    }
    const isAgreed = state === 'asking' && isSameGoals(without(temporaryChange.meanwhile ?? [], ends.given), meanwhile);
    if (by?.isKept === true) return isAgreed ? ends.kept : await ends.asking(meanwhile);
    assertFresh(readAt);
    const askedAt = by?.askedAt ?? temporaryChange.openedAt;
    // A click that may have been carried out must not be reported as refused or failed.
    const write = { id: endId, by: by?.actor.userId ?? null, progressId, acctId, raw, readAt, askedAt, lease };
    const touched = touchedIn(changes, rules, by === null && whole.isFromBackup === true);
    const isLast = (temporaryChange.refusals ?? 0) + 1 >= REFUSALS_MAX;
    if (!isNewRuleset && (isAgreed || touched.length === 0)) {
      await putBack({ ...write, back }).catch(async (error: unknown) => {
        if (by === null && isRefusal(error) && (isLast || error.outcome === 'not_sent')) await ends.givenUp();
        throw error;
      });
      return await ends.ended();
    }
    const own = state === 'open' && !isNewRuleset ? ownOf(left, touched, rules) : [];
    // A person who clicked gets an answer at once. The automatic end is tried again after a refusal.
    const isBack = own.length > 0 && (await isPutBack({ ...write, back: own }, by !== null || isLast));
    return await ends.asking(isBack ? withGoals(meanwhile, own) : meanwhile);
  };

  /** False: the card service refuses them without the others. Throws that refusal unless it is the last attempt. */
  async function isPutBack(write: Write, isLast: boolean): Promise<boolean> {
    try {
      await putBack(write);
      return true;
    } catch (error) {
      if (!isRefusal(error) || (!isLast && error.outcome !== 'not_sent')) throw error;
      return false;
    }
  }
}

/** Whether the earlier value is only that of a temporary change on top, which goes back to what people decide about. */
async function isOnlyOnTop(ending: TemporaryChange, { temporaryChanges }: RestoreDeps): Promise<boolean> {
  const asked = ending.changes.filter((change) => mayBePermanent(change, ending));
  if (asked.length === 0) return false;
  const others = (await temporaryChanges.all()).filter(
    ({ id, acctId }) => id !== ending.id && acctId === ending.acctId,
  );
  return others.some(({ changes }) => changes.some(({ rule, from }) => hasGoal(asked, { rule, to: from })));
}

const isRefusal = (error: unknown): error is CardApiError => error instanceof CardApiError && error.code === 'refused';

const over = (after: OverChange): Restored => ({ kind: 'over', after });

/** The ways in which a temporary change can end now. Others take over what they are on top of. */
function createEndsOf(deps: RestoreDeps) {
  const planHandOver = createHandOver(deps);
  return async function endsOf(temporaryChange: TemporaryChange, by: EndedBy | null, rules: SpendRules, lease: Lease) {
    const nothing = { given: [], ends: [], rebase: async () => {} };
    // What only people may put back is not handed over at the automatic end.
    const ending = temporaryChange.changes.filter((change) => by !== null || !mayBePermanent(change, temporaryChange));
    const planned = { ...temporaryChange, changes: ending };
    const { given, ends, rebase } = by?.isKept === true ? nothing : await planHandOver(planned, rules);
    const left = without(temporaryChange.changes, given);
    const all = await deps.temporaryChanges.all();
    const changes = accepted(rules, belowEnding(rules, left, setTemporarily(all, temporaryChange.acctId)));
    const valueNow = ({ rule, to }: RuleChange): RuleChange => ({ rule, from: to, to: ruleValue(rules, rule) });
    const meanwhile = changes.map(valueNow);
    const closed = {
      ...temporaryChange,
      closedAt: deps.now().toISOString(),
      closedBy: by?.actor.userId ?? null,
      closingActionId: by?.id ?? null,
      meanwhile,
    };
    const withLater = (added: readonly RuleGoal[], at: readonly string[]) => {
      const later = [...(temporaryChange.later ?? []), ...added];
      const laterAt = [temporaryChange.laterAt ?? [], at].flat().toSorted().at(-1);
      return { later: later.length > 0 ? later : undefined, laterAt };
    };
    const givenBack = goalsOf(reversed(given));
    const rest = { ...temporaryChange, changes: left, ...withLater(givenBack, ends) };
    async function handOver(): Promise<void> {
      await lease.confirm();
      await rebase();
    }
    return {
      given,
      left,
      changes,
      meanwhile,
      /** @param values what the rules were before they went back. */
      async ended(values: readonly RuleChange[] = meanwhile): Promise<Restored> {
        await handOver();
        const joined = await restoreLater({ ...closed, changes }, left, rules, deps);
        return over({
          ...closed,
          changes: [...changes, ...given],
          meanwhile: [...values, ...given.map(valueNow)],
          ...withLater([...joined.later, ...givenBack], [...joined.ends, ...ends]),
          ...(joined.instead.length > 0 && { instead: joined.instead }),
          state: 'ended',
        });
      },
      async asking(values: readonly RuleChange[]): Promise<Restored> {
        await handOver();
        return over({ ...rest, state: 'asking', meanwhile: values });
      },
      /** Nothing tries it again, and people need not put back what another one took over. */
      async givenUp(): Promise<void> {
        await handOver();
        await deps.temporaryChanges.save(rest);
      },
      kept: over({ ...closed, state: 'kept' }),
    };
  };
}

/**
 * The rules that somebody changed meanwhile.
 *
 * @param isInDoubt a backup was restored: a person may have made permanent since what it has as a temporary reduction.
 */
function touchedIn(changes: readonly RuleChange[], rules: SpendRules, isInDoubt: boolean): RuleChange[] {
  return changes.filter(({ rule, from, to }) => {
    const now = ruleValue(rules, rule);
    return ![from, to].includes(now) || (isInDoubt && isLooser([{ rule, from: now, to: from }]));
  });
}

/**
 * The changes back of the rules that nobody touched, while people decide about the others: without those that the card
 * service would not accept beside what the others are now.
 */
function ownOf(changes: readonly RuleChange[], touched: readonly RuleChange[], rules: SpendRules): RuleChange[] {
  const untouched = without(changes, touched);
  const asBefore = accepted(rules, untouched).filter(({ from }, index) => from === untouched[index]?.from);
  return changesFrom(rules, reversed(asBefore)).filter(({ from, to }) => from !== to);
}

/**
 * The changes, going back only as far as the longer limits will when their temporary changes are over. Otherwise these could
 * not end, and would stay raised. A limit that goes back to a temporary value may be above: that value ends by itself.
 */
function belowEnding(
  rules: SpendRules,
  changes: readonly RuleChange[],
  set: ReturnType<typeof setTemporarily>,
): RuleChange[] {
  const lowest = without(limitsOf(rules), changes).map(({ rule, to }) => {
    const value = temporaryValue({ rule, from: to, to }, set);
    const isRaised = value !== null && isLooser([{ rule, from: value.back, to: value.now }]);
    return isRaised ? { rule, to: centsOf(value.back) } : { rule, to };
  });
  const below = withAcceptedReturns(rules, changes, lowest);
  return changes.map((change, index) =>
    setBelow({ ...change, to: change.from }, set).length > 0 ? change : (below[index] ?? change),
  );
}

/** The changes with what the card service accepts to go back to, beside its other limits as they are now. */
function accepted(rules: SpendRules, changes: readonly RuleChange[]): RuleChange[] {
  return withAcceptedReturns(rules, changes, without(limitsOf(rules), changes));
}

interface Write extends ReadRules {
  readonly id: string;
  /** Slack user; null: its time is over. */
  readonly by: string | null;
  readonly progressId: string;
  readonly acctId: number;
  readonly back: readonly RuleChange[];
  /** UTC ISO 8601. */
  readonly askedAt: string;
  readonly lease: Lease;
}

/**
 * Writes the earlier values. A rerun after a crash keeps the progress that was written first. Of a write that was certainly
 * not made, nothing is left.
 */
function createPutBack(deps: RestoreDeps): (write: Write) => Promise<void> {
  const { progress, latestChanges } = deps;
  return async function putBack({ id, by, progressId, acctId, back, askedAt, lease, ...read }) {
    const wasSent = (await progress.read(progressId))?.state === 'sending';
    if (!wasSent) await progress.write(progressId, { state: 'sending', ...sidesOf(back) });
    const expects = { kind: 'rule', changes: back } as const;
    await latestChanges.changed(acctId, expects, { id, verb: 'end', askedAt });
    const begun = await deps.putRules({ acctId, id, by, changes: back, ...read });
    // Whoever has the lock by now continues from what is stored.
    await lease.confirm();
    try {
      await begun.send();
    } catch (error) {
      if (!(error instanceof CardApiError || error instanceof TooLateError)) throw error;
      const outcome = error instanceof TooLateError ? 'not_sent' : error.outcome;
      // A retry would take a change that someone makes before it for a reason not to restore the rules.
      const now = outcome === 'unknown' ? await orNull(deps.card.getSpendRules(acctId)) : null;
      if (now !== null && isMade(changesFrom(now.rules, back))) return void (await begun.seen());
      if (outcome !== 'unknown' && !wasSent) {
        await latestChanges.notMade(acctId, expects, { id });
        await progress.write(progressId, { state: 'asked' });
      }
      throw error;
    }
  };
}

/** The write of a temporary change got no answer yet, or is being verified. */
export async function mayStillCome(
  id: string,
  { progress, now }: { readonly progress: Pick<ActionTools['progress'], 'read'>; readonly now: () => Date },
): Promise<boolean> {
  const written = await progress.read(id);
  const isVerified = reported(written)?.state !== 'sent' || reported(written)?.result.state !== 'unknown';
  return !isVerified || mayStillBeMade(written, 'limit', now());
}
