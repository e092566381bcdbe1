import type { ActionState, Result } from '../actions/action-state.ts';
import type { ActionTools, Attempt } from '../actions/action-tools.ts';
import { superseded } from '../actions/change-status.ts';
import type { LatestChanges } from '../actions/progress-store.ts';
import type { Reports } from '../actions/report.ts';
import { noteOf } from '../actions/send-status.ts';
import type { CardClient } from '../card-api/client.ts';
import { changesFrom, isAboutLimits, isMade, type RuleChange, type RuleGoal } from '../card-api/rule-change.ts';
import type { CardFacts } from '../core/card-facts.ts';
import { CardApiError } from '../core/errors.ts';
import type { MadeChange, TemporaryTerms } from './open-temporary-change.ts';
import { ruleStates } from './rule-words.ts';

interface SentChange extends MadeChange {
  readonly card: CardFacts;
  /** The rules as the card API gave them. */
  readonly raw: Record<string, unknown>;
  /** How far an attempt before got; null: this is the first. */
  readonly written: ActionState | null;
}

/** Reports how the action ended. */
type Finish = (state: Result['state'], rest?: Partial<Result>) => Promise<Result>;

/** Writes changed rules to the card, and says how it ended. Throws CardApiError when the job should run again. */
export type SendRules = (
  change: SentChange,
  attempt: Attempt,
  finish: Finish,
  of: Parameters<Reports['resume']>[3],
) => Promise<Result>;

interface Deps extends Pick<ActionTools, 'record'> {
  readonly card: Pick<CardClient, 'getSpendRules' | 'putSpendRules'>;
  /** The spend rules as received, with some of them changed and everything else as it was. */
  readonly applyChanges: (raw: Record<string, unknown>, goals: readonly RuleGoal[]) => Record<string, unknown>;
  readonly progress: Pick<ActionTools['progress'], 'write'>;
  readonly latestChanges: Pick<LatestChanges, 'changed' | 'changedBy' | 'isSuperseded'>;
  readonly terms: Omit<TemporaryTerms, 'keep'>;
  readonly reports: Pick<Reports, 'resume'>;
}

/** Progress is written before the record, and the end of a temporary change before the card is asked: either may be the last. */
export function createSendRules(deps: Deps): SendRules {
  return async function sendRules(change, attempt, finish, of) {
    const { action, acctId, changes, term, card, raw, written } = change;
    const expects = { kind: 'rule', changes, term } as const;
    if (
      written?.state === 'sending' &&
      (await deps.latestChanges.isSuperseded(acctId, expects, action.id, written.followed))
    ) {
      await deps.terms.forgetIfGone(action.id, changes, acctId);
      return await finish('unknown', { note: superseded });
    }

    const sides = sidesOf(changes);
    const followed = await deps.latestChanges.changedBy(acctId, expects);
    const stands = await deps.progress.write(action.id, { state: 'sending', ...sides, expects, followed });
    const known = await deps.reports.resume(action, isAboutLimits(changes) ? 'limit' : 'allow', stands, of);
    if (known !== null) return known;
    await deps.record(action, { event: 'sent', acctId, cardId: card.cardId, ...sides });
    await deps.latestChanges.changed(acctId, expects, action.id);
    if (term.kind !== 'permanent') await deps.terms.openUnsent(change);
    try {
      await deps.card.putSpendRules(acctId, deps.applyChanges(raw, changes));
    } catch (error) {
      if (!(error instanceof CardApiError)) throw error;
      const isDone = error.outcome === 'unknown' ? await isAsRequested(acctId, changes) : false;
      if (isDone === true) {
        return await finish('done', { ...sides, ...(await deps.terms.resolve(change)), confirmation: 'confirmed' });
      }
      if ((error.retryable || isDone === null) && !attempt.isLast) throw error;
      const said = { apiWords: error.apiMessage, note: noteOf(error) };
      if (isDone === null) return await finish('unknown', { ...said, expects });
      await deps.terms.forget(action.id);
      return await finish('failed', said);
    }
    return await finish('done', { ...sides, ...(await deps.terms.resolve(change)), confirmation: 'sent', expects });
  };

  /** Whether the rules are now what was asked for; null when they cannot be read. */
  async function isAsRequested(acctId: number, changes: readonly RuleChange[]): Promise<boolean | null> {
    try {
      return isMade(changesFrom((await deps.card.getSpendRules(acctId)).rules, changes));
    } catch (error) {
      if (error instanceof CardApiError) return null;
      throw error;
    }
  }
}

/** What the rules say before and after, for people and the record. */
export function sidesOf(changes: readonly RuleChange[]): { before: string; after: string } {
  return { before: ruleStates(changes, 'from'), after: ruleStates(changes, 'to') };
}
