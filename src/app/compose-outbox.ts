import type { Alert } from '../alerts/alert.ts';
import type { Alerts } from '../alerts/alert-store.ts';
import type { EventLog } from '../alerts/event-log.ts';
import { createThreads } from '../alerts/thread-store.ts';
import type { Requests } from '../approvals/request-store.ts';
import type { ChannelVisibility } from '../core/channel-visibility.ts';
import type { WithLock } from '../core/lock.ts';
import type { RedisClient } from '../core/redis.ts';
import type { Claims } from '../holders/claim-store.ts';
import type { TemporaryChanges } from '../limits/temporary-change-store.ts';
import type { NotifyOps } from '../ops/notify-ops.ts';
import { createAttachRows } from '../outbox/attach-rows.ts';
import { createBatchMessages } from '../outbox/batch-store.ts';
import type { Outbox } from '../outbox/outbox-store.ts';
import { createPostTrackedMessage } from '../outbox/post-tracked-message.ts';
import { createRenderBatch } from '../outbox/render-batch.ts';
import { createRenderEntries } from '../outbox/render-entries.ts';
import { createSender } from '../outbox/send-message.ts';
import { createUnsupportedBlocks } from '../outbox/unsupported-blocks-store.ts';
import type { Slack } from '../slack/client.ts';
import type { Message } from '../slack/message.ts';
import type { Queues } from './queues.ts';

interface Deps {
  readonly redis: RedisClient;
  readonly queues: Queues;
  readonly slack: Slack;
  readonly outbox: Outbox;
  readonly alerts: Alerts;
  readonly requests: Requests;
  readonly claims: Claims;
  readonly temporaryChanges: TemporaryChanges;
  readonly eventLog: EventLog;
  readonly withLock: WithLock;
  readonly visibilityOf: (channel: string) => Promise<ChannelVisibility>;
  readonly renderFor: (alert: Alert, at: { channel: string; audience: 'team' | 'holder' }) => Promise<Message | null>;
  readonly fallbackChannel: string;
  readonly notifyOps: NotifyOps;
}

/** What takes messages from the outbox to Slack, joined over one Redis. */
export function composeOutbox(deps: Deps) {
  const {
    redis,
    queues,
    slack,
    outbox,
    alerts,
    requests,
    claims,
    temporaryChanges,
    eventLog,
    withLock,
    visibilityOf,
    notifyOps,
  } = deps;
  const unsupported = createUnsupportedBlocks(redis);
  const batchMessages = createBatchMessages(redis);
  const batch = createRenderBatch({ alerts, unsupported, visibilityOf, notifyOps });
  const threads = createThreads(redis);
  const rows = createAttachRows({ slack, batchMessages, batch, outbox, unsupported, notifyOps });
  const sender = createSender({
    slack,
    alerts,
    outbox,
    threads,
    eventLog,
    drawing: createRenderEntries({ alerts, threads, batch, rows, unsupported, notifyOps, renderAlert: deps.renderFor }),
    batch,
    batchMessages,
    updateMessages: queues.updateMessage,
    rows,
    unsupported,
    postTrackedMessage: createPostTrackedMessage({
      requests,
      claims,
      updateRequest: queues.updateRequest,
      updateClaim: queues.updateClaim,
      updateTemporaryChange: queues.updateTemporaryChange,
      temporaryChanges,
      withLock,
    }),
    notifyOps,
    fallbackChannel: deps.fallbackChannel,
    wakeOutbox: queues.flushOutbox,
  });

  return { sender, batch, batchMessages };
}
