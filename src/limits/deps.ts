import type { Action } from '../actions/action.ts';
import type { ActionTools, FactsOf } from '../actions/action-tools.ts';
import type { Confirmations } from '../actions/confirmation-store.ts';
import type { Reports } from '../actions/report.ts';
import type { Alerts } from '../alerts/alert-store.ts';
import type { Audit } from '../audit/audit.ts';
import type { CardClient } from '../card-api/client.ts';
import type { RuleGoal } from '../card-api/rule-change.ts';
import type { TransactionEvent } from '../core/event.ts';
import type { Log } from '../core/log.ts';
import type { Message } from '../slack/message.ts';
import type { ServiceDays } from './change-request.ts';
import type { RaiseAmounts } from './raise-amount.ts';
import type { TemporaryChange, TemporaryChanges } from './temporary-change-store.ts';

/** What changes of rules are handed all at once as yet: to be split by what each of them calls. */
export interface LimitDeps
  extends Pick<ActionTools, 'record' | 'refuse' | 'outcomes' | 'progress' | 'notifyDirectly' | 'withLock' | 'now'> {
  readonly card: Pick<CardClient, 'getSpendRules' | 'putSpendRules' | 'getRemainingLimits'>;
  readonly factsOf: FactsOf;
  readonly reports: Reports;
  readonly confirmations: Confirmations;
  readonly alerts: Pick<Alerts, 'get'>;
  readonly audit: Pick<Audit, 'append'>;
  /** The spend rules as received, with some of them changed and everything else as it was. */
  readonly applyChanges: (raw: Record<string, unknown>, goals: readonly RuleGoal[]) => Record<string, unknown>;
  readonly serviceDays: ServiceDays;
  readonly raises: RaiseAmounts;
  /** The declined purchase that an action is about; null when it is about none. */
  readonly purchaseOf: (action: Action) => Promise<TransactionEvent | null>;
  readonly temporaryChanges: TemporaryChanges;
  readonly links: { wasHolderLately(userId: string, acctId: number): Promise<boolean> };
  readonly postAuditLine: (id: string, message: Message) => Promise<void>;
  readonly updateRequest: (requestId: string) => Promise<void>;
  readonly postTemporaryChange: (temporaryChange: TemporaryChange) => Promise<void>;
  readonly updateTemporaryChange: (temporaryChangeId: string) => Promise<void>;
  readonly scheduleTemporaryChangeEnd: (temporaryChangeId: string, atMs: number) => Promise<void>;
  readonly twoPersonAboveCents: number;
  readonly log: Log;
}
