import type { Alert } from '../alerts/alert.ts';
import type { Alerts } from '../alerts/alert-store.ts';
import type { Trail } from '../alerts/event-log.ts';
import { createThreads } from '../alerts/thread-store.ts';
import type { Requests } from '../approvals/request-store.ts';
import type { Place } from '../core/channel-visibility.ts';
import type { WithLock } from '../core/lock.ts';
import type { RedisClient } from '../core/redis.ts';
import type { Claims } from '../holders/claim-store.ts';
import type { Leases } from '../limits/temporary-change-store.ts';
import type { TellOps } from '../ops/notify-ops.ts';
import { createAttachRows } from '../outbox/attach-rows.ts';
import { createJoinedMessages } from '../outbox/batch-store.ts';
import type { Outbox } from '../outbox/outbox-store.ts';
import { createPlaceNotice } from '../outbox/post-tracked-message.ts';
import { createDrawJoined } from '../outbox/render-batch.ts';
import { createDrawEntries } from '../outbox/render-entries.ts';
import { createPoster } from '../outbox/send-message.ts';
import { createSlackLacks } from '../outbox/unsupported-blocks-store.ts';
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
  readonly leases: Leases;
  readonly trail: Trail;
  readonly withLock: WithLock;
  readonly placeOf: (channel: string) => Promise<Place>;
  readonly renderFor: (alert: Alert, at: { channel: string; audience: 'team' | 'holder' }) => Promise<Message | null>;
  readonly fallbackChannel: string;
  readonly tellOps: TellOps;
}

/** What takes messages from the outbox to Slack, joined over one Redis. */
export function createPostingParts(deps: Deps) {
  const { redis, queues, slack, outbox, alerts, requests, claims, leases, trail, withLock, placeOf, tellOps } = deps;
  const lacks = createSlackLacks(redis);
  const joinedMessages = createJoinedMessages(redis);
  const joined = createDrawJoined({ alerts, lacks, placeOf, tellOps });
  const threads = createThreads(redis);
  const rows = createAttachRows({ slack, joinedMessages, joined, outbox, lacks, tellOps });
  const poster = createPoster({
    slack,
    alerts,
    outbox,
    threads,
    trail,
    drawing: createDrawEntries({ alerts, threads, joined, rows, lacks, tellOps, renderAlert: deps.renderFor }),
    joined,
    joinedMessages,
    updateMessages: queues.updateMessage,
    rows,
    lacks,
    placeNotice: createPlaceNotice({
      requests,
      claims,
      updateRequest: queues.updateRequest,
      updateClaim: queues.updateClaim,
      updateLease: queues.updateLease,
      leases,
      withLock,
    }),
    tellOps,
    fallbackChannel: deps.fallbackChannel,
    wakeOutbox: queues.flushOutbox,
  });

  return { poster, joined, joinedMessages };
}
