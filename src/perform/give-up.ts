import type { ActionVerb } from '../../templates/action-result.ts';
import { refusal } from '../../templates/refusal.ts';
import { RuleValue, ruleState } from '../alert/rule-change.ts';
import type { Verb } from '../authority/action.ts';
import type { Result } from '../authority/result.ts';
import type { CardApiError } from '../errors.ts';
import type { JournalEntry } from '../store/journal.ts';
import { noteOf } from './change-status.ts';
import type { PerformDeps } from './deps.ts';
import { auditRecord, report, tell } from './report.ts';
import type { Resolved } from './resolve-card.ts';

const ownFault = 'Something in Cardbell itself went wrong. Try again in a minute.';

/**
 * An action that will not be tried again: says so, and whether anything may have changed all the same.
 *
 * @param error null when the trouble is ours, not the card API's.
 */
export async function giveUp(resolved: Resolved, error: CardApiError | null, deps: PerformDeps): Promise<void> {
  const { action } = resolved;
  const written = await deps.journal.read(action.id);
  if (written?.state === 'told') return;
  const note = error === null ? ownFault : noteOf(error);
  const verb = verbOf(action.verb);
  // It came to its end; only the telling failed.
  if (written?.state === 'settled' && verb !== null) return await tell(action, verb, written, deps);
  const acctId = action.target.kind === 'request' ? await accountOf(action.target.requestId, deps) : resolved.acctId;
  if (verb !== null && acctId !== 0) {
    const card = deps.toFacts(acctId, await deps.directory.account(acctId).catch(() => null));
    const isUnsure = written?.state === 'sending';
    const sides = isUnsure ? sidesOf(written) : { before: null, after: null };
    // It may be there all the same: somebody looks, and tells.
    const expects = isUnsure ? { expects: written.expects } : {};
    const state = isUnsure ? 'unknown' : 'failed';
    const apiWords = error?.apiMessage ?? null;
    await report(action, verb, { state, card, ...sides, apiWords, note: isUnsure ? null : note, ...expects }, deps);
    return;
  }
  const detail = error?.apiMessage ?? error?.code ?? 'internal';
  await deps.audit.append(auditRecord(action, 'failed', { acctId: null, cardId: null, detail }, deps));
  const said = error?.apiMessage == null ? '' : ` It says: “${error.apiMessage}”`;
  await deps.answer(
    action,
    refusal({
      what: action.verb === 'show' ? 'Showing the card' : `Your ${action.verb}`,
      why: error === null ? 'It could not be finished.' : `The card service could not be asked.${said}`,
      whoCan: note ?? 'Try again in a minute.',
    }),
  );
}

/** What it was and was to be, in words. */
function sidesOf({
  before,
  after,
  expects,
}: Extract<JournalEntry, { state: 'sending' }>): Pick<Result, 'before' | 'after'> {
  // Of a rule the journal holds what was there as a value, so that it can be put back.
  if (expects?.kind !== 'rule' || before === null) return { before, after };
  return { before: ruleState(expects.change, RuleValue.parse(JSON.parse(before))), after };
}

/** A decision is about a limit. Null where no card is changed. */
function verbOf(verb: Verb): ActionVerb | null {
  if (verb === 'decide' || verb === 'break_glass') return 'limit';
  if (verb === 'undo_block') return 'unblock';
  return isChange(verb) ? verb : null;
}

function isChange(verb: Verb): verb is Extract<Verb, ActionVerb> {
  return ['block', 'unblock', 'activate', 'limit', 'allow'].includes(verb);
}

async function accountOf(requestId: string, { requests }: PerformDeps): Promise<number> {
  return (await requests.get(requestId))?.acctId ?? 0;
}
