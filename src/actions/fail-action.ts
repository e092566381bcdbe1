import type { ActionVerb } from '../../templates/actions/action-result.ts';
import { sentences } from '../../templates/core/change-words.ts';
import { refusal } from '../../templates/policy/refusal.ts';
import type { CardFacts } from '../core/card-facts.ts';
import { type CardApiError, TooLateError } from '../core/errors.ts';
import { fromStored } from '../core/unknown-fields.ts';
import { type Action, type Resolved, UnreadableAction } from './action.ts';
import { type ActionState, type ReportedState, type Result, reported, stateOf } from './action-state.ts';
import type { ActionTools } from './action-tools.ts';
import type { Blocks } from './block-store.ts';
import type { Reports } from './report.ts';
import { noteOf } from './send-change.ts';
import { unblockOf } from './undo-block.ts';

const ownFault = 'Something in Cardbell itself went wrong. Try again in a minute.';

/** A change that is not tried again. */
interface FailedChange {
  readonly action: Action;
  readonly verb: ActionVerb;
  readonly acctId: number;
  readonly written: ActionState | null;
  readonly error: CardApiError | null;
  /** Whose outcome it is, where somebody else asked. */
  readonly outcomeOf?: string;
  /** What else to say where nothing was changed. */
  readonly hint?: string | null;
}

/** How actions end that are not tried again. The error is null when the trouble is ours, not the card API's. */
export type Failures = ReturnType<typeof createFailures>;

/** Of an action whose card is not known, or that is about none. */
const noCard: CardFacts = {
  acctId: null,
  cardId: null,
  last4: null,
  holder: null,
  customId: null,
  isVirtual: null,
  group: null,
};

interface Deps
  extends Pick<ActionTools, 'progress' | 'record' | 'factsOf' | 'answer' | 'withLock' | 'now' | 'doingOf'> {
  readonly blocks: Pick<Blocks, 'get'>;
  readonly reports: Reports;
}

export function createFailures(deps: Deps) {
  const tellGivenUp = createTellGivenUp(deps);
  return {
    /** Says so, and whether anything may have changed all the same. */
    async failAction(given: Resolved, error: CardApiError | null): Promise<void> {
      const { action, acctId } = (await undoOf(given.action)) ?? given;
      const written = await deps.progress.read(action.id);
      if (reported(written)?.isTold === true) return;
      const verb = changing[action.verb] ?? null;
      if (verb === null || acctId === 0) return await failUnchanged(action, error, acctId);
      await failChange({ action, verb, acctId, written, error });
    },
    /** A change of a card. @returns what is told of it. */
    failChange,
    /** An action that changes no card. @throws TooLateError when somebody else has gone on with it. */
    failUnchanged,
    /**
     * True for an action that was given up: another worker lost its job while it told so. Tells it again where that is
     * missing; it is not done any more.
     */
    isGivenUp: async (action: Action): Promise<boolean> =>
      await tellGivenUp(action, await deps.progress.read(action.id)),
  };

  /** *Undo* names a block, not a card. */
  async function undoOf(action: Action): Promise<Resolved | null> {
    const block = action.target.kind === 'action' ? await deps.blocks.get(action.target.actionId) : null;
    return block === null ? null : { action: unblockOf(action, block), acctId: block.acctId, cardId: block.cardId };
  }

  async function failChange(failed: FailedChange): Promise<Result> {
    const { action, verb, acctId, written, error, outcomeOf = action.id, hint = null } = failed;
    // What became of it is known; only the telling failed.
    const known = await deps.reports.resume(action, verb, written, { outcomeOf });
    if (known !== null) return known;
    const card = await deps.factsOf(acctId);
    const isUnsure = written?.state === 'sending';
    const { before, after } = isUnsure ? written : { before: null, after: null };
    // It may be there all the same: somebody looks, and tells.
    const expects = isUnsure ? { expects: written.expects } : {};
    const state = isUnsure ? 'unknown' : 'failed';
    const note = isUnsure ? null : sentences(whyOf(error), hint);
    const apiWords = error?.apiMessage ?? null;
    const result = { state, card, before, after, apiWords, note, ...expects } as const;
    return await deps.reports.report(action, verb, result, { outcomeOf });
  }

  async function failUnchanged(action: Action, error: CardApiError | null, acctId = 0): Promise<void> {
    const apiWords = error?.apiMessage ?? null;
    const said = apiWords === null ? '' : ` It says: “${apiWords}”`;
    const own = givenUp('failed', deps.now(), apiWords, {
      detail: apiWords ?? error?.code ?? 'internal',
      why: error === null ? 'It could not be finished.' : `The card service could not be asked.${said}`,
      whoCan: whyOf(error) ?? 'Try again in a minute.',
    });
    // Before anybody is told: whoever still works on it, after this job was lost, must not do it then.
    const stands = (await deps.progress.begin(action.id, own)) ?? own;
    if (stands.state === 'sending') return await failUnsure(action, acctId);
    if (!(await tellGivenUp(action, stands))) throw new TooLateError('somebody else has gone on with it');
  }

  /** A worker died while it was sending. One that is still sending holds the lock. */
  async function failUnsure(action: Action, acctId: number): Promise<void> {
    await deps.withLock(acctId === 0 ? `order:${action.id}` : `account:${acctId}`, async () => {
      const written = await deps.progress.read(action.id);
      if (written?.state !== 'sending') throw new TooLateError('somebody else has gone on with it');
      const own = givenUp('unknown', deps.now(), null, {
        detail: 'internal',
        why: 'The card service may have done it: its answer was lost, and I do not ask twice.',
        whoCan: 'Look at the card service before you ask again.',
      });
      await tellGivenUp(action, await deps.progress.write(action.id, own));
    });
  }
}

/** Tells what was given up, once. @returns false for what was not. */
function createTellGivenUp({ progress, record, answer, doingOf }: Deps) {
  return async function tellGivenUp(action: Action, state: ActionState | null): Promise<boolean> {
    const known = reported(state);
    if (known?.givenUp === undefined) return false;
    if (known.isTold) return true;
    const { detail, why, whoCan } = known.givenUp;
    const isUnsure = known.result.state === 'unknown';
    await record(action, { event: isUnsure ? 'unknown' : 'failed', detail });
    const what = `Your request to ${doingOf(action.verb)}`;
    await answer(action, refusal({ what, why, whoCan, isUnsure }));
    await progress.write(action.id, { ...known, isTold: true });
    return true;
  };
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

function whyOf(error: CardApiError | null): string | null {
  return error === null ? ownFault : noteOf(error);
}

/** What each verb that changes a card does to it. */
const changing: Readonly<Record<string, ActionVerb>> = {
  block: 'block',
  unblock: 'unblock',
  'undo-block': 'unblock',
  activate: 'activate',
  limit: 'limit',
  allow: 'allow',
};

type UnreadableDeps = Pick<ActionTools, 'record' | 'answer' | 'hasBegun' | 'doingOf'>;

/**
 * An action that a newer version took, and that this one cannot read, is not tried again: that is on record, and whoever
 * asked is told. It stays among the failed jobs, from where it can be replayed.
 */
export function createFailUnreadable({
  record,
  answer,
  hasBegun,
  doingOf,
}: UnreadableDeps): (data: unknown) => Promise<void> {
  return async function failUnreadable(data) {
    const action = toUnreadableAction(data);
    // Not even who asked can be read: ops hear of the failed job.
    if (action === null) return;
    await record(action, { event: 'failed', detail: 'asked of a newer version of Cardbell; this one cannot read it' });
    const isCertain = await hasBegun(action).then(
      (isBegun) => !isBegun,
      () => false,
    );
    await answer(
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

/** Null: it cannot be read at all. */
export function toUnreadableAction(data: unknown): Action | null {
  try {
    return fromStored(UnreadableAction, data);
  } catch {
    return null;
  }
}
