import { askedWords } from '../../templates/actions/action-result.ts';
import { statusWord } from '../../templates/core/card-words.ts';
import { sentences } from '../../templates/core/change-words.ts';
import { leftRuleset, mayBeOverruled } from '../../templates/limits/ruleset-words.ts';
import type { CardClient } from '../card-api/client.ts';
import { orNull } from '../card-api/errors.ts';
import { changesFrom, isMade } from '../card-api/rule-change.ts';
import type { Lease } from '../core/lock.ts';
import * as opsIssue from '../ops/issue.ts';
import type { NotifyOps } from '../ops/notify-ops.ts';
import { alertIdOf, learnsFromAlert } from './action.ts';
import {
  type AwaitedChange,
  awaitedOf,
  type Expected,
  type ReportedState,
  type Result,
  reported,
  type Verdict,
  verdictOf,
} from './action-state.ts';
import type { ActionTools, Responses } from './action-tools.ts';
import type { LatestChanges } from './progress-store.ts';
import { endOf, FIRST_LOOK_MS, resultMessage, toOutcome } from './report.ts';
import { readBack, type StatusHistory } from './send-status.ts';

/** People are notified if nothing has shown a change within this time. */
const VERIFY_TIMEOUT_MS = 2 * 60_000;

/** A status change has a webhook, which gets some time. A limit has none, so it is read sooner. */
const FIRST_READ_MS = { status: 3000, rule: 1000 } as const;
const LOOK_AGAIN_MAX_MS = 30_000;

/** A single call without retries, because it is repeated later anyway. */
export const READ_ONCE = { deadlineMs: 5000, maxRetries: 0 } as const;

/** The requests whose approvals make changes. */
export interface RequestsOfActions {
  /** Runs under the lock of the request that the action became, if any. */
  withLock(outcomeOf: string, work: (lease?: Lease) => Promise<void>): Promise<void>;
  /** The outcome of a change is known. Updates its request, if any. */
  verified(outcomeOf: string, actionId: string, confirmation: Verdict['confirmation'], lease: Lease): Promise<void>;
}

interface Deps
  extends Pick<ActionTools, 'progress' | 'nameRuleset' | 'withLock' | 'now'>,
    Pick<ActionTools, 'record' | 'outcomes' | 'notifyDirectly' | 'cardChanged'> {
  readonly responses: Pick<Responses, 'answer'>;
  readonly card: Pick<CardClient, 'getAccount' | 'getSpendRules'>;
  readonly history: Pick<StatusHistory, 'confirmedBy'>;
  readonly latestChanges: Pick<LatestChanges, 'changedBy' | 'isSuperseded'>;
  readonly requests: RequestsOfActions;
  readonly notifyOps: NotifyOps;
  /**
   * Completes a change of rules whose answer was lost.
   *
   * @returns the text to add; null if there is none.
   */
  readonly applyLateConfirmation: (
    awaited: AwaitedChange,
    verdict: Verdict,
  ) => Promise<Pick<Result, 'note' | 'control'> | null>;
  /** The account's current data at the card service; null: it does not exist. */
  readonly reload: (acctId: number) => Promise<{ readonly rulesetId: number | null } | null>;
}

/**
 * Checks whether a sent change is visible: its webhook has arrived, or the card service shows it.
 *
 * Idempotent: the verdict is stored before anyone is notified, and the change stays pending until everyone is.
 *
 * The returned function returns the milliseconds until the next check, or null when it is done.
 */
export function createVerifyAction(deps: Deps): (actionId: string) => Promise<number | null> {
  const conclude = createConclude(deps);
  return async function verifyAction(actionId) {
    const reportedState = reported(await deps.progress.read(actionId));
    const awaited = awaitedOf(reportedState);
    if (reportedState === null || awaited === null) return null;
    const elapsedMs = deps.now().getTime() - Date.parse(awaited.sentAt);
    const isLate = elapsedMs >= VERIFY_TIMEOUT_MS;
    // The performing process reports first; otherwise "sent" could overwrite "confirmed".
    const isToBeNotified = reportedState.state === 'sent' && !reportedState.isNotified;
    const verdict = verdictOf(reportedState) ?? (await look(awaited, elapsedMs, isLate));
    if (verdict === null || (isToBeNotified && !isLate)) {
      const untilLate = Math.max(FIRST_LOOK_MS, VERIFY_TIMEOUT_MS - elapsedMs);
      return Math.min(Math.max(elapsedMs, FIRST_LOOK_MS), LOOK_AGAIN_MAX_MS, untilLate);
    }
    // Takes locks in the same order as decisions on requests do.
    await deps.requests.withLock(awaited.outcomeOf, (outer) =>
      deps.withLock(`account:${awaited.acctId}`, (lease) => conclude(awaited, verdict, lease), outer),
    );
    return null;
  };

  /** Null: nothing shows it yet. */
  async function look(
    { action, acctId, result }: AwaitedChange,
    elapsedMs: number,
    isLate: boolean,
  ): Promise<Verdict | null> {
    const { expects } = result;
    if (expects === undefined) return null;
    const eventId =
      expects.kind === 'status' ? await deps.history.confirmedBy(acctId, expects.status, action.id) : null;
    const byWebhook = { confirmation: 'confirmed', by: 'webhook', eventId } as const;
    if (eventId !== null && result.state !== 'unknown') return byWebhook;
    // What a card was before does not show that it was made, unless a webhook says so.
    const wasSo = expects.kind === 'status' && result.before === statusWord(expects.status);
    const isShown = result.state !== 'unknown' || !wasSo;
    const isDue = eventId !== null || (isShown && elapsedMs >= FIRST_READ_MS[expects.kind]);
    const seen = isDue && (await isSeen(acctId, expects));
    // Without an answer, the webhook may be that of an earlier change. Unless it cannot be read, the card decides.
    if (eventId !== null && (seen === true || (seen === null && isLate))) return byWebhook;
    if (seen === true) return { confirmation: 'confirmed', by: 'read-back', eventId: null };
    if (await deps.latestChanges.isSuperseded(acctId, expects, action.id)) {
      return { confirmation: 'superseded', by: null, eventId: null };
    }
    return isLate ? { confirmation: 'unconfirmed', by: null, eventId: null } : null;
  }

  /** Null: the card cannot be read now. */
  async function isSeen(acctId: number, expects: Expected): Promise<boolean | null> {
    if (expects.kind === 'status') {
      const status = await readBack(acctId, expects.cardId, deps.card, READ_ONCE);
      return status === null ? null : status === expects.status;
    }
    const read = await orNull(deps.card.getSpendRules(acctId, READ_ONCE));
    return read === null ? null : isMade(changesFrom(read.rules, expects.changes));
  }
}

/**
 * The outcome of a change is known: stores it, then reports it. First the record, then the alert's messages, then the
 * people who must be notified. Idempotent.
 */
function createConclude(deps: Deps) {
  const seenNow = createSeenNow(deps);
  return async function conclude(awaited: AwaitedChange, verdict: Verdict, lease: Lease): Promise<void> {
    const { action, verb, acctId, outcomeOf, sentAt } = awaited;
    const { confirmation } = verdict;
    await keep(awaited, verdict, awaited.result);
    const { result, withoutRuleset } = await seenNow(awaited, verdict);
    const { before, after, card } = result;
    const { expects, card: asked } = awaited.result;
    const ruleset = expects?.kind === 'rule' ? (asked.ruleset ?? null) : null;
    const hasLeft = ruleset !== null && confirmation !== 'superseded' && card.ruleset == null;
    const followed = `the card followed ruleset ${ruleset?.id} when it was asked`;
    const left = `this change took the card off ruleset ${ruleset?.id}`;
    const detail = ruleset === null ? null : hasLeft ? left : followed;
    const { by: confirmedBy, eventId } = verdict;
    const facts = { acctId, cardId: card.cardId, before, after, detail, confirmedBy, eventId };
    await deps.record(action, { event: confirmation, ...facts, ...lineOf(awaited, verdict, hasLeft ? left : null) });
    await keep(awaited, verdict, result);

    const alertId = alertIdOf(action);
    if (alertId !== null) {
      const mayOverrule = confirmation === 'confirmed' && card.ruleset?.mayOverrule === true;
      const isSaid = mayOverrule && (await deps.outcomes.saysOfRuleset(alertId));
      const shown = isSaid ? { ...result, note: withoutRuleset } : result;
      await deps.outcomes.show(alertId, outcomeOf, toOutcome(action, verb, shown, sentAt));
    }
    if (confirmation === 'unconfirmed')
      await deps.notifyOps(opsIssue.notConfirmed(askedWords[verb], action.id.slice(-8)));
    await deps.requests.verified(outcomeOf, action.id, confirmation, lease);
    await deps.cardChanged(acctId);
    if (mustNotify(awaited, verdict, result) && !(await knowsOfIt(awaited, verdict)))
      await tell(awaited, { ...result, confirmation });
    await keep(awaited, verdict, result, true);
  };

  /** Replaces an answer that replaced a question. Anything else is the message that the answer promised. */
  async function tell({ action, verb, result: was, sentAt }: AwaitedChange, result: Result): Promise<void> {
    const { id, origin, actor } = action;
    const message = resultMessage(action, verb, result, sentAt);
    if (origin.replace) await deps.responses.answer(action, message);
    if (origin.replace && was.state === 'done' && result.confirmation === 'confirmed') return;
    await deps.notifyDirectly(actor.userId, `${id}-${result.confirmation}`, message);
  }

  /**
   * True when the person has changed the same thing again, or the change has ended: they were told about the first change
   * and know the rest.
   */
  async function knowsOfIt({ action, acctId, result }: AwaitedChange, { confirmation }: Verdict): Promise<boolean> {
    if (confirmation !== 'superseded' || result.state !== 'done' || result.expects === undefined) return false;
    const own = [action.id, `end-${action.id}`];
    const later = (await deps.latestChanges.changedBy(acctId, result.expects)).filter((id) => !own.includes(id));
    const states = await Promise.all(later.map((id) => deps.progress.read(id)));
    return states.every((state) => reported(state)?.awaited?.action.actor.userId === action.actor.userId);
  }

  /** Stored before anyone is notified, so that after a crash another worker reports the same. */
  async function keep(awaited: AwaitedChange, verdict: Verdict, result: Result, isNotified = false): Promise<void> {
    const { confirmation: state, by, eventId } = verdict;
    const found: ReportedState = { state, at: awaited.sentAt, result, isNotified, awaited, seen: { by, eventId } };
    await deps.progress.write(awaited.action.id, found);
  }
}

/**
 * Unconfirmed changes and cards that left their ruleset also go to the audit channel.
 *
 * @param left the text for the latter.
 */
function lineOf({ verb, result, sentAt }: AwaitedChange, { confirmation }: Verdict, left: string | null) {
  if (confirmation !== 'unconfirmed' && left === null) return {};
  const outcome = left ?? 'not confirmed by the card service within 2 minutes';
  const { card } = result;
  return {
    line: { did: `asked to ${askedWords[verb]}`, card, at: sentAt, reason: null, outcome, until: endOf(result) },
  };
}

/** The result of a change after verification, and its note without the part about a ruleset. */
function createSeenNow(deps: Deps) {
  return async function seenNow(awaited: AwaitedChange, verdict: Verdict) {
    const opened = await deps.applyLateConfirmation(awaited, verdict);
    const seen = { ...resultOf(awaited.result, verdict, deps.now()), ...opened };
    return { result: await aboutRuleset(awaited, seen), withoutRuleset: seen.note };
  };

  /**
   * A card's ruleset can still stop purchases, whatever the card's own rules say. The change may also have taken the
   * card out of the ruleset, so the current ruleset is read.
   */
  async function aboutRuleset({ acctId, result: { expects } }: AwaitedChange, result: Result): Promise<Result> {
    if (expects?.kind !== 'rule' || result.confirmation === 'superseded' || result.card.ruleset == null) return result;
    const before = await deps.nameRuleset(result.card);
    const now = await deps.reload(acctId);
    if (now?.rulesetId === null) {
      return { ...result, card: { ...before, ruleset: null }, note: sentences(result.note, leftRuleset(before)) };
    }
    const why = mayBeOverruled(before);
    return { ...result, card: before, ...(why === null ? {} : { note: sentences(result.note, why) }) };
  }
}

/** Fills in the outcome that was unknown. What was sent stays done. */
function resultOf(result: Result, { confirmation }: Verdict, now: Date): Result {
  const { expects: _seen, control, ...rest } = result;
  // The control may have expired since.
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
 * Alerts in channels, and answers that replaced a question, show the result in place. Other people are notified only if the
 * result differs from what they were told.
 */
function mustNotify({ action, result }: AwaitedChange, { confirmation }: Verdict, now: Result): boolean {
  // That a ruleset may overrule the change was said when it was sent. That the card has left the ruleset is news.
  const hasLeft = result.card.ruleset != null && now.card.ruleset == null;
  const isOtherwise = confirmation === 'unconfirmed' || confirmation === 'superseded';
  const isNews = isOtherwise || result.state === 'unknown' || hasLeft;
  return (isNews && !learnsFromAlert(action)) || action.origin.replace;
}
