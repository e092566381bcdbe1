import type { ActionVerb } from '../../templates/actions/action-result.ts';
import { sentences } from '../../templates/core/change-words.ts';
import { refusal } from '../../templates/policy/refusal.ts';
import type { CardApiError } from '../core/errors.ts';
import type { Action, Resolved } from './action.ts';
import { noteOf } from './change-status.ts';
import type { ActionDeps } from './deps.ts';
import type { ProgressEntry } from './progress-store.ts';
import { auditRecord, notify, report } from './report.ts';
import type { Result } from './result.ts';
import { unblockOf } from './undo-block.ts';

const ownFault = 'Something in Cardbell itself went wrong. Try again in a minute.';

/**
 * An action that will not be tried again: says so, and whether anything may have changed all the same.
 *
 * @param error null when the trouble is ours, not the card API's.
 */
export async function failAction(resolved: Resolved, error: CardApiError | null, deps: ActionDeps): Promise<void> {
  const { action, acctId } = (await undoOf(resolved.action, deps)) ?? resolved;
  const written = await deps.progress.read(action.id);
  if (written?.state === 'told') return;
  const verb = verbOf(action.verb);
  if (verb === null || acctId === 0) return await failUnchanged(action, error, deps);
  await failChange({ action, verb, acctId, written, error }, deps);
}

/** *Undo* names a block, not a card. */
async function undoOf(action: Action, { blocks }: ActionDeps): Promise<Resolved | null> {
  const block = action.target.kind === 'action' ? await blocks.get(action.target.actionId) : null;
  return block === null ? null : { action: unblockOf(action, block), acctId: block.acctId, cardId: block.cardId };
}

/** A change that is not tried again. */
export interface GivenUp {
  readonly action: Action;
  readonly verb: ActionVerb;
  readonly acctId: number;
  readonly written: ProgressEntry | null;
  readonly error: CardApiError | null;
  /** Whose outcome it is, where somebody else asked. */
  readonly outcomeOf?: string;
  /** What else to say where nothing was changed. */
  readonly hint?: string | null;
}

/** How a change ends that is not tried again. @returns what is told of it. */
export async function failChange(
  { action, verb, acctId, written, error, outcomeOf = action.id, hint = null }: GivenUp,
  deps: ActionDeps,
): Promise<Result> {
  // It came to its end; only the telling failed.
  if (written?.state === 'settled') await notify(action, verb, written, deps, { outcomeOf });
  if (written?.state === 'settled' || written?.state === 'told') return written.result;
  const card = deps.toFacts(acctId, await deps.directory.account(acctId).catch(() => null));
  const isUnsure = written?.state === 'sending';
  const { before, after } = isUnsure ? written : { before: null, after: null };
  // It may be there all the same: somebody looks, and tells.
  const expects = isUnsure ? { expects: written.expects } : {};
  const state = isUnsure ? 'unknown' : 'failed';
  const note = isUnsure ? null : sentences(whyOf(error), hint);
  const apiWords = error?.apiMessage ?? null;
  return await report(action, verb, { state, card, before, after, apiWords, note, ...expects }, deps, { outcomeOf });
}

function whyOf(error: CardApiError | null): string | null {
  return error === null ? ownFault : noteOf(error);
}

/** How an action ends that is not tried again and changes no card. */
export async function failUnchanged(action: Action, error: CardApiError | null, deps: ActionDeps): Promise<void> {
  const detail = error?.apiMessage ?? error?.code ?? 'internal';
  await deps.audit.append(auditRecord(action, 'failed', { acctId: null, cardId: null, detail }, deps));
  const said = error?.apiMessage == null ? '' : ` It says: “${error.apiMessage}”`;
  await deps.answer(
    action,
    refusal({
      what: action.verb === 'show' ? 'Showing the card' : `Your ${action.verb}`,
      why: error === null ? 'It could not be finished.' : `The card service could not be asked.${said}`,
      whoCan: whyOf(error) ?? 'Try again in a minute.',
    }),
  );
}

/** Null where no card is changed. */
function verbOf(verb: string): ActionVerb | null {
  return changing[verb] ?? null;
}

const changing: Readonly<Record<string, ActionVerb>> = {
  block: 'block',
  unblock: 'unblock',
  undo_block: 'unblock',
  activate: 'activate',
  limit: 'limit',
  allow: 'allow',
};
