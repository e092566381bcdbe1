import type { Remedy, TransactionAlert } from '../alerts/alert.ts';
import type { Alerts } from '../alerts/alert-store.ts';
import type { CardHistory } from '../alerts/card-history.ts';
import type { LimitRequest } from '../approvals/request.ts';
import type { Requests } from '../approvals/request-store.ts';
import type { Audit } from '../audit/audit.ts';
import type { CardClient } from '../card-api/client.ts';
import type { RuleGoal } from '../card-api/rule-change.ts';
import type { CardFacts } from '../core/card-facts.ts';
import type { TransactionEvent } from '../core/event.ts';
import type { Gap } from '../core/gap.ts';
import type { WithLock } from '../core/lock.ts';
import type { Log } from '../core/log.ts';
import type { Since } from '../core/since.ts';
import type { DirectoryAccount } from '../directory/account.ts';
import type { Directory } from '../directory/directory.ts';
import type { DigestParts, RoutingParts } from '../dispatch/compose-channels.ts';
import type { PendingStore } from '../dispatch/pending-form-store.ts';
import type { Claim, Claims } from '../holders/claim-store.ts';
import type { Links } from '../holders/link-store.ts';
import type { ServiceDays } from '../limits/change-request.ts';
import type { RecentRaises } from '../limits/recent-raise-store.ts';
import type { TemporaryChange, TemporaryChanges } from '../limits/temporary-change-store.ts';
import type { RemedyAction } from '../limits/verbs.ts';
import type { NotifyOps } from '../ops/notify-ops.ts';
import type { AlertMessages } from '../outbox/tracked-message-store.ts';
import type { Role } from '../policy/decide.ts';
import type { Person } from '../slack/client.ts';
import type { Message } from '../slack/message.ts';
import type { VirtualOrders } from '../virtual-cards/order.ts';
import type { Action } from './action.ts';
import type { Blocks } from './block-store.ts';
import type { Confirmations } from './confirmation-store.ts';
import type { Progress } from './progress-store.ts';

/** Whether a declined purchase would pass now, and what it takes if not. */
export type PurchaseCheck =
  | { readonly state: 'stopped'; readonly remedy: Remedy }
  | { readonly state: 'passes' }
  /** Nothing of ours can help, or (`isAway`) the card API did not say. */
  | { readonly state: 'unknown'; readonly isAway?: boolean };

/** What an open form shows. */
export interface FilledForm {
  readonly alert: TransactionAlert;
  readonly pendingId: string;
  readonly remedy: Remedy | null;
  readonly state: 'checked' | 'passes' | 'unread';
}

/** What performing an action needs, joined in `worker.ts`. */
export interface ActionDeps {
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
  /** The spend rules as received, with some of them changed and everything else as it was. */
  readonly applyChanges: (raw: Record<string, unknown>, goals: readonly RuleGoal[]) => Record<string, unknown>;
  /** What would let a declined purchase pass now. */
  readonly checkPurchase: (event: TransactionEvent) => Promise<PurchaseCheck>;
  /** The service's clock. */
  readonly serviceDays: ServiceDays;
  readonly directory: Directory;
  /** Names and last four of a card, as far as the directory knows them. */
  readonly toFacts: (
    acctId: number,
    account: DirectoryAccount | null,
    which?: { cardId?: number; last4?: string },
  ) => CardFacts;
  /** The same, with the name of the spending ruleset that the card follows. */
  readonly nameRuleset: (card: CardFacts) => Promise<CardFacts>;
  readonly alerts: Alerts;
  readonly history: CardHistory;
  readonly progress: Progress;
  readonly confirmations: Confirmations;
  readonly virtualOrders: VirtualOrders;
  /** Opens what the web process sealed; null when it cannot be. */
  readonly unseal: (sealed: string) => string | null;
  readonly pending: PendingStore;
  readonly requests: Requests;
  readonly routing: RoutingParts;
  readonly digest: DigestParts;
  /** A datetime of the API, UTC ISO 8601; null when it is none. */
  readonly toInstant: (text: string) => string | null;
  readonly temporaryChanges: TemporaryChanges;
  readonly links: Links;
  readonly claims: Claims;
  /** What Slack knows of somebody; null: nothing. */
  readonly person: (userId: string) => Promise<Person | null>;
  readonly recentRaises: RecentRaises;
  readonly blocks: Blocks;
  /** Behind "was refused to": `change a limit of`. */
  readonly refusedTo: (verb: string) => string;
  /** Whom to mention: user ids and user group ids. */
  readonly whoMay: (role: Role) => Promise<readonly string[]>;
  readonly audit: Audit;
  readonly withLock: WithLock;
  /** Answers the person who asked, where they asked; nobody else sees it. */
  readonly answer: (action: Action, message: Message) => Promise<void>;
  readonly updateMessages: (alertId: string) => Promise<void>;
  readonly alertMessages: AlertMessages;
  /** Posts into the channel for requests. */
  readonly postRequest: (request: LimitRequest) => Promise<void>;
  /** Brings a request's message up to date, soon. */
  readonly updateRequest: (requestId: string) => Promise<void>;
  /** Posts a claim into the same channel, to be confirmed or refused there. */
  readonly postClaim: (claim: Claim) => Promise<void>;
  /** Brings a claim's message up to date, soon. */
  readonly updateClaim: (claimId: string) => Promise<void>;
  /** Ends a claim that nobody decided. */
  readonly scheduleClaimEnd: (claimId: string, atMs: number) => Promise<void>;
  /** Writes to a person, in a direct message; the id makes repeating it nothing. */
  readonly notifyDirectly: (userId: string, id: string, message: Message) => Promise<void>;
  /** Gives a temporary change a message of its own, in the channel for requests. */
  readonly postTemporaryChange: (temporaryChange: TemporaryChange) => Promise<void>;
  /** Brings a temporary change's own messages up to date, soon. */
  readonly updateTemporaryChange: (temporaryChangeId: string) => Promise<void>;
  /** Posts for the approvers, or for whoever runs the bot; the id makes repeating it nothing. */
  readonly postToApprovals: (id: string, message: Message) => Promise<void>;
  readonly postToOps: (id: string, message: Message) => Promise<void>;
  /** Shows in an open form what is known by now. */
  readonly updateForm: (form: RemedyAction['form'], shown: FilledForm) => Promise<void>;
  /** Posts a line into the audit channel; the id makes repeating it nothing. */
  readonly postAuditLine: (id: string, message: Message) => Promise<void>;
  /** Wakes the worker when a temporary limit ends. */
  readonly scheduleTemporaryChangeEnd: (temporaryChangeId: string, atMs: number) => Promise<void>;
  /** Wakes the worker to look whether a change can be seen at the card service. */
  readonly scheduleConfirm: (actionId: string, atMs: number) => Promise<void>;
  readonly notifyOps: NotifyOps;
  /** A moment that a person wrote, UTC ISO 8601; null when there is no such date. */
  readonly momentOf: (since: Since, askedAt: string) => string | null;
  /** Starts the search for what was missed. */
  readonly recoverGap: (gap: Gap) => Promise<void>;
  /** Where the bot tells of itself. */
  readonly opsChannel: string;
  /** Looks after a request that nobody answers, from now on. */
  readonly scheduleRequest: (requestId: string) => Promise<void>;
  /** Takes *Undo* away when its minute is over. */
  readonly scheduleUndoEnd: (actionId: string, atMs: number) => Promise<void>;
  readonly twoPersonAboveCents: number;
  readonly now: () => Date;
  readonly log: Log;
  /** True when BullMQ will not run the job again: then the person is told instead of waiting. */
  readonly isLastAttempt: boolean;
}
