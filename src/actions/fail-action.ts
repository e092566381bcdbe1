import { stillTrying } from '../../templates/actions/ask-again.ts';
import { sentences } from '../../templates/core/change-words.ts';
import { refusal } from '../../templates/policy/refusal.ts';
import { noCard } from '../core/card-facts.ts';
import { CardApiError, RolesUnreadError, TooLateError } from '../core/errors.ts';
import { fromStored } from '../core/unknown-fields.ts';
import { type Action, isOnAlert, type Resolved, UnreadableAction } from './action.ts';
import { type ActionState, ActionVerb, type ReportedState, type Result, reported, stateOf } from './action-state.ts';
import type { ActionTools, Responses } from './action-tools.ts';
import type { Blocks } from './block-store.ts';
import type { Reports } from './report.ts';
import { type Change, noteOf } from './send-change.ts';
import { unblockOf } from './undo-block.ts';

const ownFault = 'Something in Cardbell itself went wrong. Try again in a minute.';

/** Why an action is not retried. Null: the cause is Cardbell's. */
export type Cause = CardApiError | RolesUnreadError | null;

/** The cause that an error names to people. */
export function causeOf(error: unknown): Cause {
  return error instanceof CardApiError || error instanceof RolesUnreadError ? error : null;
}

/** A change that will not be retried. */
interface FailedChange extends Pick<Change, 'action' | 'verb' | 'acctId' | 'written' | 'outcomeOf'> {
  readonly error: Cause;
  /** An extra sentence for when nothing changed. */
  readonly hint?: string | null;
}

/** Reports that a change failed, and whether it may be in effect anyway. @returns the reported result. */
type FailChange = (failed: FailedChange) => Promise<Result>;

interface FailChangeDeps extends Pick<ActionTools, 'factsOf'> {
  readonly reports: Pick<Reports, 'report' | 'resume'>;
}

export function createFailChange({ factsOf, reports }: FailChangeDeps): FailChange {
  return async function failChange({ action, verb, acctId, written, error, outcomeOf = action.id, hint = null }) {
    // The outcome is known; only reporting it failed.
    const resumed = await reports.resume(action, verb, written, { outcomeOf });
    if (resumed !== null) return resumed;
    const card = await factsOf(acctId);
    const isUnsure = written?.state === 'sending';
    const { before, after } = isUnsure ? written : { before: null, after: null };
    // The change may be in effect anyway, so it is verified later.
    const expects = isUnsure ? { expects: written.expects } : {};
    const state = isUnsure ? 'unknown' : 'failed';
    const note = isUnsure ? null : sentences(whyOf(error), hint);
    const apiWords = wordsOf(error);
    const result = { state, card, before, after, apiWords, note, ...expects } as const;
    return await reports.report(action, verb, result, { outcomeOf });
  };
}

/** How actions end that are not retried, and what people read while one is. */
export type Failures = ReturnType<typeof createFailures> & {
  readonly notifyRetrying: ReturnType<typeof createNotifyRetrying>;
};

interface Deps extends Pick<ActionTools, 'progress' | 'record' | 'withLock' | 'now' | 'askedFor'> {
  readonly responses: Pick<Responses, 'answer'>;
  readonly blocks: Pick<Blocks, 'get'>;
  readonly failChange: FailChange;
}

export function createFailures(deps: Deps) {
  return {
    /** Reports the failure, and whether anything may have changed anyway. */
    async failAction(given: Resolved, error: Cause): Promise<void> {
      const { action, acctId } = (await undoOf(given.action)) ?? given;
      const written = await deps.progress.read(action.id);
      if (reported(written)?.isNotified === true) return;
      // Null: it changes no card.
      const verb = ActionVerb.safeParse(action.verb === 'undo-block' ? 'unblock' : action.verb).data ?? null;
      if (verb === null || acctId === 0) return await failUnchanged(action, error, acctId);
      await deps.failChange({ action, verb, acctId, written, error });
    },
    failChange: deps.failChange,
    /** Fails an action that changes no card. @throws TooLateError when another worker has continued it. */
    failUnchanged,
    /**
     * True for an action that was given up while another worker lost the job. Completes the report if parts are
     * missing. The action is not performed any more.
     */
    isGivenUp: async (action: Action): Promise<boolean> =>
      await notifyGivenUp(action, await deps.progress.read(action.id), deps),
  };

  /** *Undo* names a block, not a card. */
  async function undoOf(action: Action): Promise<Resolved | null> {
    const block = action.target.kind === 'action' ? await deps.blocks.get(action.target.actionId) : null;
    return block === null ? null : { action: unblockOf(action, block), acctId: block.acctId, cardId: block.cardId };
  }

  async function failUnchanged(action: Action, error: Cause, acctId = 0): Promise<void> {
    const apiWords = wordsOf(error);
    const own = givenUp('failed', deps.now(), apiWords, {
      what: await requestOf(action, acctId, deps),
      detail: apiWords ?? error?.code ?? 'internal',
      why: stoppedBy(error),
      whoCan: whyOf(error) ?? 'Try again in a minute.',
    });
    // Stored before anyone is notified: another worker that still has the job must not perform it after that.
    const stands = (await deps.progress.begin(action.id, own)) ?? own;
    if (stands.state === 'sending') return await failUnsure(action, acctId);
    if (!(await notifyGivenUp(action, stands, deps))) throw new TooLateError('another worker has continued it');
  }

  /** A worker died while sending. A worker that is still sending holds the lock. */
  async function failUnsure(action: Action, acctId: number): Promise<void> {
    await deps.withLock(acctId === 0 ? `order:${action.id}` : `account:${acctId}`, async () => {
      const written = await deps.progress.read(action.id);
      if (written?.state !== 'sending') throw new TooLateError('another worker has continued it');
      const own = givenUp('unknown', deps.now(), null, {
        what: await requestOf(action, acctId, deps),
        detail: 'internal',
        why: 'The card service gave no clear answer, so it may or may not have happened.',
        whoCan: 'Check the card program’s portal before you try again.',
      });
      await notifyGivenUp(action, await deps.progress.write(action.id, own), deps);
    });
  }
}

async function requestOf(action: Action, acctId: number, { askedFor }: Pick<Deps, 'askedFor'>): Promise<string> {
  return `Your request to ${await askedFor(action, acctId === 0 ? null : acctId)}`;
}

/** Reports once that an action was given up. @returns false if it was not given up. */
async function notifyGivenUp(
  action: Action,
  state: ActionState | null,
  { progress, record, responses }: Deps,
): Promise<boolean> {
  const reportedState = reported(state);
  if (reportedState?.givenUp === undefined) return false;
  if (reportedState.isNotified) return true;
  const { what, detail, why, whoCan } = reportedState.givenUp;
  const isUnsure = reportedState.result.state === 'unknown';
  await record(action, { event: isUnsure ? 'unknown' : 'failed', detail });
  await responses.answer(action, refusal({ what, why, whoCan, isUnsure }));
  await progress.write(action.id, { ...reportedState, isNotified: true });
  return true;
}

function givenUp(
  state: 'failed' | 'unknown',
  now: Date,
  apiWords: string | null,
  words: NonNullable<ReportedState['givenUp']>,
): ReportedState {
  const result = { state, card: noCard, before: null, after: null, apiWords, note: null } as const;
  return { ...stateOf(result, now.toISOString()), givenUp: words };
}

function stoppedBy(error: Cause): string {
  if (!(error instanceof CardApiError)) return 'It could not be finished.';
  const { apiMessage } = error;
  return `The card service could not be asked.${apiMessage === null ? '' : ` It says: “${apiMessage}”.`}`;
}

/** What the card service said of it. */
function wordsOf(error: Cause): string | null {
  return error instanceof CardApiError ? error.apiMessage : null;
}

function whyOf(error: Cause): string | null {
  if (error instanceof RolesUnreadError)
    return sentences(`${error.message}, so I can’t decide this yet`, 'Try again in a minute');
  return error === null ? ownFault : noteOf(error);
}

interface RetryingDeps extends Pick<ActionTools, 'progress' | 'askedFor' | 'outcomes'> {
  readonly responses: Pick<Responses, 'answer'>;
}

/**
 * A card service that is down or limits requests can delay the answer by minutes. The person reads that once, however often
 * the job starts.
 */
export function createNotifyRetrying({ progress, askedFor, responses, outcomes }: RetryingDeps) {
  return async function notifyRetrying({ action, acctId }: Resolved, cause: NonNullable<Cause>): Promise<void> {
    if (!(await progress.isFirstTrouble(action.id))) return;
    const message = stillTrying({
      asked: await askedFor(action, acctId === 0 ? null : acctId),
      isRateLimited: cause.code === 'rate_limited',
      unread: cause instanceof CardApiError ? null : cause.message,
      isBlock: action.verb === 'block',
      isHolder: action.asHolder,
      isOnAlert: isOnAlert(action) && (await outcomes.areShownIn(action.origin.channel)),
    });
    // An id of its own, because Slack drops a second message with the same id.
    await responses.answer({ ...action, id: `${action.id}:trying` }, message);
  };
}

interface UnreadableDeps extends Pick<ActionTools, 'record' | 'hasBegun'> {
  readonly responses: Pick<Responses, 'answer'>;
  /** Completes "to …": `block cards`. Also works for verbs this version does not know. */
  readonly doingOf: (verb: string) => string;
}

/**
 * An action created by a newer version that this version cannot read. It is not retried: that is recorded, and the
 * person who asked is notified. The job stays among the failed jobs, where it can be replayed.
 */
export function createFailUnreadable({ record, responses, hasBegun, doingOf }: UnreadableDeps) {
  return async function failUnreadable(data: unknown): Promise<void> {
    const action = toUnreadableAction(data);
    // Not even the person who asked can be read. Ops are notified about the failed job.
    if (action === null) return;
    await record(action, { event: 'failed', detail: 'asked of a newer version of Cardbell; this one cannot read it' });
    const isCertain = await hasBegun(action).then(
      (isBegun) => !isBegun,
      () => false,
    );
    await responses.answer(
      action,
      refusal({
        what: `Your request to ${doingOf(action.verb)}`,
        why: 'Cardbell is being updated, and an older version got your request, which it cannot read.',
        whoCan: 'Ask again in a few minutes.',
        ...(isCertain ? {} : { changed: 'It is not certain whether anything changed: look at the card first.' }),
      }),
    );
  };
}

/** Null: nothing of it can be read. */
export function toUnreadableAction(data: unknown): Action | null {
  try {
    return fromStored(UnreadableAction, data);
  } catch {
    return null;
  }
}
