import { verbWords } from '../../templates/actions/action-result.ts';
import { sentences } from '../../templates/core/change-words.ts';
import { leftRuleset, mayBeOverruled } from '../../templates/limits/ruleset-words.ts';
import type { Lease } from '../core/lock.ts';
import * as opsIssue from '../ops/issue.ts';
import type { NotifyOps } from '../ops/notify-ops.ts';
import { type Action, alertIdOf, learnsFromAlert } from './action.ts';
import {
  type AwaitedChange,
  type Expected,
  type ReportedState,
  type Result,
  reported,
  requestedBy,
  type Verdict,
} from './action-state.ts';
import type { ActionTools, Responses } from './action-tools.ts';
import type { LatestChanges, Progress } from './progress-store.ts';
import { endOf, resultMessage, toOutcome } from './report.ts';
import type { RequestsOfActions } from './verify-action.ts';

interface Deps extends Pick<ActionTools, 'record' | 'outcomes' | 'cardChanged'> {
  readonly progress: Pick<Progress, 'write'>;
  readonly requests: Pick<RequestsOfActions, 'verified'>;
  readonly notifyOps: NotifyOps;
  readonly verifiedResult: VerifiedResult;
  readonly notifyOfVerdict: NotifyOfVerdict;
}

/**
 * The outcome of a change is known: stores it, then reports it. First the record, then the alert's messages, then the
 * people who must be notified. Idempotent.
 */
export function createConcludeAction(deps: Deps) {
  return async function concludeAction(awaited: AwaitedChange, verdict: Verdict, lease: Lease): Promise<void> {
    const { action, verb, acctId, outcomeOf, sentAt } = awaited;
    const { confirmation } = verdict;
    await keep(awaited, verdict, awaited.result);
    const { result, withoutRuleset } = await deps.verifiedResult(awaited, verdict);
    const { before, after, card } = result;
    const { expects, card: asked } = awaited.result;
    const ruleset = expects?.kind === 'rule' ? (asked.ruleset ?? null) : null;
    const hasLeft = ruleset !== null && confirmation !== 'superseded' && card.ruleset == null;
    const followed = `the card followed ruleset ${ruleset?.id} when it was asked`;
    const left = `this change took the card off ruleset ${ruleset?.id}`;
    const closed = awaited.result.state === 'unknown' ? closedBy(awaited.result, verdict) : null;
    // Its verification ended before, and is on record as that of its person.
    const isByItself = verdict.isLate === true;
    const ofRules = ruleset === null ? closed : hasLeft ? left : followed;
    const detail = isByItself ? [MADE_LATE, ofRules].filter(Boolean).join('. ') : ofRules;
    const { by: confirmedBy, eventId } = verdict;
    const facts = { acctId, cardId: card.cardId, before, after, detail, confirmedBy, eventId };
    const line = lineOf(awaited, verdict, hasLeft ? left : closed);
    await deps.record(action, { event: confirmation, isByItself, ...facts, ...line });
    await keep(awaited, verdict, result);

    const alertId = alertIdOf(action);
    if (alertId !== null) {
      const mayOverrule = confirmation === 'confirmed' && card.ruleset?.mayOverrule === true;
      const isSaid = mayOverrule && (await deps.outcomes.saysOfRuleset(alertId));
      const shown = isSaid ? { ...result, note: withoutRuleset } : result;
      await deps.outcomes.show(alertId, outcomeOf, toOutcome(action, verb, shown, sentAt));
    }
    if (confirmation === 'unconfirmed')
      await deps.notifyOps(opsIssue.notConfirmed(verbWords[verb].asked, action.id.slice(-8)));
    await deps.requests.verified(requestedBy(awaited), action.id, confirmation, lease);
    await deps.cardChanged(acctId);
    await deps.notifyOfVerdict(awaited, verdict, result);
    await keep(awaited, verdict, result, true);
  };

  /** Stored before anyone is notified, so that after a crash another worker reports the same. */
  async function keep(awaited: AwaitedChange, verdict: Verdict, result: Result, isNotified = false): Promise<void> {
    const { confirmation: state, ...seen } = verdict;
    const { state: was, expects } = awaited.result;
    const mayComeLate = state !== 'confirmed' && was === 'unknown' && expects?.kind === 'rule';
    const late = mayComeLate ? ({ mayComeLate } as const) : {};
    const found: ReportedState = { state, at: awaited.sentAt, result, isNotified, awaited, seen, ...late };
    await deps.progress.write(awaited.action.id, found);
  }
}

/** For the record of a change that was on record as not confirmed. */
export const MADE_LATE = 'made late: found in effect after nothing had shown it';

/**
 * Unconfirmed changes, cards that left their ruleset, and cards that were closed for good go to the audit channel, too.
 *
 * @param news the text for the latter.
 */
function lineOf({ verb, result, sentAt }: AwaitedChange, { confirmation }: Verdict, news: string | null) {
  if (confirmation !== 'unconfirmed' && news === null) return {};
  const outcome = news ?? 'not confirmed by the card service within 2 minutes';
  const { card } = result;
  return {
    line: { did: `asked to ${verbWords[verb].asked}`, card, at: sentAt, reason: null, outcome, until: endOf(result) },
  };
}

/** The result of a change after verification, and its note without the part about a ruleset. */
type VerifiedResult = (
  awaited: AwaitedChange,
  verdict: Verdict,
) => Promise<{ readonly result: Result; readonly withoutRuleset: Result['note'] }>;

interface VerifiedDeps extends Pick<ActionTools, 'nameRuleset' | 'now'> {
  /**
   * Completes a change of rules whose answer was lost.
   *
   * @returns the text to add; null if there is none.
   */
  readonly applyLateConfirmation: (
    awaited: AwaitedChange,
    verdict: Verdict,
  ) => Promise<Pick<Result, 'note' | 'control' | 'alsoNeeds' | 'isBlocked'> | null>;
  /** The account's current data at the card service; null: it does not exist. */
  readonly reload: (acctId: number) => Promise<{ readonly rulesetId: number | null } | null>;
}

export function createVerifiedResult(deps: VerifiedDeps): VerifiedResult {
  return async function verifiedResult(awaited, verdict) {
    const opened = await deps.applyLateConfirmation(awaited, verdict);
    const found = { ...resultOf(awaited.result, verdict, deps.now()), ...opened };
    const seen = verdict.isLate === true ? { ...found, note: sentences(MADE_AFTER_ALL, found.note) } : found;
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

/** For whoever read that it was not confirmed. */
export const MADE_AFTER_ALL = 'It was made after all.';

/** What a change has closed for good, in words; null: nothing, or nobody knows yet. */
function closedBy({ expects }: Result, { confirmation }: Verdict): string | null {
  return confirmation === 'confirmed' && expects?.kind === 'status' ? (expects.closed ?? null) : null;
}

/** Fills in the outcome that was unknown. What was sent stays done. */
function resultOf(result: Result, verdict: Verdict, now: Date): Result {
  const { confirmation } = verdict;
  const { expects, control, ...rest } = result;
  // The control may have expired since.
  const isOver = control == null || Date.parse(control.until) <= now.getTime();
  const isKnownNow = result.state === 'unknown' && confirmation === 'confirmed';
  return {
    ...rest,
    control: isOver ? null : control,
    ...(isKnownNow && { state: 'done' as const, note: closedBy(result, verdict) }),
    confirmation,
    ...(confirmation === 'confirmed' && expects !== undefined && { expects }),
  };
}

/** Notifies the person who asked, if they do not know it yet. @param now the result after verification. */
type NotifyOfVerdict = (awaited: AwaitedChange, verdict: Verdict, now: Result) => Promise<void>;

interface NotifyDeps extends Pick<ActionTools, 'notifyDirectly' | 'outcomes'> {
  readonly responses: Pick<Responses, 'answer'>;
  readonly latestChanges: Pick<LatestChanges, 'changedBy'>;
  readonly progress: Pick<Progress, 'read' | 'isAnswerReplaced'>;
}

export function createNotifyOfVerdict(deps: NotifyDeps): NotifyOfVerdict {
  return async function notifyOfVerdict(awaited, verdict, now) {
    const { action } = awaited;
    const isShown = learnsFromAlert(action) && (await deps.outcomes.areShownIn(action.origin.channel));
    if (mustNotify(awaited, verdict, now, isShown) && !(await knowsOfIt(awaited, verdict)))
      await notify(awaited, { ...now, confirmation: verdict.confirmation });
  };

  /**
   * Replaces an answer that replaced a question, unless the answer to its button has replaced it since. Anything else is the
   * message that the answer promised.
   */
  async function notify(awaited: AwaitedChange, result: Result): Promise<void> {
    const { action, verb, result: was, sentAt } = awaited;
    const { id, origin, actor } = action;
    const message = resultMessage(action, verb, result, sentAt);
    // The same for both: if both are direct messages, only one is sent.
    const messageId = `${id}-${result.confirmation}`;
    const isReplaced = origin.replace && (await deps.progress.isAnswerReplaced(id));
    const isAsSaid = was.state === 'done' && result.confirmation === 'confirmed';
    const isOnlyThere = isAsSaid && !hasLeftRuleset(was, result);
    if (origin.replace && !isReplaced)
      await deps.responses.answer({ ...action, id: messageId }, message, { isOnlyThere });
    if (origin.replace && isAsSaid && (!isReplaced || isOnlyThere)) return;
    await deps.notifyDirectly(actor.userId, messageId, message);
  }

  /**
   * True when the person has changed the same thing again, or the change has ended: they were told about the first change
   * and know the rest.
   */
  async function knowsOfIt({ action, acctId, result }: AwaitedChange, { confirmation }: Verdict): Promise<boolean> {
    if (confirmation !== 'superseded' || result.state !== 'done' || result.expects === undefined) return false;
    return await areOwn(await changesAfter(action, acctId, result.expects), action);
  }

  async function changesAfter({ id }: Action, acctId: number, expects: Expected): Promise<string[]> {
    return (await deps.latestChanges.changedBy(acctId, expects)).filter((changer) => changer !== id);
  }

  /** Whether the same person made these changes. The end of an action is its person's, too. */
  async function areOwn(changers: readonly string[], { id, actor }: Action): Promise<boolean> {
    const others = changers.filter((changer) => changer !== `end-${id}`);
    const states = await Promise.all(others.map((changer) => deps.progress.read(changer)));
    return states.every((state) => reported(state)?.awaited?.action.actor.userId === actor.userId);
  }
}

/**
 * Alerts in channels, and answers that replaced a question, show the result in place. Other people are notified only if the
 * result differs from what they were told.
 *
 * @param isShown the alert shows it to the person.
 */
function mustNotify(
  { action, result }: AwaitedChange,
  { confirmation }: Verdict,
  now: Result,
  isShown: boolean,
): boolean {
  const isOtherwise = confirmation === 'unconfirmed' || confirmation === 'superseded';
  const isNews = isOtherwise || result.state === 'unknown' || hasLeftRuleset(result, now);
  return (isNews && !isShown) || action.origin.replace;
}

/** News, unlike that a ruleset may overrule the change: that was said when it was sent. */
function hasLeftRuleset(was: Result, now: Result): boolean {
  return was.card.ruleset != null && now.card.ruleset == null;
}
