import { type ActionVerb, actionResult } from '../../templates/actions/action-result.ts';
import { auditLine } from '../../templates/audit/audit-line.ts';
import { changeWords, sentences } from '../../templates/core/change-words.ts';
import { mayBeOverruled, saysOfRuleset } from '../../templates/limits/ruleset-words.ts';
import type { Outcome } from '../alerts/alert.ts';
import type { AuditRecord } from '../audit/audit.ts';
import { type Action, alertIdOf } from './action.ts';
import type { ActionDeps } from './deps.ts';
import type { ProgressEnd, ProgressEntry } from './progress-store.ts';
import type { Result } from './result.ts';

const didWords: Readonly<Record<ActionVerb, Readonly<Record<Result['state'], string>>>> = {
  block: words('blocked', 'block'),
  unblock: words('unblocked', 'unblock'),
  activate: words('activated', 'activate'),
  limit: words('changed the limit of', 'change the limit of'),
  allow: words('changed the spend rules of', 'change the spend rules of'),
};

function words(done: string, asked: string): Record<Result['state'], string> {
  return {
    done,
    unchanged: `asked to ${asked}`,
    failed: `asked to ${asked}`,
    unknown: `asked to ${asked}`,
    waiting: `asked to ${asked}`,
  };
}

const outcomeWords: Readonly<Record<Result['state'], string>> = {
  done: '',
  unchanged: 'nothing to change',
  failed: 'failed, nothing changed',
  unknown: 'outcome not known',
  waiting: 'waits for another approver',
};

/** The webhook of a change follows it at once. */
export const FIRST_LOOK_MS = 400;

/** The record of an action at one of its stations. */
export function auditRecord(
  action: Action,
  event: AuditRecord['event'],
  facts: {
    acctId: number | null;
    cardId: number | null;
    before?: string | null;
    after?: string | null;
    detail?: string | null;
    api?: string | null;
    confirmedBy?: AuditRecord['confirmedBy'];
    eventId?: string | null;
  },
  { now, twoPersonAboveCents }: Pick<ActionDeps, 'now' | 'twoPersonAboveCents'>,
): AuditRecord {
  return {
    at: now().toISOString(),
    actionId: action.id,
    event,
    verb: action.verb,
    actor: action.actor,
    roles: [...action.roles],
    acctId: facts.acctId,
    cardId: facts.cardId,
    before: facts.before ?? null,
    after: facts.after ?? null,
    reason: action.reason,
    channel: action.origin.channel,
    messageTs: action.origin.messageTs,
    alertId: alertIdOf(action),
    detail: facts.detail ?? null,
    twoPersonAboveCents,
    ...(action.policy === undefined ? {} : { policy: action.policy }),
    ...(facts.api == null ? {} : { api: facts.api }),
    ...(facts.confirmedBy == null ? {} : { confirmedBy: facts.confirmedBy, eventId: facts.eventId ?? null }),
  };
}

/** Whose outcome on the alert it is: an approved request answers for the action that asked for it. */
interface OutcomeOf {
  readonly outcomeOf?: string;
}

/** The end, where an action has come to it. */
export function endOf(entry: ProgressEntry): ProgressEnd | null {
  return 'result' in entry ? entry : null;
}

/**
 * Settles how an action ended, writes it down, then tells: first the record, then the alert's messages, then the person.
 *
 * Settled first, so that whoever takes over after a crash records the same end, not what it looks like from then; and
 * the first end counts, so that two who work on it at once tell the same.
 *
 * @returns how it ended.
 */
export async function report(
  action: Action,
  verb: ActionVerb,
  result: Result,
  deps: ActionDeps,
  options: OutcomeOf = {},
): Promise<Result> {
  const end = { state: 'settled', at: deps.now().toISOString(), result } as const;
  const first = endOf(await deps.progress.write(action.id, end)) ?? end;
  await notify(action, verb, first, deps, options);
  return first.result;
}

/** What the card API answered, for the record. Null where a refusal was ours. */
function apiAnswerOf({ state, confirmation, apiWords }: Result): string | null {
  if (state === 'done') return confirmation === 'confirmed' ? 'no answer, then found as wished' : 'accepted';
  if (state === 'failed') return apiWords === null ? null : `refused: ${apiWords}`;
  return state === 'unknown' ? 'no answer' : 'not asked';
}

/** Records how an action ended, and tells. After a crash in the middle it is told again: no part of it does harm twice. */
export async function notify(
  action: Action,
  verb: ActionVerb,
  { at, result }: { at: string; result: Result },
  deps: ActionDeps,
  { outcomeOf = action.id }: OutcomeOf = {},
): Promise<void> {
  const { card, state, before, after, apiWords, confirmation, control } = result;
  const confirmedBy = confirmation === 'confirmed' ? 'read-back' : null;
  const facts = {
    ...card,
    before,
    after,
    detail: apiWords ?? result.note,
    api: apiAnswerOf(result),
    confirmedBy,
  } as const;
  await deps.audit.append(auditRecord(action, state, facts, deps));
  if (result.expects !== undefined) await awaitConfirmation(action, verb, { at, result }, outcomeOf, deps);
  const ref = action.id.slice(-8);
  const reason = action.reason === '' ? null : action.reason;
  // Kept out of the result: whoever looks at the card says anew what its ruleset means by then.
  const overruled = await overruledWords(result, deps);
  const note = overruled === null ? result.note : sentences(result.note, overruled);

  if (state !== 'unchanged') {
    const outcome = [outcomeWords[state], apiWords].filter(Boolean).join(': ');
    const line = auditLine({
      by: action.actor.userId,
      did: didWords[verb][state],
      card,
      at,
      before,
      after,
      reason,
      outcome,
      ref,
    });
    await deps.postAuditLine(`audit-${action.id}-${state}`, line);
  }

  const alertId = alertIdOf(action);
  // A yes that failed leaves the request open: whoever asked still waits.
  const leavesAlert = state === 'unchanged' || (state === 'failed' && outcomeOf !== action.id);
  if (alertId !== null && !leavesAlert) {
    // The message with the button is there for sure, whatever became of our own note of it. Where somebody decided for
    // another, the button was on the request, which stays a request.
    const { channel, messageTs } = action.origin;
    const isOnAlert = action.target.kind === 'alert' && outcomeOf === action.id;
    if (messageTs !== null && isOnAlert) await deps.alertMessages.seen(alertId, { channel, ts: messageTs });
    const said = await isSaidOfRuleset(alertId, deps);
    await deps.alerts.setOutcome(
      alertId,
      outcomeOf,
      toOutcome(action, verb, { ...result, note: said ? result.note : note }, at),
    );
    await deps.updateMessages(alertId);
  }
  // A button's success shows on the alert itself, unless that is a copy which only this person sees; everything else is
  // told to the person who asked.
  if (action.target.kind !== 'alert' || state !== 'done' || action.origin.messageTs === null) {
    const by = action.actor.userId;
    const said = { before, after, apiWords, reason, note, control, confirmation };
    const shown = { verb, state, card, by, at, ...said, ref };
    await deps.answer(action, actionResult(shown));
  }
  await deps.progress.write(action.id, { state: 'told', at, result });
}

/** The alert says already that a ruleset may overrule what its card is allowed. */
export async function isSaidOfRuleset(alertId: string, { alerts }: ActionDeps): Promise<boolean> {
  const alert = await alerts.get(alertId);
  return alert !== null && saysOfRuleset(alert);
}

/** Of a change of the card's rules that was sent: that a ruleset may overrule it; null where none does. */
async function overruledWords({ card, confirmation, expects }: Result, deps: ActionDeps): Promise<string | null> {
  if (confirmation !== 'sent' || expects?.kind !== 'rule' || card.ruleset == null) return null;
  return mayBeOverruled(await deps.nameRuleset(card));
}

/** Somebody looks whether it can be seen; also after a crash, because what waits is kept until it is settled. */
async function awaitConfirmation(
  action: Action,
  verb: ActionVerb,
  { at, result }: { at: string; result: Result },
  outcomeOf: string,
  { confirmations, scheduleConfirm }: ActionDeps,
): Promise<void> {
  const { acctId } = result.card;
  if (acctId === null) return;
  await confirmations.open({ action, verb, acctId, outcomeOf, result, sentAt: at, verdict: null });
  await scheduleConfirm(action.id, Date.parse(at) + FIRST_LOOK_MS);
}

/** What the alert shows of an action. */
export function toOutcome(
  action: Action,
  verb: ActionVerb,
  { card, state, before, after, apiWords, note, confirmation, control }: Result,
  at: string,
): Outcome {
  const change =
    (verb === 'limit' || verb === 'allow') && state === 'done' && after !== null
      ? changeWords(before ?? 'unknown', after)
      : '';
  const said = apiWords === null ? '' : `The card service says: “${apiWords}”`;
  const reason = action.reason === '' ? '' : `Reason: ${action.reason}`;
  return {
    verb,
    by: action.actor.userId,
    at,
    acctId: card.acctId,
    state: state === 'unchanged' ? 'failed' : state,
    asHolder: action.asHolder,
    text: sentences(change, said, note, state === 'done' ? reason : ''),
    ...(confirmation === undefined ? {} : { confirmation }),
    control: control ?? null,
  };
}
