import type { Alerts } from '../src/alerts/alert-store.ts';
import type { EventLog } from '../src/alerts/event-log.ts';
import type { HomeTurn } from '../src/app-home/home-page.ts';
import type { HomeViewers } from '../src/app-home/viewer-store.ts';
import type { Requests } from '../src/approvals/request-store.ts';
import type { ChannelVisibility } from '../src/core/channel-visibility.ts';
import type { Log } from '../src/core/log.ts';
import type { Seals } from '../src/core/seal.ts';
import type { Directory } from '../src/directory/directory.ts';
import type { Command } from '../src/dispatch/command.ts';
import type { PendingStore } from '../src/dispatch/pending-form-store.ts';
import type { Ask } from '../src/dispatch/request-action.ts';
import type { Links } from '../src/holders/link-store.ts';
import type { BatchMessages } from '../src/outbox/message-store.ts';
import type { AlertMessages } from '../src/outbox/tracked-message-store.ts';
import type { ApprovalPolicy } from '../src/policy/approval-policy.ts';
import type { CardsFor, createRolesForCard, Permissions } from '../src/policy/permissions.ts';
import type { Respond } from '../src/slack/answer.ts';
import type { Slack } from '../src/slack/client.ts';
import type { Message } from '../src/slack/message.ts';

/** What the listeners need, composed in `src/app/compose-web.ts`. */
export interface ListenerDeps {
  /** Reads the text after `/card`. Times are relative to the card service's current time. */
  readonly readCommand: (text: string) => Command;
  /** The card service's day, `2026-11-20`. */
  readonly today: () => string;
  /** Permits and stores; `notify` reaches the person who asked. */
  readonly requestAction: (ask: Ask & { readonly notify: (message: Message) => Promise<void> }) => Promise<void>;
  readonly permissions: Permissions;
  readonly rolesForCard: ReturnType<typeof createRolesForCard>;
  readonly cardsFor: CardsFor;
  readonly accountsOf: Links['accountsOf'];
  readonly alerts: Pick<Alerts, 'get'>;
  readonly alertMessages: Pick<AlertMessages, 'at'>;
  readonly eventLog: Pick<EventLog, 'read'>;
  readonly batchMessages: Pick<BatchMessages, 'get'>;
  readonly visibilityOf: (channel: string) => Promise<ChannelVisibility>;
  readonly pending: PendingStore;
  /** Known cards and holders, without calling the card service. */
  readonly directory: Pick<Directory, 'search' | 'searchAmong' | 'findKnown' | 'account'>;
  readonly pushView: Slack['pushView'];
  readonly updateView: Slack['updateView'];
  readonly requests: Pick<Requests, 'get'>;
  /** The people whom an approver may name as a delegate. */
  readonly ownDelegates: () => readonly string[];
  readonly policyFor: (group: string | null) => ApprovalPolicy;
  readonly openView: Slack['openView'];
  readonly postEphemeral: Slack['postEphemeral'];
  /** To be called when Slack reports that the readers of a channel changed. */
  readonly visibilityChanged: () => Promise<void>;
  /** To be called when Slack reports that a user group or an account changed. */
  readonly rolesChanged: () => Promise<void>;
  /** Requests a fresh App Home for a person and their current roles. `isOpening`: they are looking at it. */
  readonly renderHome: (userId: string, isOpening: boolean, turn?: HomeTurn | null) => Promise<void>;
  /** Switches a person's App Home to another card program. Empty: the first one. */
  readonly showProgram: (userId: string, program: string) => Promise<void>;
  readonly homeViewers: Pick<HomeViewers, 'all'>;
  readonly respond: Respond;
  readonly seals: Seals;
  readonly log: Log;
}
