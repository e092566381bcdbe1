import { mayRefuseActivation, statusWord } from '../../templates/core/card-words.ts';
import { sentences } from '../../templates/core/change-words.ts';
import { CardApiError, TooLateError } from '../core/errors.ts';
import type { Action } from './action.ts';
import {
  type ActionState,
  type ActionVerb,
  type Confirmation,
  type Expected,
  type Result,
  reported,
} from './action-state.ts';
import type { ActionTools, LockedRun } from './action-tools.ts';
import type { Counts, LatestChanges } from './progress-store.ts';
import type { Reports } from './report.ts';

/** A retried older action must not undo a newer one. */
export const changedSince =
  'It is not certain whether the card service made this change, and the card was changed again since then. I did not repeat it. Look at the card, and ask again if you still want it.';

/** Reports how an action ended. Absent fields keep their values from before anything was sent. */
export type Finish = (state: Result['state'], rest?: Partial<Result>) => Promise<Result>;

/** A change of a card that is ready to be sent. */
export interface Change {
  readonly action: Action;
  readonly verb: ActionVerb;
  readonly acctId: number;
  readonly cardId: number | null;
  readonly expects: Expected;
  /** The previous and new values, as people read them. */
  readonly sides: { readonly before: string | null; readonly after: string };
  /**
   * Identifies the state of the card when it was read, so that a later state can be told apart; undefined: it could not
   * be read.
   */
  readonly basis: string | undefined;
  /** How far an earlier attempt got; null: this is the first attempt. */
  readonly written: ActionState | null;
  /** What else it does, for the record. */
  readonly detail?: string | null;
  /** Why a change that an earlier attempt may have sent is not sent again. Absent or null: it may be sent again. */
  readonly whyNot?: string | null;
  /** The action the outcome belongs to, if it is not this one (an approved request). */
  readonly outcomeOf?: string;
  /** Which later changes supersede this one. Default: all. */
  readonly counts?: Counts;
}

/** The card service's answer when it rejected the change. */
type Explanation = Pick<Result, 'apiWords' | 'note'>;

/** How one kind of change is written, verified and reported. */
interface Steps {
  /** Runs before the call to the card service, because the process may die after either step. */
  readonly prepare: () => Promise<unknown>;
  /** @throws TooLateError when it has sent nothing. */
  readonly write: () => Promise<void>;
  /** Runs after a missing answer. `changed`: someone else changed the same thing. `unread`: the card cannot be read. */
  readonly checkMade: () => Promise<'made' | 'changed' | 'unmade' | 'unread'>;
  readonly made: (confirmation: Extract<Confirmation, 'sent' | 'confirmed'>) => Promise<Result>;
  /** `action`: one of ours changed the same thing since. `outside`: the card has changed, and none of ours did it. */
  readonly stopAsChanged: (by: 'action' | 'outside') => Promise<Result>;
  /** The change was certainly not made: reverses `prepare`. It runs again before the next attempt. */
  readonly forget: () => Promise<unknown>;
  /** The change was never sent, and never will be: what was counted for it before counts no longer. */
  readonly forgetRaise?: () => Promise<unknown>;
  /** The change was certainly not made, and is not tried again. */
  readonly fail: (explanation: Explanation) => Promise<Result>;
  /** The outcome is unknown and is verified later. */
  readonly leave: (explanation: Explanation) => Promise<Result>;
}

export type SendChange = ReturnType<typeof createSendChange>;

/** A call that the card service has not carried out by then was lost. */
export const CARRIED_OUT_WITHIN_MS = 10 * 60_000;

interface Deps extends Pick<ActionTools, 'record' | 'now'> {
  readonly progress: Pick<ActionTools['progress'], 'write'>;
  readonly latestChanges: Pick<LatestChanges, 'changed' | 'changedBy' | 'isSuperseded' | 'notMade'>;
  readonly reports: Pick<Reports, 'resume'>;
  /** See `CardApiAssumptions`. */
  readonly activationRefusedHours: number;
  /** See `CardApiAssumptions`. */
  readonly statusRefusedTexts: readonly string[];
}

/**
 * Sends a change of a card once. Progress is stored before the record, and both before the call to the card service. If
 * no answer came, the card is read again. The change is sent again only if the card is unchanged.
 *
 * Throws CardApiError when the job should be retried, and TooLateError when this process must not write.
 */
export function createSendChange({ progress, record, now, latestChanges, reports, ...assumed }: Deps) {
  return async function sendChange(change: Change, steps: Steps, run: LockedRun): Promise<Result> {
    const { action, verb, acctId, cardId, expects, sides, basis, detail = null } = change;
    const by = await whoChanged(change);
    if (by !== null) return await steps.stopAsChanged(by);
    if (change.whyNot != null) {
      const explanation = { apiWords: null, note: change.whyNot };
      return mayStillBeMade(change.written, verb, now())
        ? await steps.leave(explanation)
        : await failUnmade(explanation);
    }
    const followed = await latestChanges.changedBy(acctId, expects);
    const mayStillCome = mayStillBeMade(change.written, verb, now());
    const on = { acctId, cardId: expects.kind === 'status' ? expects.cardId : cardId };
    const sending = { state: 'sending', ...on, ...sides, expects, followed, sentAt: now().toISOString() } as const;
    const stands = await progress.write(action.id, { ...sending, ...(basis !== undefined && { basis }) });
    const ended = await endedMeanwhile(change, stands, steps, reports);
    if (ended !== null) return ended;
    await record(action, { event: 'sent', acctId, cardId, ...sides, detail });
    await latestChanges.changed(acctId, expects, action);
    await steps.prepare();
    // Whoever has the lock by now continues from what is stored.
    await run.lease.confirm();
    try {
      await steps.write();
    } catch (error) {
      if (error instanceof TooLateError && !mayStillCome) await startOver();
      if (!(error instanceof CardApiError)) throw error;
      const seen = error.outcome === 'unknown' ? await steps.checkMade() : 'unmade';
      if (seen === 'made') return await steps.made('confirmed');
      if (seen === 'changed') return await steps.stopAsChanged('outside');
      if ((error.retryable || seen === 'unread') && !run.isLast) {
        if (error.outcome !== 'unknown' && !mayStillCome) await startOver();
        throw error;
      }
      const explanation = { apiWords: error.apiMessage, note: noteFor(change, error, assumed) };
      // A service that did not answer in time, now or before, may still make the change.
      if (error.outcome === 'unknown' || mayStillCome) return await steps.leave({ ...explanation, note: null });
      return await failUnmade(explanation);
    }
    return await steps.made('sent');

    /** Before the retry, others may decide otherwise, or do the same themselves. */
    async function startOver(): Promise<void> {
      await forget();
      await progress.write(action.id, { state: 'asked' });
    }

    async function failUnmade(explanation: Explanation): Promise<Result> {
      await forget();
      return await steps.fail(explanation);
    }

    async function forget(): Promise<void> {
      await latestChanges.notMade(acctId, expects, action);
      await steps.forget();
    }
  };

  /** A worker may have made this change before it died, and something has changed since. */
  async function whoChanged(change: Change): Promise<'action' | 'outside' | null> {
    const { action, acctId, expects, basis, written, counts } = change;
    if (written?.state !== 'sending') return null;
    if (await latestChanges.isSuperseded(acctId, expects, action.id, written.followed, counts)) return 'action';
    const isOther = written.basis !== undefined && basis !== undefined && written.basis !== basis;
    return isOther ? 'outside' : null;
  }
}

/** How another worker has ended the change; null: none has. @throws TooLateError when it has refused it. */
async function endedMeanwhile(
  change: Change,
  stands: ActionState,
  { forgetRaise }: Pick<Steps, 'forgetRaise'>,
  reports: Deps['reports'],
): Promise<Result | null> {
  // The person was told so. A worker that was slow must not do it after all.
  if (stands.state === 'refused') {
    await forgetRaise?.();
    throw new TooLateError('another worker has refused it');
  }
  const resumed = await reports.resume(change.action, change.verb, stands, change);
  if (resumed?.state === 'failed') await forgetRaise?.();
  return resumed;
}

/** True when the card service may still carry out an earlier attempt. Only a block is sent without a basis. */
export function mayStillBeMade(written: ActionState | null, verb: ActionVerb, now: Date): boolean {
  const isRecent = (at: string) => now.getTime() - Date.parse(at) < CARRIED_OUT_WITHIN_MS;
  const reportedState = reported(written);
  if (reportedState !== null) return reportedState.result.state === 'unknown' && isRecent(reportedState.at);
  if (written?.state !== 'sending' || (written.basis === undefined && verb !== 'block')) return false;
  return written.sentAt === undefined || isRecent(written.sentAt);
}

/** The service does not say that a card is too new to be activated. */
function noteFor(
  { verb, sides }: Pick<Change, 'verb' | 'sides'>,
  error: CardApiError,
  {
    activationRefusedHours: hours,
    statusRefusedTexts: texts,
  }: Pick<Deps, 'activationRefusedHours' | 'statusRefusedTexts'>,
): string | null {
  const said = error.apiMessage?.toLowerCase() ?? null;
  const isUnexplained = said === null || texts.some((text) => said.includes(text.toLowerCase()));
  const isRefused = verb === 'activate' && error.code === 'refused' && error.outcome === 'refused';
  const mayBeTooNew = isRefused && isUnexplained && sides.before === statusWord('INACTIVE') && hours > 0;
  return sentences(noteOf(error), mayBeTooNew ? mayRefuseActivation(hours) : null) || null;
}

/** Text to show next to, or instead of, the API's own words. */
export function noteOf(error: CardApiError): string | null {
  if (error.code === 'token_dead')
    return 'The card service no longer accepts Cardbell’s token; the ops channel has been told.';
  if (error.code === 'refused' && error.outcome === 'not_sent') return `I did not send it: ${error.message}.`;
  if (error.code === 'refused')
    return error.apiMessage === null ? 'The card service refused without giving a reason.' : null;
  if (error.code === 'rate_limited') return 'The card service was rate limiting Cardbell. Try again in a few minutes.';
  return 'The card service did not answer properly. Try again in a minute.';
}
