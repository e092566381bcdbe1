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
import type { BatchMessages } from '../src/outbox/message-store.ts';
import type { AlertMessages } from '../src/outbox/tracked-message-store.ts';
import type { ApprovalPolicy } from '../src/policy/approval-policy.ts';
import type { CardsFor, createRolesForCard, Permissions } from '../src/policy/permissions.ts';
import type { Respond } from '../src/slack/answer.ts';
import type { Slack } from '../src/slack/client.ts';
import type { Message } from '../src/slack/message.ts';

/** What the listeners need, joined in `src/web.ts`. */
export interface ListenerDeps {
  /** What was typed after `/card`, as the card service's clock has it now. */
  readonly readCommand: (text: string) => Command;
  /** Permits and stores; `notify` reaches the person who asked. */
  readonly requestAction: (ask: Ask & { readonly notify: (message: Message) => Promise<void> }) => Promise<void>;
  readonly permissions: Permissions;
  /** The roles that somebody has for one card. */
  readonly rolesForCard: ReturnType<typeof createRolesForCard>;
  readonly cardsFor: CardsFor;
  readonly alerts: Pick<Alerts, 'get'>;
  readonly alertMessages: Pick<AlertMessages, 'at'>;
  readonly eventLog: Pick<EventLog, 'read'>;
  readonly batchMessages: Pick<BatchMessages, 'get'>;
  /** Who can read a channel. */
  readonly visibilityOf: (channel: string) => Promise<ChannelVisibility>;
  readonly pending: PendingStore;
  /** What is known of cards and holders, without asking the card service. */
  readonly directory: Pick<Directory, 'search' | 'findKnown' | 'account'>;
  readonly pushView: Slack['pushView'];
  readonly updateView: Slack['updateView'];
  readonly requests: Pick<Requests, 'get'>;
  /** Whom approvers may name as their delegate. */
  readonly ownDelegates: () => readonly string[];
  readonly policyFor: (group: string | null) => ApprovalPolicy;
  readonly openView: Slack['openView'];
  readonly postEphemeral: Slack['postEphemeral'];
  /** Slack said that the readers of a channel changed. */
  readonly visibilityChanged: () => Promise<void>;
  /** Slack said that a user group or somebody's account changed. */
  readonly rolesChanged: () => Promise<void>;
  /** Has a person's App Home drawn, for what they may do now; `isOpening` when they look at it. */
  readonly renderHome: (userId: string, isOpening: boolean, turn?: HomeTurn | null) => Promise<void>;
  /** App Home shows another card program from now on; empty: the first one. */
  readonly showProgram: (userId: string, program: string) => Promise<void>;
  readonly homeViewers: Pick<HomeViewers, 'all'>;
  readonly respond: Respond;
  readonly seals: Seals;
  readonly log: Log;
}
