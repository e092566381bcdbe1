import type { Alert } from './alert/alert.ts';
import type { Place } from './alert/place.ts';
import { createAttachRows } from './attach-rows.ts';
import { createDrawEntries } from './draw-entries.ts';
import { createDrawJoined } from './draw-joined.ts';
import { createPoster } from './outbox-poster.ts';
import { createPlaceNotice } from './place-notice.ts';
import type { RedisClient } from './queue/connection.ts';
import type { Queues } from './queue/queues.ts';
import type { Slack } from './slack/client.ts';
import type { Message } from './slack/message.ts';
import type { Alerts } from './store/alerts.ts';
import type { Claims } from './store/claims.ts';
import { createJoinedMessages } from './store/joined.ts';
import type { Leases } from './store/leases.ts';
import type { WithLock } from './store/lock.ts';
import type { Outbox } from './store/outbox.ts';
import type { Requests } from './store/requests.ts';
import { createSlackLacks } from './store/slack-lacks.ts';
import { createThreads } from './store/threads.ts';
import type { Trail } from './store/trail.ts';
import type { TellOps } from './tell-ops.ts';

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
