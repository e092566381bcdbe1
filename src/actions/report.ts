import { type ActionVerb, actionResult } from '../../templates/actions/action-result.ts';
import { changeWords, sentences } from '../../templates/core/change-words.ts';
import { countedText } from '../../templates/limits/counted-words.ts';
import { mayBeOverruled } from '../../templates/limits/ruleset-words.ts';
import { goalsOf } from '../card-api/rule-change.ts';
import type { CardFacts } from '../core/card-facts.ts';
import type { Message, MessageRef } from '../slack/message.ts';
import { type Action, alertIdOf } from './action.ts';
import {
  type ActionState,
  type AwaitedChange,
  isFound,
  type Outcome,
  type ReportedState,
  type Result,
  reported,
  stateOf,
} from './action-state.ts';
import type { Progress } from './progress-store.ts';
import type { RecordAction, RecordEntry } from './record.ts';

/** What each verb does; the card follows. */
export const askedWords: Readonly<Record<ActionVerb, string>> = {
  block: 'block',
  unblock: 'unblock',
  activate: 'activate',
  limit: 'change the limit of',
  allow: 'change the spend rules of',
};

/** The same in the past tense, where it was done. */
function didWords(verb: ActionVerb, state: Result['state']): string {
  const asked = askedWords[verb];
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

/** The webhook of a change follows it at once. */
export const FIRST_LOOK_MS = 400;

/** What an alert shows of the actions that were asked for on it. */
export interface OutcomesOnAlerts {
  /** The latest outcome of one action; it replaces the one before, and shows in the alert's messages soon. */
  show(alertId: string, actionId: string, outcome: Outcome): Promise<void>;
  /** The message with the button is there for sure, whatever became of our own note of it. */
  seen(alertId: string, message: MessageRef): Promise<void>;
  /** The alert says already that a ruleset may overrule what its card is allowed. */
  saysOfRuleset(alertId: string): Promise<boolean>;
}

/** Whose outcome on the alert it is: an approved request answers for the action that asked for it. */
interface OutcomeOf {
  readonly outcomeOf?: string;
}

/** How people learn what became of a change of a card. */
export type Reports = ReturnType<typeof createReports>;

interface Deps {
  readonly progress: Pick<Progress, 'write'>;
  /** Wakes the worker to look whether a change can be seen at the card service. */
  readonly scheduleConfirm: (actionId: string, atMs: number) => Promise<void>;
  readonly record: RecordAction;
  readonly outcomes: OutcomesOnAlerts;
  /** The same facts, with the name of the spending ruleset that the card follows. */
  readonly nameRuleset: (card: CardFacts) => Promise<CardFacts>;
  /** Answers the person who asked, where they asked; nobody else sees it. */
  readonly answer: (action: Action, message: Message) => Promise<void>;
  readonly now: () => Date;
}

export function createReports(deps: Deps) {
  return {
    /**
     * Writes down what became of an action, then tells: first the record, then the alert's messages, then the person.
     *
     * Written down first, so that whoever takes over after a crash records the same, not what it looks like from then; and
     * the first one counts, so that two who work on it at once tell the same.
     *
     * @returns what became of it.
     */
    async report(action: Action, verb: ActionVerb, result: Result, of: OutcomeOf = {}): Promise<Result> {
      const at = deps.now().toISOString();
      const own = stateOf(result, at, awaitedChange({ action, verb, result, sentAt: at }, of));
      const first = reported(await deps.progress.write(action.id, own)) ?? own;
      await notify(action, verb, first, of);
      return first.result;
    },
    /**
     * What became of it is not done again, only told, where that is missing. After a crash in the middle it is told again: no
     * part of it does harm twice.
     *
     * @returns null while it is not known what becomes of it.
     */
    async resume(
      action: Action,
      verb: ActionVerb,
      state: ActionState | null,
      of: OutcomeOf = {},
    ): Promise<Result | null> {
      const known = reported(state);
      if (known !== null) await notify(action, verb, known, of);
      return known?.result ?? null;
    },
  };

  async function notify(
    action: Action,
    verb: ActionVerb,
    known: ReportedState,
    { outcomeOf = action.id }: OutcomeOf,
  ): Promise<void> {
    // Whoever found out what became of it tells of that.
    if (known.isTold || isFound(known)) return;
    const { at, result, awaited } = known;
    await deps.record(action, endEntry(verb, { at, result }));
    if (awaited !== null) await deps.scheduleConfirm(action.id, Date.parse(at) + FIRST_LOOK_MS);
    // Kept out of the result: whoever looks at the card says anew what its ruleset means by then.
    const overruled = await overruledWords(result);
    const note = overruled === null ? result.note : sentences(result.note, overruled);
    await showOnAlert(action, verb, { at, result, note }, outcomeOf);
    // A button's success shows on the alert itself, unless that is a copy which only this person sees; everything else is
    // told to the person who asked.
    if (action.target.kind !== 'alert' || result.state !== 'done' || action.origin.messageTs === null) {
      await deps.answer(action, resultMessage(action, verb, { ...result, note }, at));
    }
    await deps.progress.write(action.id, { ...known, isTold: true });
  }

  async function showOnAlert(
    action: Action,
    verb: ActionVerb,
    { at, result, note }: Pick<ReportedState, 'at' | 'result'> & Pick<Result, 'note'>,
    outcomeOf: string,
  ): Promise<void> {
    const alertId = alertIdOf(action);
    // An approval that failed leaves the request open: whoever asked still waits.
    const leavesAlert = result.state === 'unchanged' || (result.state === 'failed' && outcomeOf !== action.id);
    if (alertId === null || leavesAlert) return;
    const { channel, messageTs } = action.origin;
    // Where somebody decided for another, the button was on the request, which stays a request.
    const isOnAlert = action.target.kind === 'alert' && outcomeOf === action.id;
    if (messageTs !== null && isOnAlert) await deps.outcomes.seen(alertId, { channel, ts: messageTs });
    const isSaid = await deps.outcomes.saysOfRuleset(alertId);
    const shown = { ...result, note: isSaid ? result.note : note };
    await deps.outcomes.show(alertId, outcomeOf, toOutcome(action, verb, shown, at));
  }

  /** Of a change of the card's rules that was sent: that a ruleset may overrule it; null where none does. */
  async function overruledWords({ card, confirmation, expects }: Result): Promise<string | null> {
    if (confirmation !== 'sent' || expects?.kind !== 'rule' || card.ruleset == null) return null;
    return mayBeOverruled(await deps.nameRuleset(card));
  }
}

/** What somebody looks for at the card service: what is kept of it until then. Null: there is nothing to be seen. */
function awaitedChange(
  change: Omit<AwaitedChange, 'acctId' | 'outcomeOf'>,
  { outcomeOf = change.action.id }: OutcomeOf,
): AwaitedChange | null {
  const { card, expects } = change.result;
  return expects === undefined || card.acctId === null ? null : { ...change, acctId: card.acctId, outcomeOf };
}

function endEntry(verb: ActionVerb, { at, result }: Pick<ReportedState, 'at' | 'result'>): RecordEntry {
  const { card, state, before, after, apiWords, confirmation, counted } = result;
  const outcome = [outcomeWords[state], apiWords].filter(Boolean).join(': ');
  return {
    event: state,
    acctId: card.acctId,
    cardId: card.cardId,
    before,
    after,
    detail: detailOf(result),
    api: apiAnswerOf(result),
    confirmedBy: confirmation === 'confirmed' ? 'read-back' : null,
    ...(state !== 'unchanged' && { line: { did: didWords(verb, state), card, at, outcome, counted } }),
  };
}

/** What the card API answered, for the record. Null where a refusal was ours. */
function apiAnswerOf({ state, confirmation, apiWords }: Result): string | null {
  if (state === 'done') return confirmation === 'confirmed' ? 'no answer, then found as wished' : 'accepted';
  if (state === 'failed') return apiWords === null ? null : `refused: ${apiWords}`;
  return state === 'unknown' ? 'no answer' : 'not asked';
}

/** What the person who asked reads of it. */
export function resultMessage(action: Action, verb: ActionVerb, result: Result, at: string): Message {
  const reason = action.reason === '' ? null : action.reason;
  return actionResult({ ...result, verb, by: action.actor.userId, at, reason, ref: action.id.slice(-8) });
}

/** Why it ended like that, for the record. */
function detailOf({ apiWords, note, counted }: Result): string | null {
  return apiWords ?? (counted == null ? note : sentences(countedText(counted), note));
}

/** What the alert shows of an action. */
export function toOutcome(
  action: Action,
  verb: ActionVerb,
  { card, state, before, after, apiWords, note, confirmation, control, expects }: Result,
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
    ...(expects?.kind === 'rule' && { goals: goalsOf(expects.changes) }),
  };
}
