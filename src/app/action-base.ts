import type { Action } from '../actions/action.ts';
import type { FactsOf } from '../actions/action-tools.ts';
import type { Audit } from '../audit/audit.ts';
import type { CardClient } from '../card-api/client.ts';
import type { RuleGoal } from '../card-api/rule-change.ts';
import type { CardFacts } from '../core/card-facts.ts';
import type { TransactionEvent } from '../core/event.ts';
import type { Log } from '../core/log.ts';
import type { Since } from '../core/since.ts';
import type { Directory } from '../directory/directory.ts';
import type { ServiceDays } from '../limits/change-request.ts';
import type { PurchaseCheck } from '../limits/remedy.ts';
import type { TimeLeft } from '../limits/time-left.ts';
import type { NotifyOps } from '../ops/notify-ops.ts';
import type { AlertMessages } from '../outbox/tracked-message-store.ts';
import type { ApprovalPolicy } from '../policy/approval-policy.ts';
import type { Role } from '../policy/decide.ts';
import type { Permissions } from '../policy/permissions.ts';
import type { Person } from '../slack/client.ts';
import type { Message } from '../slack/message.ts';
import type { Stores } from './worker-base.ts';

/** What everything that people ask for is composed over. Only the composition knows it whole. */
export interface ActionBase {
  readonly stores: ActionStores;
  readonly cards: ActionCards;
  readonly people: People;
  readonly messages: Messages;
  readonly notices: Notices;
  readonly timers: Timers;
  readonly settings: Settings;
}

/** What is kept of actions, and what they change or look at. */
export type ActionStores = Pick<
  Stores,
  | 'alerts'
  | 'history'
  | 'requests'
  | 'temporaryChanges'
  | 'links'
  | 'claims'
  | 'latestChanges'
  | 'progress'
  | 'refusalCounts'
  | 'blocks'
  | 'recentRaises'
  | 'decisions'
  | 'virtualOrders'
  | 'pending'
  | 'withLock'
> & { readonly audit: Audit };

/** The card service, and what is known of its cards. */
export interface ActionCards {
  readonly card: Pick<
    CardClient,
    | 'getAccount'
    | 'setCardStatus'
    | 'activateCard'
    | 'getSpendRules'
    | 'putSpendRules'
    | 'getRemainingLimits'
    | 'listAccountNetworkTransactions'
    | 'getCardOrder'
    | 'orderVirtualCards'
    | 'requestVirtualCardData'
  >;
  readonly directory: Directory;
  /** Names and last four of a card, as far as the directory knows them. */
  readonly factsOf: FactsOf;
  /** The same facts, with the name of the spending ruleset that the card follows. */
  readonly nameRuleset: (card: CardFacts) => Promise<CardFacts>;
  /** What would let a declined purchase pass now. */
  readonly checkPurchase: (event: TransactionEvent) => Promise<PurchaseCheck>;
  /** The spend rules as received, with some of them changed and everything else as it was. */
  readonly applyChanges: (raw: Record<string, unknown>, goals: readonly RuleGoal[]) => Record<string, unknown>;
}

/** Who they are, and what only one of them reads. */
export interface People {
  /** Answers the person who asked, where they asked; nobody else sees it. */
  readonly answer: (action: Action, message: Message) => Promise<void>;
  /** Writes to a person, in a direct message; the id makes repeating it nothing. */
  readonly notifyDirectly: (userId: string, id: string, message: Message) => Promise<void>;
  /** The roles of a person, as the policy, Slack and the links of cards say them. */
  readonly rolesOf: Permissions['rolesOf'];
  /** Whom to mention about a card of a group: user ids and user group ids. */
  readonly whoMay: (role: Role, group?: string | null) => Promise<readonly string[]>;
  /** What Slack knows of somebody; null: nothing. */
  readonly person: (userId: string) => Promise<Person | null>;
  /** Opens what the web process sealed; null when it cannot be. */
  readonly unseal: (sealed: string) => string | null;
}

/** Messages that are kept up to date. What is posted here stands in the channel for requests; updates come soon. */
export interface Messages {
  readonly alertMessages: AlertMessages;
  readonly updateMessages: (alertId: string) => Promise<void>;
  readonly postRequest: (request: { readonly id: string; readonly card: CardFacts }) => Promise<void>;
  readonly updateRequest: (requestId: string) => Promise<void>;
  readonly postClaim: (claim: { readonly id: string }) => Promise<void>;
  readonly updateClaim: (claimId: string) => Promise<void>;
  readonly postTemporaryChange: (temporaryChange: { readonly id: string; readonly acctId: number }) => Promise<void>;
  readonly updateTemporaryChange: (temporaryChangeId: string) => Promise<void>;
}

/** Messages that are posted once; the id makes repeating it nothing. */
export interface Notices {
  readonly postAuditLine: (id: string, message: Message) => Promise<void>;
  /** @param group of the card that it is about. */
  readonly postToApprovals: (id: string, message: Message, group: string | null) => Promise<void>;
  readonly postToOps: (id: string, message: Message) => Promise<void>;
  readonly notifyOps: NotifyOps;
}

/** Wakes the worker later. */
export interface Timers {
  /** To record together what one person was refused within a minute. */
  readonly scheduleRefusals: (action: Action, first: string, delayMs: number) => Promise<void>;
  /** To look whether a change can be seen at the card service. */
  readonly scheduleConfirm: (actionId: string, atMs: number) => Promise<void>;
  /** To take *Undo* away when its minute is over. */
  readonly scheduleUndoEnd: (actionId: string, atMs: number) => Promise<void>;
  /** To look after a request that nobody answers, from now on. */
  readonly scheduleRequest: (requestId: string) => Promise<void>;
  /** To end a claim that nobody decided. */
  readonly scheduleClaimEnd: (claimId: string, atMs: number) => Promise<void>;
  readonly scheduleTemporaryChangeEnd: (temporaryChangeId: string, atMs: number) => Promise<void>;
}

export interface Settings {
  readonly now: () => Date;
  readonly timeLeft: TimeLeft;
  readonly log: Log;
  /** How many have to approve how much; null: the card is in no group, or it is not known in which. */
  readonly policyFor: (group: string | null) => ApprovalPolicy;
  /** Some groups of cards have rules or approvers of their own. */
  readonly hasCardGroups: () => boolean;
  readonly serviceDays: ServiceDays;
  /** A datetime of the API, UTC ISO 8601; null when it is none. */
  readonly toInstant: (text: string) => string | null;
  /** A moment that a person wrote, UTC ISO 8601; null when there is no such date. */
  readonly momentOf: (since: Since, askedAt: string) => string | null;
}
