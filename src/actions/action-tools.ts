import type { CardFacts } from '../core/card-facts.ts';
import type { WithLock } from '../core/lock.ts';
import type { Message } from '../slack/message.ts';
import type { Action } from './action.ts';
import type { Progress } from './progress-store.ts';
import type { RecordAction } from './record-action.ts';
import type { Refuse } from './record-refusal.ts';

/** What many actions use. Each takes only what it calls: `Pick<ActionTools, 'record' | 'answer'>`. */
export interface ActionTools {
  readonly record: RecordAction;
  readonly refuse: Refuse;
  readonly progress: Progress;
  /** Names and last four of an account's card, as far as the directory knows them. */
  readonly factsOf: (acctId: number) => Promise<CardFacts>;
  /** Answers the person who asked, where they asked; nobody else sees it. */
  readonly answer: (action: Action, message: Message) => Promise<void>;
  /** Writes to a person, in a direct message; the id makes repeating it nothing. */
  readonly notifyDirectly: (userId: string, id: string, message: Message) => Promise<void>;
  /** Brings an alert's messages up to date, soon. */
  readonly updateMessages: (alertId: string) => Promise<void>;
  readonly withLock: WithLock;
  readonly now: () => Date;
}

/** The job that runs an action. */
export interface Attempt {
  /** It will not run again: then people are told instead of waiting. */
  readonly isLast: boolean;
}
