import type { CardFacts } from '../core/card-facts.ts';
import type { Lease, WithLock } from '../core/lock.ts';
import type { Authorization } from '../policy/authorize.ts';
import type { Message } from '../slack/message.ts';
import type { Action } from './action.ts';
import type { Progress } from './progress-store.ts';
import type { RecordAction } from './record.ts';
import type { AskAgain, Refusals } from './record-refusal.ts';
import type { OutcomesOnAlerts } from './report.ts';

/** What many actions use. Each takes only what it calls: `Pick<ActionTools, 'record' | 'answer'>`. */
export interface ActionTools extends Refusals, Authorization {
  /** What loosens a card waited too long: asks whether it shall still be done. */
  readonly askAgain: AskAgain;
  readonly record: RecordAction;
  readonly progress: Progress;
  /** True where something of the action is on record: its worker died, and it is done again. */
  readonly hasBegun: (action: Action) => Promise<boolean>;
  /** Names and last four of an account's card, as far as the directory knows them. */
  readonly factsOf: FactsOf;
  readonly outcomes: OutcomesOnAlerts;
  /** Answers the person who asked, where they asked; nobody else sees it. */
  readonly answer: (action: Action, message: Message) => Promise<void>;
  /** Writes to a person, in a direct message; the id makes repeating it nothing. */
  readonly notifyDirectly: (userId: string, id: string, message: Message) => Promise<void>;
  /** Brings an alert's messages up to date, soon. */
  readonly updateMessages: (alertId: string) => Promise<void>;
  readonly withLock: WithLock;
  readonly now: () => Date;
}

/** Which of the account's cards is meant; left out: the one in use. */
export type FactsOf = (
  acctId: number,
  which?: { readonly cardId?: number; readonly last4?: string },
) => Promise<CardFacts>;

/** The job that runs an action. */
export interface Attempt {
  /** It will not run again: then people are told instead of waiting. */
  readonly isLast: boolean;
}

/** The same under the lock of the account that the action changes. */
export interface LockedAttempt extends Attempt {
  readonly lease: Lease;
}
