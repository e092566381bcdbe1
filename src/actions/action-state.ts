import { z } from 'zod';
import { RuleChanges, RuleGoal, Term } from '../card-api/rule-change.ts';
import { AlsoNeeds } from '../core/also-needs.ts';
import { CardFacts } from '../core/card-facts.ts';
import { CardStatus } from '../core/event.ts';
import { CountedRaise } from '../policy/approval-policy.ts';
import { StoredMessage } from '../slack/message.ts';
import { Action } from './action.ts';

/** The verbs that change a card. */
export const ActionVerb = z.enum(['block', 'unblock', 'activate', 'limit', 'allow']);
export type ActionVerb = z.infer<typeof ActionVerb>;

/** What the card service must show before a change counts as confirmed. */
export const Expected = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('status'),
    status: CardStatus,
    cardId: z.int().nullable(),
    /** One sentence, once it is made: the cards that it has closed for good. Absent: none. */
    closed: z.string().optional(),
  }),
  /** Includes the previous values, for a process that finds the change in effect long after it was sent. */
  z.strictObject({
    kind: z.literal('rule'),
    changes: RuleChanges,
    /** How long the change lasts. Absent if this change ends another one. */
    term: Term.optional(),
  }),
]);
export type Expected = z.infer<typeof Expected>;

/**
 * How certain a change is after the card API accepted it. `sent`: nothing has shown it yet. `confirmed`: a webhook or a
 * read of the card showed it. `unconfirmed`: neither did in time. `superseded`: changed again before it could be seen.
 */
export const Confirmation = z.enum(['sent', 'confirmed', 'unconfirmed', 'superseded']);
export type Confirmation = z.infer<typeof Confirmation>;

/** What can still be done about a completed change. */
export const Control = z.strictObject({
  /** `revert`: reverts a temporary change early. `undo`: reverts a block, for `UNDO_MS`. */
  kind: z.enum(['revert', 'undo']),
  /** Opaque id of the temporary change or the action. */
  id: z.string(),
  /** UTC ISO 8601: when this option expires. */
  until: z.string(),
  /** A temporary change goes back to these values, `automatically` or `after the next purchase, at the latest` then. */
  back: z.strictObject({ to: z.string(), when: z.string() }).optional(),
});
export type Control = z.infer<typeof Control>;

const obstacles = {
  /** What else the purchase needs, as far as was known when the change was asked for. Absent: nothing. */
  alsoNeeds: AlsoNeeds.optional(),
  /** The card was blocked when the change was made. */
  isBlocked: z.literal(true).optional(),
};

/** The outcome of an action, in the words people read. */
export const Result = z.strictObject({
  /** `unchanged`: it was already in effect, and nothing was sent to the card API. */
  state: z.enum(['done', 'unchanged', 'failed', 'unknown', 'waiting']),
  card: CardFacts,
  before: z.string().nullable(),
  after: z.string().nullable(),
  /** The card API's own words when it rejected the change. */
  apiWords: z.string().nullable(),
  /** One additional plain sentence: why nothing was done, when the change ends, what to do. */
  note: z.string().nullable(),
  /** Absent when nothing was sent that could be confirmed. */
  confirmation: Confirmation.optional(),
  /** Set with `sent`, and when the outcome is unknown: what would confirm it. After that, what did. */
  expects: Expected.optional(),
  /**
   * For a change that waits for a second approver because it is too large: the raise and the earlier raises that count
   * with it.
   */
  counted: CountedRaise.nullish(),
  control: Control.nullish(),
  ...obstacles,
});
export type Result = z.infer<typeof Result>;

/** A change that the card API accepted or may have accepted. Cardbell checks the card service for it. */
export const AwaitedChange = z.strictObject({
  action: Action,
  verb: ActionVerb,
  acctId: z.int(),
  /** Id under which the alert shows the outcome. */
  outcomeOf: z.string(),
  /** The result as reported when it was sent. */
  result: Result,
  /** UTC ISO 8601. */
  sentAt: z.string(),
});
export type AwaitedChange = z.infer<typeof AwaitedChange>;

/** The action whose request shows what became of a change, if that was approved. */
export function requestedBy({ action, outcomeOf }: Pick<AwaitedChange, 'action' | 'outcomeOf'>): string {
  return 'partOf' in action && typeof action.partOf === 'string' ? action.partOf : outcomeOf;
}

/** The result of verifying a change and what showed it; null: nothing did. */
export interface Verdict {
  readonly confirmation: 'confirmed' | 'unconfirmed' | 'superseded';
  readonly by: 'webhook' | 'read-back' | null;
  readonly eventId: string | null;
  /** It was reported before that nothing had shown it. */
  readonly isLate?: true | undefined;
}

/** A refusal that may not be on record yet, or whose answer may be missing. */
const PendingRefusal = z.strictObject({
  acctId: z.int().nullable(),
  cardId: z.int().nullable(),
  /** For the record. */
  why: z.string(),
  /** The person has no right to do it. Otherwise it was a mistake. */
  isNotPermitted: z.boolean(),
  /** False: something may have changed nevertheless. */
  isCertain: z.boolean(),
  /** The request is on record, so this refusal gets its own entry. */
  hasBegun: z.boolean(),
  answer: StoredMessage,
});
export type PendingRefusal = z.infer<typeof PendingRefusal>;

/**
 * How far an action got. Written before each step, so that another worker can continue after a crash.
 *
 * asked → sending → sent → confirmed, unconfirmed or superseded. An action may end before anything is sent (refused,
 * failed, unchanged, waiting for others) or while it is being sent.
 */
export const ActionState = z.discriminatedUnion('state', [
  /** The request is on record. */
  z.strictObject({
    state: z.literal('asked'),
    /** It waited too long for a worker, and the person was asked whether to still do it. */
    isAskedAgain: z.boolean().optional(),
  }),
  /** It stays refused if its job runs again, whatever has changed by then. */
  z.strictObject({
    state: z.literal('refused'),
    /** What the record and the person have not been told yet; null: both have. */
    pending: PendingRefusal.nullable(),
  }),
  /** The card API may have received it. */
  z.strictObject({
    state: z.literal('sending'),
    /** The card, as the first attempt found it. */
    acctId: z.int().optional(),
    cardId: z.int().nullable().optional(),
    before: z.string().nullable(),
    after: z.string().nullable(),
    /** What the card shows if the call took effect. Used when the action is given up. */
    expects: Expected.optional(),
    /** The state read before the write. If the card shows another state now, the write is not repeated. */
    basis: z.string().optional(),
    /** UTC ISO 8601. */
    sentAt: z.string().optional(),
    /** Earlier changes of the same setting: they do not supersede this one. */
    followed: z.array(z.string()).readonly().optional(),
  }),
  /** The outcome is known, or the change was sent and waits for confirmation. */
  z.strictObject({
    state: z.enum(['sent', 'confirmed', 'unconfirmed', 'superseded', 'failed', 'unchanged', 'waiting']),
    /** UTC ISO 8601. */
    at: z.string(),
    result: Result,
    /** False: the audit entry or a notification may be missing. */
    isNotified: z.boolean(),
    /** Null: it is not verified later. */
    awaited: AwaitedChange.nullable(),
    /** What showed the change during verification. */
    seen: z
      .strictObject({
        by: z.enum(['webhook', 'read-back']).nullable(),
        eventId: z.string().nullable(),
        isLate: z.literal(true).optional(),
      })
      .nullable(),
    /**
     * A change of rules got no answer, and its verification ended without showing it. Until the card service can no longer
     * make it, nobody knows whether it raises anything.
     */
    mayComeLate: z.literal(true).optional(),
    /**
     * Given up before anything was sent, with this text. It is never performed after that, even if another worker still
     * has the job.
     */
    givenUp: z.strictObject({ what: z.string(), detail: z.string(), why: z.string(), whoCan: z.string() }).optional(),
  }),
]);
export type ActionState = z.infer<typeof ActionState>;
export type SendingState = Extract<ActionState, { state: 'sending' }>;
export type RefusedState = Extract<ActionState, { state: 'refused' }>;
type UnsentState = Extract<ActionState, { state: 'asked' | 'refused' }>;
/** The outcome is known. */
export type ReportedState = Exclude<ActionState, { state: 'asked' | 'refused' | 'sending' }>;

/** True when the card service has received nothing. An action is refused only before it is sent, and never sent after. */
export function isUnsent(state: ActionState | null): state is UnsentState | null {
  return state === null || state.state === 'asked' || state.state === 'refused';
}

/** Null: the outcome is not known yet, or the action was refused. */
export function reported(state: ActionState | null): ReportedState | null {
  return isUnsent(state) || state.state === 'sending' ? null : state;
}

/** The card of an action that may have been carried out. Null: it was not sent, or it is about no card. */
export function sentCard(
  state: ActionState | null,
): { readonly acctId: number; readonly cardId: number | null } | null {
  const { acctId, cardId = null } = state?.state === 'sending' ? state : (reported(state)?.result.card ?? {});
  return acctId == null ? null : { acctId, cardId };
}

/**
 * Whether an action may move from one state to another. A known outcome is never overwritten, even by a process that
 * was paused for longer than its lock.
 */
export function mayFollow(current: ActionState | null, next: ActionState): boolean {
  if (current?.state === 'refused') return next.state === 'refused' && next.pending === null;
  const outcome = reported(current);
  if (outcome === null) return true;
  const nextOutcome = reported(next);
  if (outcome.mayComeLate === true && nextOutcome !== null && isFound(nextOutcome) && nextOutcome.mayComeLate !== true)
    return nextOutcome.state === 'confirmed' || (nextOutcome.state === outcome.state && nextOutcome.isNotified);
  if (nextOutcome === null || outcome.state !== nextOutcome.state)
    return outcome.state === 'sent' && nextOutcome !== null && isFound(nextOutcome);
  // Reporting comes last. Until then only the verifying process may refine its own result.
  return !outcome.isNotified && (isFound(outcome) ? isFound(nextOutcome) : nextOutcome.isNotified);
}

/** True when the change was verified. The verifying process also reports it. */
export function isFound({ state, awaited }: ReportedState): boolean {
  return awaited !== null && state !== 'sent';
}

/** The change that still has to be verified or reported; null: none. */
export function awaitedOf(state: ActionState | null): AwaitedChange | null {
  const outcome = reported(state);
  return outcome === null || (outcome.state !== 'sent' && outcome.isNotified) ? null : outcome.awaited;
}

/** The change that was reported as not shown, and may still be made; null: none. */
export function lateOf(state: ActionState | null): AwaitedChange | null {
  const outcome = reported(state);
  return outcome?.mayComeLate === true && outcome.isNotified ? outcome.awaited : null;
}

/** True when the card service gave no answer, and nothing has shown since whether it made the change. */
export function isUnanswered(state: ActionState | null): boolean {
  const outcome = reported(state);
  if (outcome?.result.state !== 'unknown') return false;
  return outcome.state === 'sent' || outcome.awaited === null || outcome.mayComeLate === true;
}

/** True when it was sent, and nothing has shown it yet. */
export function isUnseen(state: ActionState | null): boolean {
  return state?.state === 'sending' || awaitedOf(state) !== null;
}

/** Null: not verified yet. */
export function verdictOf(state: ReportedState): Verdict | null {
  const { state: confirmation, seen } = state;
  if (seen === null) return null;
  return confirmation === 'confirmed' || confirmation === 'unconfirmed' || confirmation === 'superseded'
    ? { confirmation, ...seen }
    : null;
}

export function stateOf(result: Result, at: string, awaited: AwaitedChange | null = null): ReportedState {
  return { state: nameOf(result), at, result, isNotified: false, awaited, seen: null };
}

function nameOf({ state, expects }: Result): ReportedState['state'] {
  switch (state) {
    case 'done':
      return expects === undefined ? 'confirmed' : 'sent';
    case 'unknown':
      return expects === undefined ? 'unconfirmed' : 'sent';
    case 'failed':
    case 'unchanged':
    case 'waiting':
      return state;
  }
}

/** One thing a person did about an alert, and how it ended. Newest last. */
export const Outcome = z.strictObject({
  /**
   * `restore`: a temporary change has ended. `keep`: it has ended, and nothing was put back. `supersede`: a later change
   * replaced it, or some of its rules. `rebase`: it goes back to another value. `recognize`: the holder confirmed the
   * purchase. `paid`: a retry succeeded. `repeat-paid`: that of one of several purchases whose declines are counted in one
   * message.
   */
  verb: z.enum([
    ...ActionVerb.options,
    'restore',
    'keep',
    'supersede',
    'rebase',
    'acknowledge',
    'recognize',
    'report-fraud',
    'close-case',
    'paid',
    'repeat-paid',
  ]),
  /** Slack user id; null when the change was observed but made outside Slack. */
  by: z.string().nullable(),
  /** UTC ISO 8601. */
  at: z.string(),
  /** `unknown`: no answer came back, so the change may or may not have happened. */
  state: z.enum(['done', 'failed', 'waiting', 'unknown']),
  /** One plain sentence: what happened, and whether anything changed. `paid`: the amount, if it is not the declined one. `repeat-paid`: amount and merchant. */
  text: z.string(),
  /** `paid`: only a part of what the merchant asked for. */
  isPart: z.literal(true).optional(),
  /** The reason the person gave. */
  reason: z.string().optional(),
  /** A request that ended without a change; by whom, if not by itself. `paid`: its purchase was paid without it. */
  closed: z
    .strictObject({ how: z.enum(['denied', 'expired', 'withdrawn', 'paid']), by: z.string().nullable() })
    .optional(),
  /** The account of the card, if the alert is about several cards. */
  acctId: z.int().nullish(),
  /** Absent where there is nothing to confirm. */
  confirmation: Confirmation.optional(),
  /** Done as the cardholder, not as a member of the program team. */
  asHolder: z.boolean().optional(),
  /** An operator made it by emergency override: nobody approved it. */
  isOverride: z.literal(true).optional(),
  control: Control.nullish(),
  /** Id of the temporary change that is over: nobody can take it back any more. */
  ends: z.string().optional(),
  /** Nothing was done because the card is closed for good. */
  isClosed: z.literal(true).optional(),
  /** The card's new rules; absent if none changed, or if a part of them follows later. */
  goals: z.array(RuleGoal).optional(),
  ...obstacles,
});
export type Outcome = z.infer<typeof Outcome>;
