import type { EventLog } from '../alerts/event-log.ts';
import type { Channels } from '../app/config.ts';
import type { TransactionEvent } from '../core/event.ts';
import type { Slack } from '../slack/client.ts';
import type { Message } from '../slack/message.ts';
import type { Mutes } from './mute-store.ts';
import type { QuietHoursStore } from './quiet-hours-store.ts';
import type { Subscriptions } from './subscription-store.ts';

/** What people decide about where events go, and what it takes. */
export interface RoutingDeps {
  readonly subscriptions: Subscriptions;
  readonly quietHours: QuietHoursStore;
  readonly mutes: Mutes;
  /** What a channel holds waits for the quiet hours that it has now; what they let through is posted. @returns how many. */
  readonly holdAsQuiet: (channel: string) => Promise<number>;
  /** What the configuration says. */
  readonly channels: Channels;
  /** Whose wall clock is meant where nobody names one. */
  readonly zone: string;
  readonly channelInfo: Slack['channelInfo'];
  readonly openDirect: Slack['openDirect'];
  readonly eventLog: Pick<EventLog, 'read' | 'latest'>;
  /** How often an event was delivered; 0 when it is not remembered any more. */
  readonly timesDelivered: (eventId: string) => Promise<number>;
  /** Address of a message. Null: not known now. */
  readonly permalink: (channel: string, ts: string) => Promise<string | null>;
  /** A network transaction of the API as the event that its webhook would have been. @throws PayloadError */
  readonly toMissed: (row: Record<string, unknown>) => TransactionEvent;
  /** A datetime of the API; null when it is none. */
  readonly toInstant: (text: string) => string | null;
  /** Wakes the worker when a mute ends. */
  readonly scheduleMuteEnd: (muteId: string, atMs: number) => Promise<void>;
  /** Posts into a channel; the id makes repeating it nothing. */
  readonly postNotice: (channel: string, id: string, message: Message) => Promise<void>;
}
