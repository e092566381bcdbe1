import { requestIdOf } from '../actions/action.ts';
import type { ActionState, AwaitedChange, Result, Verdict } from '../actions/action-state.ts';
import type { ActionTools, LockedAttempt } from '../actions/action-tools.ts';
import type { LatestChanges } from '../actions/progress-store.ts';
import type { Reports } from '../actions/report.ts';
import { noteOf, superseded } from '../actions/send-status.ts';
import type { CardClient } from '../card-api/client.ts';
import { changesFrom, isAboutLimits, isMade, type RuleChange } from '../card-api/rule-change.ts';
import type { SpendRulesRead } from '../card-api/spend-rules.ts';
import type { CardFacts } from '../core/card-facts.ts';
import { contentId } from '../core/content-id.ts';
import { CardApiError, TooLateError } from '../core/errors.ts';
import type { MadeChange, Opened, TemporaryTerms } from './open-temporary-change.ts';
import type { RaiseAmounts } from './raise-amount.ts';
import { ruleStates } from './rule-words.ts';
import type { TemporaryChanges } from './temporary-change-store.ts';

/** What was read longer ago is not written back: somebody may have changed the card's rules since. */
const FRESH_MS = 5_000;

interface SentChange extends MadeChange {
  readonly card: CardFacts;
  /** The rules as the card API gave them. */
  readonly raw: Record<string, unknown>;
  /** When they were asked for, by `performance.now`. */
  readonly readAt: number;
  /** How far an attempt before got; null: this is the first. */
  readonly written: ActionState | null;
}

/** Reports how the action ended. */
type Finish = (state: Result['state'], rest?: Partial<Result>) => Promise<Result>;

/**
 * Writes changed rules to the card, once, and says how it ended. Where no answer came, the rules are read again. They are
 * sent again only if they are as they were before, by a job that runs again with what it has read then: all rules are
 * written at once, and what others changed meanwhile must stay.
 *
 * Throws CardApiError when the job should run again, and TooLateError when it is not for this process to write.
 */
export type SendRules = (
  change: SentChange,
  attempt: LockedAttempt,
  finish: Finish,
  of: Parameters<Reports['resume']>[3],
) => Promise<Result>;

interface Deps extends Pick<ActionTools, 'record' | 'applyChanges'> {
  readonly card: Pick<CardClient, 'getSpendRules' | 'putSpendRules'>;
  readonly progress: Pick<ActionTools['progress'], 'write'>;
  readonly latestChanges: Pick<LatestChanges, 'changed' | 'changedBy' | 'isSuperseded' | 'notMade'>;
  readonly terms: Omit<TemporaryTerms, 'keep'>;
  readonly raises: Pick<RaiseAmounts, 'forget'>;
  readonly reports: Pick<Reports, 'resume'>;
}

/** Progress is written before the record, and the end of a temporary change before the card is asked: either may be the last. */
export function createSendRules(deps: Deps): SendRules {
  return async function sendRules(change, attempt, finish, of) {
    const { action, acctId, changes, term, card, raw, readAt } = change;
    const expects = { kind: 'rule', changes, term } as const;
    const basis = basisOf(raw);
    if (await isSuperseded(change, basis)) return await giveWay(changes);

    const sides = sidesOf(changes);
    const followed = await deps.latestChanges.changedBy(acctId, expects);
    const sending = { state: 'sending', ...sides, expects, followed } as const;
    const stands = await deps.progress.write(action.id, { ...sending, basis });
    const known = await deps.reports.resume(action, isAboutLimits(changes) ? 'limit' : 'allow', stands, of);
    if (known !== null) return known;
    await deps.record(action, { event: 'sent', acctId, cardId: card.cardId, ...sides });
    await deps.latestChanges.changed(acctId, expects, action);
    if (term.kind !== 'permanent') await deps.terms.openUnsent(change);
    try {
      await attempt.lease.confirm();
      if (performance.now() - readAt > FRESH_MS) throw new TooLateError('the spend rules were read too long ago');
      await deps.card.putSpendRules(acctId, deps.applyChanges(raw, changes));
    } catch (error) {
      if (!(error instanceof CardApiError)) throw error;
      const now = error.outcome === 'unknown' ? await readAgain(acctId) : null;
      const stillToDo = now === null ? changes : changesFrom(now.rules, changes);
      if (isMade(stillToDo)) {
        return await finish('done', { ...sides, ...(await deps.terms.resolve(change)), confirmation: 'confirmed' });
      }
      if (now !== null && basisOf(now.raw) !== basis) return await giveWay(stillToDo);
      const isUnread = error.outcome === 'unknown' && now === null;
      if ((error.retryable || isUnread) && !attempt.isLast) {
        // It was certainly not made: what others change until it is tried again is no reason to leave it.
        if (error.outcome !== 'unknown') await deps.progress.write(action.id, sending);
        throw error;
      }
      const said = { apiWords: error.apiMessage, note: noteOf(error) };
      if (isUnread) return await finish('unknown', { ...said, expects });
      await deps.terms.forget(action.id);
      await deps.latestChanges.notMade(acctId, expects, action);
      const failed = await finish('failed', said);
      await deps.raises.forget(action, acctId);
      return failed;
    }
    return await finish('done', { ...sides, ...(await deps.terms.resolve(change)), confirmation: 'sent', expects });

    /** @param stillToDo from what the rules say now. */
    async function giveWay(stillToDo: readonly RuleChange[]): Promise<Result> {
      await deps.terms.forgetIfGone(action.id, stillToDo, acctId);
      return await finish('unknown', { note: superseded });
    }
  };

  /** A worker may have made this change before it died, and something has changed since then. */
  async function isSuperseded({ action, acctId, changes, term, written }: SentChange, basis: string): Promise<boolean> {
    if (written?.state !== 'sending') return false;
    if (written.basis !== undefined && written.basis !== basis) return true;
    return await deps.latestChanges.isSuperseded(acctId, { kind: 'rule', changes, term }, action.id, written.followed);
  }

  /** Null: they cannot be read. */
  async function readAgain(acctId: number): Promise<SpendRulesRead | null> {
    try {
      return await deps.card.getSpendRules(acctId);
    } catch (error) {
      if (error instanceof CardApiError) return null;
      throw error;
    }
  }
}

/** Tells spend rules from others: all of them, also those that Cardbell does not know. */
export function basisOf(raw: Record<string, unknown>): string {
  return contentId('', [JSON.stringify(raw)]);
}

/** What the rules say before and after, for people and the record. */
export function sidesOf(changes: readonly RuleChange[]): { before: string; after: string } {
  return { before: ruleStates(changes, 'from'), after: ruleStates(changes, 'to') };
}

const READ_ONCE = { deadlineMs: 5000, maxRetries: 0 } as const;

/**
 * The second half of a change of rules whose answer was lost, now that somebody has looked: found made, its end starts
 * and what it replaces ends, as if the answer had come in time; found not made, its end is forgotten.
 *
 * Runs under the account's lock. Safe to repeat. Answers with what to say of it; null when there is nothing to say.
 */
export type ApplyLateConfirmation = (
  awaited: AwaitedChange,
  verdict: Pick<Verdict, 'confirmation'>,
) => Promise<Opened | null>;

interface LateDeps {
  readonly card: Pick<CardClient, 'getSpendRules'>;
  readonly latestChanges: Pick<LatestChanges, 'isSuperseded'>;
  readonly temporaryChanges: Pick<TemporaryChanges, 'get'>;
  readonly terms: Pick<TemporaryTerms, 'resolve' | 'forgetIfGone'>;
  readonly now: () => Date;
}

export function createApplyLateConfirmation(deps: LateDeps): ApplyLateConfirmation {
  return async function applyLateConfirmation(awaited, { confirmation }) {
    const { action, acctId, outcomeOf, result } = awaited;
    const { expects } = result;
    if (result.state !== 'unknown' || expects?.kind !== 'rule') return null;
    const { term, changes } = expects;
    if (term === undefined) return null;
    if (confirmation !== 'confirmed') {
      await forgetUnmade(awaited);
      return null;
    }
    // What is seen may be a later change's, which has done all of this for itself.
    if (await deps.latestChanges.isSuperseded(acctId, expects, action.id)) return null;
    // Opened before it was sent: without it, its end was found to be nobody's.
    if (term.kind !== 'permanent' && (await deps.temporaryChanges.get(action.id)) === null) return null;
    const requestId = outcomeOf === action.id ? null : requestIdOf(outcomeOf);
    const opened = await deps.terms.resolve({ action, acctId, changes, term, requestId });
    // Its time is over meanwhile: what ends it, ends it now.
    const isOver = opened?.control != null && Date.parse(opened.control.until) <= deps.now().getTime();
    return isOver ? null : opened;
  };

  /** A card that follows a ruleset may show that one's rules: then nobody can tell. Nor can one that cannot be read. */
  async function forgetUnmade({ action, acctId, result }: AwaitedChange): Promise<void> {
    const { expects, card } = result;
    if (expects?.kind !== 'rule' || card.ruleset != null) return;
    if ((await deps.temporaryChanges.get(action.id))?.state !== 'open') return;
    try {
      const { rules } = await deps.card.getSpendRules(acctId, READ_ONCE);
      await deps.terms.forgetIfGone(action.id, changesFrom(rules, expects.changes), acctId);
    } catch (error) {
      if (!(error instanceof CardApiError)) throw error;
    }
  }
}
