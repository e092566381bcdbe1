import { z } from 'zod';
import { RuleChanges, RuleGoal, Term } from '../card-api/rule-change.ts';
import { CardFacts } from '../core/card-facts.ts';
import { CardStatus } from '../core/event.ts';
import { CountedRaise } from '../policy/approval-policy.ts';
import { Action } from './action.ts';

/** What the card service must show before a change counts as confirmed. */
export const Expected = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('status'), status: CardStatus, cardId: z.int().nullable() }),
  /** From what the rules said before: for whoever finds the change made, long after it was sent. */
  z.strictObject({
    kind: z.literal('rule'),
    changes: RuleChanges,
    /** How long the change stays; absent where it ends another. */
    term: Term.optional(),
  }),
]);
export type Expected = z.infer<typeof Expected>;

/**
 * How sure a change is, once the card API has accepted it. `sent`: nothing has shown it yet. `confirmed`: its webhook or
 * a look at the card did. `unconfirmed`: neither did in time. `superseded`: changed again before anything could show it.
 */
export const Confirmation = z.enum(['sent', 'confirmed', 'unconfirmed', 'superseded']);
export type Confirmation = z.infer<typeof Confirmation>;

/** What can still be done about something that was done here. */
export const Control = z.strictObject({
  /** `revert`: reverts a temporary change before its time. `undo`: reverts a block, for a minute. */
  kind: z.enum(['revert', 'undo']),
  /** Opaque: the temporary change, or the action. */
  id: z.string(),
  /** UTC ISO 8601: when it ends by itself. */
  until: z.string(),
});
export type Control = z.infer<typeof Control>;

/** What became of an action, in the words that people read. */
export const Result = z.strictObject({
  /** `unchanged`: it was so already, nothing was asked of the card API. */
  state: z.enum(['done', 'unchanged', 'failed', 'unknown', 'waiting']),
  card: CardFacts,
  before: z.string().nullable(),
  after: z.string().nullable(),
  /** The card API's own words, when it refused. */
  apiWords: z.string().nullable(),
  /** One plain sentence more: why nothing was done, when it ends by itself, what to do. */
  note: z.string().nullable(),
  /** Absent where nothing was sent that could be confirmed. */
  confirmation: Confirmation.optional(),
  /** Given with `sent`, and with an outcome that is not known: what would confirm it. */
  expects: Expected.optional(),
  /** Of what waits for a second approver because it is too much for one: the raise, and the earlier ones that count with it. */
  counted: CountedRaise.nullish(),
  /** What can still be done about it. */
  control: Control.nullish(),
});
export type Result = z.infer<typeof Result>;

/** A change that the card API accepted, or may have: what somebody looks for at the card service. */
export const AwaitedChange = z.strictObject({
  action: Action,
  verb: z.enum(['block', 'unblock', 'activate', 'limit', 'allow']),
  acctId: z.int(),
  /** Id under which the alert shows it. */
  outcomeOf: z.string(),
  /** As it was told when it was sent. */
  result: Result,
  /** UTC ISO 8601. */
  sentAt: z.string(),
});
export type AwaitedChange = z.infer<typeof AwaitedChange>;

/** The result of verifying a change, and what showed it; null: nothing did. */
export interface Verdict {
  readonly confirmation: 'confirmed' | 'unconfirmed' | 'superseded';
  readonly by: 'webhook' | 'read-back' | null;
  readonly eventId: string | null;
}

/**
 * How far an action got: written before each step, so that whoever takes over after a crash goes on from there.
 *
 * asked → sending → sent → confirmed, unconfirmed or superseded. An action may end before anything is sent (failed,
 * unchanged, waiting for others), or while it is being sent.
 */
export const ActionState = z.discriminatedUnion('state', [
  /** That it was asked for is on record. */
  z.strictObject({ state: z.literal('asked') }),
  /** The card API may have it. */
  z.strictObject({
    state: z.literal('sending'),
    before: z.string().nullable(),
    after: z.string().nullable(),
    /** What the card shows if the call took effect; used when the action is given up. */
    expects: Expected.optional(),
    /** The state that was read before the write: if the card has another by now, the write is not repeated. */
    basis: z.string().optional(),
    /** Earlier changes of the same setting: they do not supersede this one. */
    followed: z.array(z.string()).readonly().optional(),
  }),
  /** The outcome is known, or it was sent and waits for confirmation. */
  z.strictObject({
    state: z.enum(['sent', 'confirmed', 'unconfirmed', 'superseded', 'failed', 'unchanged', 'waiting']),
    /** UTC ISO 8601. */
    at: z.string(),
    result: Result,
    /** False: the audit entry or a notification may be missing. */
    isTold: z.boolean(),
    /** Null: it is not verified later. */
    awaited: AwaitedChange.nullable(),
    /** What showed it to whoever looked. */
    seen: z
      .strictObject({ by: z.enum(['webhook', 'read-back']).nullable(), eventId: z.string().nullable() })
      .nullable(),
    /** Given up before anything was sent, in these words: it is never done after that, whoever still works on it. */
    givenUp: z.strictObject({ detail: z.string(), why: z.string(), whoCan: z.string() }).optional(),
  }),
]);
export type ActionState = z.infer<typeof ActionState>;
export type SendingState = Extract<ActionState, { state: 'sending' }>;
/** What became of it is known. */
export type ReportedState = Exclude<ActionState, { state: 'asked' | 'sending' }>;

/** Null: what becomes of it is not known yet. */
export function reported(state: ActionState | null): ReportedState | null {
  return state === null || state.state === 'asked' || state.state === 'sending' ? null : state;
}

/**
 * Whether an action may go from one state to another. A known outcome is never overwritten, not even by a process that
 * stood still for longer than its lock.
 */
export function mayFollow(current: ActionState | null, next: ActionState): boolean {
  const known = reported(current);
  if (known === null) return true;
  const then = reported(next);
  if (then === null || known.state !== then.state) return known.state === 'sent' && then !== null && isFound(then);
  // Told last; until then whoever looked, and nobody else, may say more of what was found.
  return !known.isTold && (isFound(known) ? isFound(then) : then.isTold);
}

/** True when the card was verified: whoever verified it reports it as well. */
export function isFound({ state, awaited }: ReportedState): boolean {
  return awaited !== null && state !== 'sent';
}

/** The change that somebody still has to look for, or to tell of; null: there is none. */
export function awaitedOf(state: ActionState | null): AwaitedChange | null {
  const known = reported(state);
  return known === null || (known.state !== 'sent' && known.isTold) ? null : known.awaited;
}

/** What somebody found who looked; null: nobody has yet. */
export function verdictOf(state: ReportedState): Verdict | null {
  const { state: confirmation, seen } = state;
  if (seen === null) return null;
  return confirmation === 'confirmed' || confirmation === 'unconfirmed' || confirmation === 'superseded'
    ? { confirmation, ...seen }
    : null;
}

/** The state in which a result leaves an action. */
export function stateOf(result: Result, at: string, awaited: AwaitedChange | null = null): ReportedState {
  return { state: nameOf(result), at, result, isTold: false, awaited, seen: null };
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

/** One thing that a person did about an alert, and how it ended. Newest last. */
export const Outcome = z.strictObject({
  /** `restore`: a temporary change has ended. `recognize`: the holder says that it was them. `paid`: a retry succeeded. */
  verb: z.enum([
    'block',
    'unblock',
    'activate',
    'limit',
    'allow',
    'restore',
    'acknowledge',
    'recognize',
    'report-fraud',
    'close-case',
    'paid',
  ]),
  /** Slack user id; null when the change was seen, but made outside Slack. */
  by: z.string().nullable(),
  /** UTC ISO 8601. */
  at: z.string(),
  /** `unknown`: no answer came back, so it may or may not have happened. */
  state: z.enum(['done', 'failed', 'waiting', 'unknown']),
  /** One plain sentence for people: what happened, and whether anything changed. */
  text: z.string(),
  /** Whose card it was about, where the alert is about several. */
  acctId: z.int().nullish(),
  /** Absent where there is nothing to confirm. */
  confirmation: Confirmation.optional(),
  /** Done as the holder of the card, not as somebody who runs the program. */
  asHolder: z.boolean().optional(),
  control: Control.nullish(),
  /** What the card's rules became; absent where it changed none. */
  goals: z.array(RuleGoal).optional(),
});
export type Outcome = z.infer<typeof Outcome>;
