import { type ActionVerb, actionResult } from '../../templates/action-result.ts';
import { auditLine } from '../../templates/audit-line.ts';
import type { CardFacts, Outcome } from '../alert/alert.ts';
import type { Action } from '../authority/action.ts';
import type { AuditRecord } from '../store/audit.ts';
import type { PerformDeps } from './deps.ts';

/** How an action ended. */
export interface Result {
  /** `unchanged`: it was so already, nothing was asked of the card API. */
  readonly state: 'done' | 'unchanged' | 'failed' | 'unknown' | 'waiting';
  readonly card: CardFacts;
  readonly before: string | null;
  readonly after: string | null;
  /** The card API's own words, when it refused. */
  readonly apiWords: string | null;
  /** One plain sentence more: why nothing was done, when it ends by itself, what to do. */
  readonly note: string | null;
}

const didWords: Readonly<Record<ActionVerb, Readonly<Record<Result['state'], string>>>> = {
  block: words('blocked', 'block'),
  unblock: words('unblocked', 'unblock'),
  activate: words('activated', 'activate'),
  limit: words('changed the limit of', 'change the limit of'),
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
  waiting: 'waits for a second approver',
};

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
  },
  { now, twoPersonAboveCents }: Pick<PerformDeps, 'now' | 'twoPersonAboveCents'>,
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
    alertId: action.target.kind === 'alert' ? action.target.alertId : null,
    detail: facts.detail ?? null,
    twoPersonAboveCents,
  };
}

/**
 * Writes down how an action ended, then tells: first the record, then the alert's messages, then the person.
 */
export async function report(action: Action, verb: ActionVerb, result: Result, deps: PerformDeps): Promise<void> {
  const { card, state, before, after, apiWords, note } = result;
  const at = deps.now().toISOString();
  const ref = action.id.slice(-8);
  const detail = apiWords ?? note;
  await deps.audit.append(auditRecord(action, state, { ...card, before, after, detail }, deps));
  await deps.journal.write(action.id, { state: 'settled', before, after });

  if (state !== 'unchanged') {
    const line = auditLine({
      by: action.actor.userId,
      did: didWords[verb][state],
      card,
      at,
      before,
      after,
      reason: action.reason === '' ? null : action.reason,
      outcome: [outcomeWords[state], apiWords].filter(Boolean).join(': '),
      ref,
    });
    await deps.postAuditLine(`audit-${action.id}-${state}`, line);
  }

  const alertId = action.target.kind === 'alert' ? action.target.alertId : null;
  if (alertId !== null && state !== 'unchanged') {
    // The message with the button is there for sure, whatever became of our own note of it.
    const { channel, messageTs } = action.origin;
    if (messageTs !== null) await deps.alerts.addRef(alertId, { channel, ts: messageTs });
    await deps.alerts.setOutcome(alertId, action.id, toOutcome(action, verb, result, at));
    await deps.updateMessages(alertId);
  }
  // A button's success shows on the alert itself; everything else is told to the person who asked.
  if (alertId !== null && state === 'done') return;
  await deps.answer(
    action,
    actionResult({
      verb,
      state,
      card,
      by: action.actor.userId,
      at,
      before,
      after,
      apiWords,
      reason: action.reason === '' ? null : action.reason,
      note,
      ref,
    }),
  );
}

function toOutcome(
  action: Action,
  verb: ActionVerb,
  { state, before, after, apiWords, note }: Result,
  at: string,
): Outcome {
  const change = verb === 'limit' && state === 'done' && after !== null ? `${before ?? 'unknown'} → ${after}` : '';
  const said = apiWords === null ? '' : `The card service says: “${apiWords}”`;
  const reason = action.reason === '' ? '' : `Reason: ${action.reason}`;
  return {
    verb,
    by: action.actor.userId,
    at,
    state: state === 'done' ? 'done' : state === 'waiting' ? 'waiting' : 'failed',
    text: [change, said, note, state === 'done' ? reason : ''].filter(Boolean).join('. '),
  };
}
