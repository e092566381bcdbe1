import type { RuleGoal } from '../card-api/rule-change.ts';
import type { CardFacts } from '../core/card-facts.ts';
import type { TransactionEvent } from '../core/event.ts';
import type { Lease, WithLock } from '../core/lock.ts';
import type { ServiceDays } from '../core/service-time.ts';
import type { ApprovalPolicy } from '../policy/approval-policy.ts';
import type { Authorization } from '../policy/authorize.ts';
import type { Role } from '../policy/decide-action.ts';
import type { Person } from '../slack/client.ts';
import type { Message } from '../slack/message.ts';
import type { Action, Target } from './action.ts';
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
  /** Writes a line into the audit channel; the id makes repeating it nothing. */
  readonly postAuditLine: (id: string, message: Message) => Promise<void>;
  /** Posts for the approvers of a group of cards; the id makes repeating it nothing. */
  readonly postToApprovals: (id: string, message: Message, group: string | null) => Promise<void>;
  /** Gives a temporary change a message of its own, in the channel for requests. */
  readonly postTemporaryChange: (change: { readonly id: string; readonly acctId: number }) => Promise<void>;
  /** Brings the messages of a temporary change, or of a request, up to date, soon. */
  readonly updateTemporaryChange: (temporaryChangeId: string) => Promise<void>;
  readonly updateRequest: (requestId: string) => Promise<void>;
  /** The direct conversation with a person. */
  readonly openDirect: (userId: string) => Promise<string>;
  /** Keeps an action that is done when its button is pressed. @returns the button's value. */
  readonly putChoice: (action: Action, questionId: string | null) => Promise<string>;
  /** The declined purchase that an action is about; null when it is about none. */
  readonly purchaseOf: (action: Action) => Promise<TransactionEvent | null>;
  /** Whose card something is about; null where no card is named, or where that is no longer known. */
  readonly accountOf: (target: Target) => Promise<number | null>;
  /** The same facts, with the name of the spending ruleset that the card follows. */
  readonly nameRuleset: (card: CardFacts) => Promise<CardFacts>;
  /** The spend rules as received, with some of them changed and everything else as it was. */
  readonly applyChanges: (raw: Record<string, unknown>, goals: readonly RuleGoal[]) => Record<string, unknown>;
  /** Behind "to": `block cards`, also of a verb that this version does not know. */
  readonly doingOf: (verb: string) => string;
  /** What Slack knows of somebody; null: nothing. */
  readonly person: (userId: string) => Promise<Person | null>;
  /** Whether a card counts as somebody's own. */
  readonly isOwnCard: (userId: string, acctId: number) => Promise<boolean>;
  /** Whether somebody's role is enough for a card. */
  readonly mayAct: (action: Action, acctId: number) => Promise<boolean>;
  /** Whom to mention, about a card of a group: user ids and user group ids. */
  readonly whoMay: (role: Role, group?: string | null) => Promise<readonly string[]>;
  readonly policyOfCard: (acctId: number) => Promise<ApprovalPolicy>;
  /** The group of a card, as the card service calls it; null: none. Undefined: nobody knows it. */
  readonly groupOfCard: (acctId: number) => Promise<string | null | undefined>;
  /** IANA name of the card service's time zone, and its days. */
  readonly zone: string;
  readonly serviceDays: ServiceDays;
  readonly withLock: WithLock;
  readonly now: () => Date;
}

/** Which of the account's cards is meant; left out: the one in use. */
export type FactsOf = (
  acctId: number,
  which?: { readonly cardId?: number; readonly last4?: string },
) => Promise<CardFacts>;

/** The job that runs an action. */
export interface ActionRun {
  /** It will not run again: then people are told instead of waiting. */
  readonly isLast: boolean;
  /** Of the lock that it runs under already, if any. */
  readonly lease?: Lease;
}

/** The same under the lock of the account that the action changes. */
export interface LockedRun extends ActionRun {
  readonly lease: Lease;
}
