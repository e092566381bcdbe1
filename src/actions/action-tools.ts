import type { RuleGoal } from '../card-api/rule-change.ts';
import type { CardFacts } from '../core/card-facts.ts';
import type { TransactionEvent, WhichCard } from '../core/event.ts';
import type { Lease, WithLock } from '../core/lock.ts';
import type { ApprovalPolicy } from '../policy/approval-policy.ts';
import type { Authorization } from '../policy/authorize.ts';
import type { Role } from '../policy/decide-action.ts';
import type { AnswerOptions } from '../slack/answer.ts';
import type { Person } from '../slack/client.ts';
import type { Message } from '../slack/message.ts';
import type { Action, Target } from './action.ts';
import type { Progress } from './progress-store.ts';
import type { RecordAction } from './record.ts';
import type { RecordLook } from './record-limits.ts';
import type { AskAgain, Refusals } from './record-refusal.ts';
import type { OutcomesOnAlerts } from './report.ts';
import type { SetInOrder } from './set-in-order.ts';

/**
 * Tools that many actions use. Each function takes only what it calls: `Pick<ActionTools, 'record' | 'answer'>`.
 */
export interface ActionTools extends Pick<Refusals, 'recordRefusal' | 'isRefused'> {
  readonly rights: Rights;
  readonly responses: Responses;
  readonly record: RecordAction;
  readonly recordLook: RecordLook;
  readonly progress: Progress;
  /** True when the action has a record. It is then a rerun after a crash. */
  readonly hasBegun: (action: Action) => Promise<boolean>;
  /** Holder name and last four of an account's card, from the directory. */
  readonly factsOf: FactsOf;
  readonly outcomes: OutcomesOnAlerts;
  /** Idempotent by id. */
  readonly notifyDirectly: (userId: string, id: string, message: Message) => Promise<void>;
  /** Schedules an update of an alert's messages. */
  readonly updateAlert: (alertId: string) => Promise<void>;
  /** Idempotent by id. */
  readonly postAuditLine: (id: string, message: Message) => Promise<void>;
  /** Posts to the approvers of a card group. Idempotent by id. */
  readonly postToApprovals: (id: string, message: Message, group: string | null) => Promise<void>;
  /** Posts a separate message for a temporary change, in the approvals channel. */
  readonly postTemporaryChange: (change: { readonly id: string; readonly acctId: number }) => Promise<void>;
  /** Schedules an update of a request's messages. */
  readonly updateRequest: (requestId: string) => Promise<void>;
  /** A card's status or rules have changed: updates what waits for a decision about it. */
  readonly cardChanged: (acctId: number) => Promise<void>;
  /** The direct message channel of a person. */
  readonly openDirect: (userId: string) => Promise<string>;
  /** Stores an action that runs when its button is pressed. @returns the button's value. */
  readonly putChoice: (action: Action, questionId: string | null) => Promise<string>;
  /** The declined purchase that an action is about; null if there is none. */
  readonly purchaseOf: (action: Action) => Promise<TransactionEvent | null>;
  /** The account of a target; null if it names no card or the card is no longer known. */
  readonly accountOf: (target: Target) => Promise<number | null>;
  /** The same facts, with the name of the card's spending ruleset. */
  readonly nameRuleset: (card: CardFacts) => Promise<CardFacts>;
  /** The spend rules as received, with some of them changed and everything else unchanged. */
  readonly applyChanges: (raw: Record<string, unknown>, goals: readonly RuleGoal[]) => Record<string, unknown>;
  /**
   * Completes "to …": `unblock Jane Doe · card 4242`. Raw.
   *
   * @param acctId null: the card is unknown, or it is not settled yet whether the person may know its holder.
   */
  readonly askedFor: (action: Action, acctId: number | null) => Promise<string>;
  /** A person's Slack profile; null if Slack returns none. */
  readonly person: (userId: string) => Promise<Person | null>;
  /** IANA name of the card service's time zone. */
  readonly zone: string;
  readonly withLock: WithLock;
  readonly setInOrder: SetInOrder;
  readonly now: () => Date;
}

/** Who may do what to which card. */
export interface Rights extends Authorization {
  readonly isOwnCard: (userId: string, acctId: number, isLooser?: boolean) => Promise<boolean>;
  /** Whom to mention for a card of a group: user ids and user group ids. */
  readonly whoMay: (role: Role, group?: string | null) => Promise<readonly string[]>;
  /** A card's group, as the card service names it. Null: none; undefined: unknown. */
  readonly groupOfCard: (acctId: number) => Promise<string | null | undefined>;
  /** The rules for raises of a card, by the group that it is in now. @throws RolesUnreadError when that was not read. */
  readonly policyOfCard: (acctId: number) => Promise<ApprovalPolicy>;
}

/** What the person who asked reads where they asked. Nobody else sees it. */
export interface Responses extends Pick<Refusals, 'refuse' | 'refuseUnclear' | 'refuseWith'> {
  readonly answer: (action: Action, message: Message, options?: AnswerOptions) => Promise<void>;
  /** For actions that loosen a card and waited too long: asks the person whether to still do it. */
  readonly askAgain: AskAgain;
}

export type FactsOf = (acctId: number, which?: WhichCard) => Promise<CardFacts>;

/** The job that runs an action. */
export interface ActionRun {
  /** No retry follows. On failure people are notified instead of waiting. */
  readonly isLast: boolean;
  /** The lease of the lock that the run already holds, if any. */
  readonly lease?: Lease;
}

/** A run that holds the lock of the account that the action changes. */
export interface LockedRun extends ActionRun {
  readonly lease: Lease;
}
