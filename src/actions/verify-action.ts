import { actionResult } from '../../templates/actions/action-result.ts';
import { auditLine } from '../../templates/audit/audit-line.ts';
import { sentences } from '../../templates/core/change-words.ts';
import { leftRuleset, mayBeOverruled } from '../../templates/limits/ruleset-words.ts';
import { changesFrom, isMade } from '../card-api/rule-change.ts';
import { CardApiError } from '../core/errors.ts';
import { applyLateConfirmation } from '../limits/apply-late-confirmation.ts';
import * as opsIssue from '../ops/issue.ts';
import { readBack } from './change-status.ts';
import type { AwaitedConfirmation, Verdict } from './confirmation-store.ts';
import type { ActionDeps } from './deps.ts';
import { auditRecord, FIRST_LOOK_MS, isSaidOfRuleset, toOutcome } from './report.ts';
import type { Expected, Result } from './result.ts';

/** People are told when nothing has shown a change by then. */
const PATIENCE_MS = 2 * 60_000;

/** A status has a webhook, which gets a moment; a limit has none, so it is looked at sooner. */
const FIRST_READ_MS = { status: 3000, rule: 1000 } as const;
const LOOK_AGAIN_MAX_MS = 30_000;

/** One question, asked again later anyway. */
const READ_ONCE = { deadlineMs: 5000, maxRetries: 0 } as const;

/** The requests whose approvals make changes. */
export interface RequestsOfActions {
  /** Runs under the lock of the request that an action became, where it became one. */
  withLock(outcomeOf: string, work: () => Promise<void>): Promise<void>;
  /** It is known now what became of a change; the request follows, where there is one. */
  verified(outcomeOf: string, actionId: string, confirmation: Verdict['confirmation']): Promise<void>;
}

/**
 * Looks whether a change that was sent can be seen: its webhook has come, or the card service shows it.
 *
 * Safe to repeat: what was seen is written down before anybody is told, and it waits until all of it is told.
 *
 * @returns milliseconds after which to look again, or null when it is over.
 */
export async function confirmAction(
  actionId: string,
  deps: ActionDeps,
  requests: RequestsOfActions,
): Promise<number | null> {
  const awaited = await deps.confirmations.get(actionId);
  if (awaited === null) return null;
  const elapsedMs = deps.now().getTime() - Date.parse(awaited.sentAt);
  const isLate = elapsedMs >= PATIENCE_MS;
  // Whoever performs it tells first; otherwise "sent" could overwrite "confirmed".
  const isTold = (await deps.progress.read(actionId))?.state === 'told';
  const verdict = awaited.verdict ?? (await look(awaited, elapsedMs, isLate, deps));
  if (verdict === null || (!isTold && !isLate)) {
    const untilLate = Math.max(FIRST_LOOK_MS, PATIENCE_MS - elapsedMs);
    return Math.min(Math.max(elapsedMs, FIRST_LOOK_MS), LOOK_AGAIN_MAX_MS, untilLate);
  }
  // Locks are taken in the order in which who decides a request takes them.
  await requests.withLock(awaited.outcomeOf, () =>
    deps.withLock(`account:${awaited.acctId}`, () => settle(awaited, verdict, deps, requests)),
  );
  return null;
}

/** Null: nothing shows it yet. */
async function look(
  { action, acctId, result }: AwaitedConfirmation,
  elapsedMs: number,
  isLate: boolean,
  deps: ActionDeps,
): Promise<Verdict | null> {
  const { expects } = result;
  if (expects === undefined) return null;
  if (expects.kind === 'status') {
    const eventId = await deps.history.confirmedBy(acctId, expects.status, action.id);
    if (eventId !== null) return { confirmation: 'confirmed', by: 'webhook', eventId };
  }
  if (elapsedMs >= FIRST_READ_MS[expects.kind] && (await isSeen(acctId, expects, deps))) {
    return { confirmation: 'confirmed', by: 'read-back', eventId: null };
  }
  if (await deps.confirmations.isSuperseded(acctId, expects, action.id)) {
    return { confirmation: 'superseded', by: null, eventId: null };
  }
  return isLate ? { confirmation: 'unconfirmed', by: null, eventId: null } : null;
}

/** False also when it cannot be read now. */
async function isSeen(acctId: number, expects: Expected, deps: ActionDeps): Promise<boolean> {
  if (expects.kind === 'status') return (await readBack(acctId, expects.cardId, deps, READ_ONCE)) === expects.status;
  try {
    const { rules } = await deps.card.getSpendRules(acctId, READ_ONCE);
    return isMade(changesFrom(rules, expects.changes));
  } catch (error) {
    if (error instanceof CardApiError) return false;
    throw error;
  }
}

/** First the record, then the alert's messages, then whoever must hear of it. */
async function settle(
  awaited: AwaitedConfirmation,
  verdict: Verdict,
  deps: ActionDeps,
  requests: RequestsOfActions,
): Promise<void> {
  const { action, verb, acctId, outcomeOf, sentAt } = awaited;
  const { confirmation } = verdict;
  await deps.confirmations.decide(action.id, verdict);
  const { expects } = awaited.result;
  if (confirmation === 'confirmed' && expects?.kind === 'status' && expects.status === 'ACTIVE') {
    // Unless a newer wish counts already.
    if (!(await deps.confirmations.isSuperseded(acctId, expects, action.id))) await deps.blocks.forgetWanted(acctId);
  }
  const opened = await applyLateConfirmation(awaited, verdict, deps);
  const seenNow = { ...resultOf(awaited.result, verdict, deps.now()), ...opened };
  const result = await aboutRuleset(awaited, seenNow, deps);
  const { before, after, card } = result;
  const { ruleset } = awaited.result.card;
  const detail =
    ruleset == null || expects?.kind !== 'rule' ? null : `the card followed ruleset ${ruleset.id} when it was asked`;
  const seen = { confirmedBy: verdict.by, eventId: verdict.eventId };
  await deps.audit.append(auditRecord(action, confirmation, { ...card, acctId, before, after, detail, ...seen }, deps));
  await deps.progress.write(action.id, { state: 'told', at: sentAt, result });

  const { target } = action;
  const alertId = target.kind === 'alert' || target.kind === 'card' ? target.alertId : null;
  if (alertId !== null) {
    const mayOverrule = confirmation === 'confirmed' && result.card.ruleset?.mayOverrule === true;
    const isSaid = mayOverrule && (await isSaidOfRuleset(alertId, deps));
    const shown = isSaid ? { ...result, note: seenNow.note } : result;
    await deps.alerts.setOutcome(alertId, outcomeOf, toOutcome(action, verb, shown, sentAt));
    await deps.updateMessages(alertId);
  }
  if (confirmation === 'unconfirmed') await notifyUnconfirmed(awaited, deps);
  await requests.verified(outcomeOf, action.id, confirmation);
  if (mustNotify(awaited, verdict, result)) {
    const by = action.actor.userId;
    const shown = { ...result, verb, by, at: sentAt, reason: action.reason || null, ref: action.id.slice(-8) };
    await deps.answer(action, actionResult({ ...shown, confirmation }));
  }
  await deps.confirmations.close(action.id);
}

/** What nobody knew is known now; what was sent stays done. */
function resultOf(result: Result, { confirmation }: Verdict, now: Date): Result {
  const { expects: _seen, control, ...rest } = result;
  // What could be done about it for a minute may be over by now.
  const isOver = control == null || Date.parse(control.until) <= now.getTime();
  const isKnownNow = result.state === 'unknown' && confirmation === 'confirmed';
  return {
    ...rest,
    control: isOver ? null : control,
    ...(isKnownNow && { state: 'done' as const, note: null }),
    confirmation,
  };
}

/**
 * An alert shows it in place, and so does an answer that took the place of a question. Anybody else hears only what
 * is not as they were told.
 */
function mustNotify({ action, result }: AwaitedConfirmation, { confirmation }: Verdict, now: Result): boolean {
  if (confirmation === 'superseded') return false;
  // That a ruleset may overrule it was said with what was sent; that the card has left it is news.
  const hasLeft = result.card.ruleset != null && now.card.ruleset == null;
  const isNews = confirmation === 'unconfirmed' || result.state === 'unknown' || hasLeft;
  return (isNews && action.target.kind !== 'alert') || action.origin.replace;
}

/**
 * A card that follows a ruleset may be stopped by that all the same, whatever its own rules show; or the change has taken
 * it out of the ruleset. So it is asked which it follows now.
 */
async function aboutRuleset(
  { acctId, result: { expects } }: AwaitedConfirmation,
  result: Result,
  deps: ActionDeps,
): Promise<Result> {
  if (expects?.kind !== 'rule' || result.confirmation === 'superseded' || result.card.ruleset == null) return result;
  const before = await deps.nameRuleset(result.card);
  const now = await deps.directory.reload(acctId);
  if (now?.rulesetId === null) {
    return { ...result, card: { ...before, ruleset: null }, note: sentences(result.note, leftRuleset(before)) };
  }
  const why = mayBeOverruled(before);
  return { ...result, card: before, ...(why === null ? {} : { note: sentences(result.note, why) }) };
}

const askedWords: Readonly<Record<AwaitedConfirmation['verb'], string>> = {
  block: 'block',
  unblock: 'unblock',
  activate: 'activate',
  limit: 'change the limit of',
  allow: 'change the spend rules of',
};

async function notifyUnconfirmed(awaited: AwaitedConfirmation, deps: ActionDeps): Promise<void> {
  const { action, verb, result, sentAt } = awaited;
  const ref = action.id.slice(-8);
  const line = auditLine({
    by: action.actor.userId,
    did: `asked to ${askedWords[verb]}`,
    card: result.card,
    at: sentAt,
    before: result.before,
    after: result.after,
    reason: null,
    outcome: 'not confirmed by the card service within 2 minutes',
    ref,
  });
  await deps.postAuditLine(`audit-${action.id}-unconfirmed`, line);
  await deps.notifyOps(opsIssue.notConfirmed(verb, ref));
}
