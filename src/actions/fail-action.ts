import type { ActionVerb } from '../../templates/actions/action-result.ts';
import { sentences } from '../../templates/core/change-words.ts';
import { refusal } from '../../templates/policy/refusal.ts';
import type { CardApiError } from '../core/errors.ts';
import type { Action, Resolved } from './action.ts';
import { type ActionState, type Result, reported } from './action-state.ts';
import type { ActionTools } from './action-tools.ts';
import type { Blocks } from './block-store.ts';
import type { Reports } from './report.ts';
import { noteOf } from './send-status.ts';
import { unblockOf } from './undo-block.ts';

const ownFault = 'Something in Cardbell itself went wrong. Try again in a minute.';

/** A change that is not tried again. */
export interface FailedChange {
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

interface Deps extends Pick<ActionTools, 'progress' | 'record' | 'factsOf' | 'answer'> {
  readonly blocks: Pick<Blocks, 'get'>;
  readonly reports: Reports;
}

export function createFailures(deps: Deps) {
  return {
    /** Says so, and whether anything may have changed all the same. */
    async failAction(given: Resolved, error: CardApiError | null): Promise<void> {
      const { action, acctId } = (await undoOf(given.action)) ?? given;
      const written = await deps.progress.read(action.id);
      if (reported(written)?.isTold === true) return;
      const verb = changing[action.verb] ?? null;
      if (verb === null || acctId === 0) return await failUnchanged(action, error);
      await failChange({ action, verb, acctId, written, error });
    },
    /** A change of a card. @returns what is told of it. */
    failChange,
    /** An action that changes no card. */
    failUnchanged,
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

  async function failUnchanged(action: Action, error: CardApiError | null): Promise<void> {
    await deps.record(action, { event: 'failed', detail: error?.apiMessage ?? error?.code ?? 'internal' });
    const apiWords = error?.apiMessage == null ? '' : ` It says: “${error.apiMessage}”`;
    await deps.answer(
      action,
      refusal({
        what: action.verb === 'show' ? 'Showing the card' : `Your ${action.verb}`,
        why: error === null ? 'It could not be finished.' : `The card service could not be asked.${apiWords}`,
        whoCan: whyOf(error) ?? 'Try again in a minute.',
      }),
    );
  }
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
