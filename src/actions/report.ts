import { actionResult, verbWords } from '../../templates/actions/action-result.ts';
import { serviceSaysRaw } from '../../templates/core/blocks.ts';
import { statusWord } from '../../templates/core/card-words.ts';
import { changeWords, sentences } from '../../templates/core/change-words.ts';
import { countedText } from '../../templates/limits/counted-words.ts';
import { mayBeOverruled } from '../../templates/limits/ruleset-words.ts';
import { API_NOT_ASKED } from '../audit/audit-record.ts';
import { goalsOf } from '../card-api/rule-change.ts';
import { TooLateError } from '../core/errors.ts';
import type { Message, MessageRef } from '../slack/message.ts';
import { type Action, alertIdOf, isOnAlert, learnsFromAlert } from './action.ts';
import {
  type ActionState,
  type ActionVerb,
  type AwaitedChange,
  isFound,
  type Outcome,
  type ReportedState,
  type Result,
  reported,
  stateOf,
} from './action-state.ts';
import type { ActionTools, Responses } from './action-tools.ts';
import type { Progress } from './progress-store.ts';
import type { RecordEntry } from './record.ts';

function didWords(verb: ActionVerb, state: Result['state']): string {
  const asked = verbWords[verb].asked;
  if (state !== 'done') return `asked to ${asked}`;
  return asked.startsWith('change') ? asked.replace('change', 'changed') : asked.replace(/e?$/, 'ed');
}

const outcomeWords: Readonly<Record<Result['state'], string>> = {
  done: '',
  unchanged: 'nothing to change',
  failed: 'failed, nothing changed',
  unknown: 'outcome not known',
  waiting: 'waits for another approver',
};

/** The webhook of a change usually arrives right after it. */
export const FIRST_LOOK_MS = 400;

/** What an alert shows about the actions requested on it. */
export interface OutcomesOnAlerts {
  /** Shows the latest outcome of an action. Replaces its previous one; the alert's messages update soon. */
  show(alertId: string, actionId: string, outcome: Outcome): Promise<void>;
  /** Notes that the message with the button exists, even if Cardbell did not record posting it. */
  seen(alertId: string, message: MessageRef): Promise<void>;
  /** Whether alerts in a channel show outcomes to their readers: not if another company reads them. */
  areShownIn(channel: string): Promise<boolean>;
  /** The alert already mentions that a ruleset may overrule the card's settings. */
  saysOfRuleset(alertId: string): Promise<boolean>;
}

/** The action whose outcome the alert shows. An approved request reports under the action that asked for it. */
export interface OutcomeOf {
  readonly outcomeOf?: string;
}

/** How people learn the outcome of a change to a card. */
export type Reports = ReturnType<typeof createReports>;

interface Deps extends Pick<ActionTools, 'record' | 'outcomes' | 'nameRuleset' | 'now' | 'cardChanged'> {
  readonly responses: Pick<Responses, 'answer'>;
  readonly progress: Pick<Progress, 'write'>;
  /** Schedules the check whether the change is visible at the card service. */
  readonly scheduleConfirm: (actionId: string, atMs: number) => Promise<void>;
}

export function createReports(deps: Deps) {
  return {
    /**
     * Stores the outcome of an action, then reports it: first the record, then the alert's messages, then the person.
     *
     * Stored first, so that after a crash another worker records this outcome and not the card's later state. The first
     * stored outcome wins, so that two concurrent workers report the same.
     *
     * @returns the outcome.
     * @throws TooLateError when the action was refused meanwhile.
     */
    async report(action: Action, verb: ActionVerb, result: Result, of: OutcomeOf = {}): Promise<Result> {
      const at = deps.now().toISOString();
      const own = stateOf(result, at, awaitedChange({ action, verb, result, sentAt: at }, of));
      const first = reported(await deps.progress.write(action.id, own));
      if (first === null) throw new TooLateError('another worker has refused it');
      await notify(action, verb, first, of);
      return first.result;
    },
    /**
     * Reports a known outcome where parts of the report are missing, without repeating the action. After a crash midway
     * it is reported again; all steps are idempotent.
     *
     * @returns null while the outcome is unknown.
     */
    async resume(
      action: Action,
      verb: ActionVerb,
      state: ActionState | null,
      of: OutcomeOf = {},
    ): Promise<Result | null> {
      const reportedState = reported(state);
      if (reportedState !== null) await notify(action, verb, reportedState, of);
      return reportedState?.result ?? null;
    },
  };

  async function notify(
    action: Action,
    verb: ActionVerb,
    reportedState: ReportedState,
    { outcomeOf = action.id }: OutcomeOf,
  ): Promise<void> {
    // A verified outcome is reported by the process that verified it.
    if (reportedState.isNotified || isFound(reportedState)) return;
    const { at, result, awaited } = reportedState;
    await deps.record(action, endEntry(verb, { at, result }));
    if (awaited !== null) await deps.scheduleConfirm(action.id, Date.parse(at) + FIRST_LOOK_MS);
    const { acctId } = result.card;
    if (result.state === 'done' && acctId !== null) await deps.cardChanged(acctId);
    // Not stored in the result: the ruleset is evaluated again when the card is verified.
    const overruled = await overruledWords(result, deps);
    const note = overruled === null ? result.note : sentences(result.note, overruled);
    await showOnAlert(action, verb, { at, result, note }, outcomeOf);
    // A successful button press shows on the alert itself. Everything else is sent to the person who asked.
    const isShown = isOnAlert(action) && (await deps.outcomes.areShownIn(action.origin.channel));
    if (!isShown || result.state !== 'done') {
      const shownOn = isShown && learnsFromAlert(action) ? 'alert' : undefined;
      await deps.responses.answer(action, resultMessage(action, verb, { ...result, note }, at, shownOn));
    }
    await deps.progress.write(action.id, { ...reportedState, isNotified: true });
  }

  async function showOnAlert(
    action: Action,
    verb: ActionVerb,
    { at, result, note }: Pick<ReportedState, 'at' | 'result'> & Pick<Result, 'note'>,
    outcomeOf: string,
  ): Promise<void> {
    const alertId = alertIdOf(action);
    // A failed approval leaves the request open: the person who asked is still waiting.
    const leavesAlert = result.state === 'unchanged' || (result.state === 'failed' && outcomeOf !== action.id);
    if (alertId === null || leavesAlert) return;
    const { channel, messageTs } = action.origin;
    // When one person decides on another's request, the button was on the request, which stays a request.
    if (messageTs !== null && isOnAlert(action) && outcomeOf === action.id)
      await deps.outcomes.seen(alertId, { channel, ts: messageTs });
    const isSaid = await deps.outcomes.saysOfRuleset(alertId);
    const shown = { ...result, note: isSaid ? result.note : note };
    await deps.outcomes.show(alertId, outcomeOf, toOutcome(action, verb, shown, at));
  }
}

/** For a sent change of the card's rules: that a ruleset may overrule it; null if none does. */
async function overruledWords(
  { card, confirmation, expects }: Result,
  { nameRuleset }: Pick<Deps, 'nameRuleset'>,
): Promise<string | null> {
  if (confirmation !== 'sent' || expects?.kind !== 'rule' || card.ruleset == null) return null;
  return mayBeOverruled(await nameRuleset(card));
}

/** The stored data of a change that will be verified. Null: there is nothing to verify. */
function awaitedChange(
  change: Omit<AwaitedChange, 'acctId' | 'outcomeOf'>,
  { outcomeOf = change.action.id }: OutcomeOf,
): AwaitedChange | null {
  const { card, expects } = change.result;
  return expects === undefined || card.acctId === null ? null : { ...change, acctId: card.acctId, outcomeOf };
}

function endEntry(verb: ActionVerb, { at, result }: Pick<ReportedState, 'at' | 'result'>): RecordEntry {
  const { card, state, before, after, apiWords, note, confirmation, counted } = result;
  const until = endOf(result);
  // Also those who read along must see what it closes for good.
  const closing = verb === 'activate' && state === 'done' ? note : null;
  const outcome = [outcomeWords[state], apiWords, closing].filter(Boolean).join(': ');
  return {
    event: state,
    acctId: card.acctId,
    cardId: card.cardId,
    before,
    after,
    detail: detailOf(result),
    api: apiAnswerOf(result),
    confirmedBy: confirmation === 'confirmed' ? 'read-back' : null,
    ...(state !== 'unchanged' && { line: { did: didWords(verb, state), card, at, outcome, counted, until } }),
  };
}

/** When a temporary change ends; null: it is permanent, or was not made. */
export function endOf({ control }: Pick<Result, 'control'>): string | null {
  return control?.kind === 'revert' ? control.until : null;
}

/** The card API's answer, for the record. Null when Cardbell itself refused. */
function apiAnswerOf({ state, confirmation, apiWords }: Result): string | null {
  if (state === 'done' && confirmation !== undefined)
    return confirmation === 'confirmed' ? 'no answer, then found as wished' : 'accepted';
  if (state === 'failed') return apiWords === null ? null : `refused: ${apiWords}`;
  return state === 'unknown' ? 'no answer' : API_NOT_ASKED;
}

/** The message for the person who asked. @param shownOn shows what a later check finds; omitted: a message does. */
export function resultMessage(
  action: Action,
  verb: ActionVerb,
  result: Result,
  at: string,
  shownOn?: 'alert',
): Message {
  const reason = action.reason === '' ? null : action.reason;
  return actionResult({ ...result, verb, by: action.actor.userId, at, reason, ref: action.id.slice(-8), shownOn });
}

/** Why the action ended this way, for the record. */
function detailOf({ apiWords, note, counted, control }: Result): string | null {
  if (apiWords !== null) return apiWords;
  if (counted != null) return sentences(countedText(counted), note);
  const back = control?.back;
  if (back === undefined) return note;
  return sentences(`Goes back to ${back.to} ${back.when} at ${control?.until}`, note);
}

export function toOutcome(
  action: Action,
  verb: ActionVerb,
  { card, state, before, after, apiWords, note, confirmation, control, expects, alsoNeeds, isBlocked }: Result,
  at: string,
): Outcome {
  const change =
    (verb === 'limit' || verb === 'allow') && (state === 'done' || state === 'unknown') && after !== null
      ? changeWords(before ?? 'unknown', after)
      : '';
  return {
    verb,
    by: action.actor.userId,
    at,
    acctId: card.acctId,
    state: state === 'unchanged' ? 'failed' : state,
    asHolder: action.asHolder,
    ...(action.isOverride === true && { isOverride: true as const }),
    text: sentences(change, serviceSaysRaw(apiWords), note),
    ...(state === 'done' && action.reason !== '' && { reason: action.reason }),
    ...(confirmation === undefined ? {} : { confirmation }),
    control: control ?? null,
    ...(state === 'failed' && before === statusWord('CLOSED') && { isClosed: true as const }),
    ...(expects?.kind === 'rule' && { goals: goalsOf(expects.changes) }),
    ...(alsoNeeds !== undefined && { alsoNeeds }),
    ...(isBlocked !== undefined && { isBlocked }),
  };
}
