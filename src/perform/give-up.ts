import type { ActionVerb } from '../../templates/action-result.ts';
import { refusal } from '../../templates/refusal.ts';
import { isOfLimits, RuleValue } from '../alert/rule-change.ts';
import { ruleState } from '../alert/rule-words.ts';
import type { Action, Verb } from '../authority/action.ts';
import type { Result } from '../authority/result.ts';
import type { CardApiError } from '../errors.ts';
import type { JournalEntry } from '../store/journal.ts';
import type { LimitRequest } from '../store/requests.ts';
import { noteOf } from './change-status.ts';
import { approvalOf, withChanges } from './decide-request.ts';
import type { PerformDeps } from './deps.ts';
import { auditRecord, report, tell } from './report.ts';
import type { Resolved } from './resolve-card.ts';
import { changeOfYes, settleYes, yesOf } from './settle-yes.ts';
import { unblockOf } from './undo-block.ts';

const ownFault = 'Something in Cardbell itself went wrong. Try again in a minute.';

/**
 * An action that will not be tried again: says so, and whether anything may have changed all the same.
 *
 * @param error null when the trouble is ours, not the card API's.
 */
export async function giveUp(resolved: Resolved, error: CardApiError | null, deps: PerformDeps): Promise<void> {
  if (resolved.action.target.kind === 'request' && isYes(resolved.action)) {
    return await giveUpYes(resolved.action, error, deps);
  }
  const { action, acctId } = (await undoOf(resolved.action, deps)) ?? resolved;
  const written = await deps.journal.read(action.id);
  if (written?.state === 'told') return;
  const verb = verbOf(action.verb);
  if (verb === null || acctId === 0) return await giveUpOther(action, error, deps);
  await endOfChange({ action, verb, acctId, written, error }, deps);
}

/** *Undo* names a block, not a card. */
async function undoOf(action: Action, { blocks }: PerformDeps): Promise<Resolved | null> {
  const block = action.target.kind === 'action' ? await blocks.get(action.target.actionId) : null;
  return block === null ? null : { action: unblockOf(action, block), acctId: block.acctId, cardId: block.cardId };
}

/** A yes to a request, or broken glass: the request, who asked and who looks at the card hear of the same. */
async function giveUpYes(click: Action, error: CardApiError | null, deps: PerformDeps): Promise<void> {
  const requestId = click.target.kind === 'request' ? click.target.requestId : '';
  await deps.withLock(`request:${requestId}`, async () => {
    const request = await deps.requests.get(requestId);
    const written = await deps.journal.read(click.id);
    const isOver = request?.decision === click.id || request?.unsure?.id === click.id;
    if (request === null) return await giveUpOther(click, error, deps);
    if (isOver || request.approvals.some(({ id }) => id === click.id)) return;
    const changed = await asDecided(click, request, written, deps);
    const { wish } = changed;
    const verb = isOfLimits(wish.change) ? 'limit' : 'allow';
    const of = { acctId: request.acctId, written, error, outcomeOf: request.action.id };
    const result = await endOfChange({ action: changeOfYes(click, request, wish), verb, ...of }, deps);
    await settleYes(request, yesOf(click, changed, deps), result, deps);
  });
}

function isYes({ verb, approve }: Action): boolean {
  return verb === 'break_glass' || (verb === 'decide' && approve === true);
}

/** The request as the click would have left it. */
async function asDecided(
  click: Action,
  request: LimitRequest,
  written: JournalEntry | null,
  deps: PerformDeps,
): Promise<Pick<LimitRequest, 'wish' | 'approvals' | 'note'>> {
  if (click.verb === 'decide') {
    const { wish, approvals, note } = await withChanges(click, request, deps);
    return { wish, note, approvals: [...approvals, approvalOf(click, deps)] };
  }
  // Broken glass made less of it than was asked for.
  const expects = written?.state === 'sending' ? written.expects : undefined;
  const term = (await deps.leases.get(click.id))?.term ?? request.wish.term;
  const wish = expects?.kind === 'rule' ? { change: expects.change, term } : request.wish;
  return { wish, approvals: request.approvals, note: click.reason };
}

interface GivenUp {
  readonly action: Action;
  readonly verb: ActionVerb;
  readonly acctId: number;
  readonly written: JournalEntry | null;
  readonly error: CardApiError | null;
  /** Whose outcome it is, where somebody else asked. */
  readonly outcomeOf?: string;
}

async function endOfChange(
  { action, verb, acctId, written, error, outcomeOf = action.id }: GivenUp,
  deps: PerformDeps,
): Promise<Result> {
  // It came to its end; only the telling failed.
  if (written?.state === 'settled') await tell(action, verb, written, deps, { outcomeOf });
  if (written?.state === 'settled' || written?.state === 'told') return written.result;
  const card = deps.toFacts(acctId, await deps.directory.account(acctId).catch(() => null));
  const isUnsure = written?.state === 'sending';
  const sides = isUnsure ? sidesOf(written) : { before: null, after: null };
  // It may be there all the same: somebody looks, and tells.
  const expects = isUnsure ? { expects: written.expects } : {};
  const state = isUnsure ? 'unknown' : 'failed';
  const note = isUnsure ? null : whyOf(error);
  const apiWords = error?.apiMessage ?? null;
  return await report(action, verb, { state, card, ...sides, apiWords, note, ...expects }, deps, { outcomeOf });
}

function whyOf(error: CardApiError | null): string | null {
  return error === null ? ownFault : noteOf(error);
}

/** Where no card is changed. */
async function giveUpOther(action: Action, error: CardApiError | null, deps: PerformDeps): Promise<void> {
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

/** Null where no card is changed. */
function verbOf(verb: Verb): ActionVerb | null {
  if (verb === 'undo_block') return 'unblock';
  return isChange(verb) ? verb : null;
}

function isChange(verb: Verb): verb is Extract<Verb, ActionVerb> {
  return ['block', 'unblock', 'activate', 'limit', 'allow'].includes(verb);
}
