import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryChange as renderTemporaryChange } from '../../templates/limits/temporary-change.ts';
import { notShownHere } from '../../templates/routing/shared-channel.ts';
import type { Alerts } from '../alerts/alert-store.ts';
import type { EventLog } from '../alerts/event-log.ts';
import { createShowAlert } from '../alerts/show-alert.ts';
import { temporaryChangeIdOf } from '../approvals/request.ts';
import { requestMessage } from '../approvals/request-message.ts';
import type { Requests } from '../approvals/request-store.ts';
import type { CardFacts } from '../core/card-facts.ts';
import type { ChannelVisibility } from '../core/channel-visibility.ts';
import { stateKey } from '../core/keys.ts';
import type { WithLock } from '../core/lock.ts';
import type { Log } from '../core/log.ts';
import type { RedisClient } from '../core/redis.ts';
import type { Redo } from '../core/redo.ts';
import { createTokenBucket } from '../core/token-bucket.ts';
import { claimMessage } from '../holders/claim-card.ts';
import type { Claims } from '../holders/claim-store.ts';
import type { TemporaryChanges } from '../limits/temporary-change-store.ts';
import type { Metrics } from '../ops/metrics.ts';
import type { NotifyOps } from '../ops/notify-ops.ts';
import { createAttachRows } from '../outbox/attach-rows.ts';
import { createEditMessage } from '../outbox/edit-message.ts';
import { createEdits } from '../outbox/edit-store.ts';
import { flushOutbox } from '../outbox/flush-outbox.ts';
import { createDeleteLateCopies, FIRST_LOOK_MS } from '../outbox/late-copies.ts';
import { createBatchMessages, createThreads, createUnsupportedBlocks } from '../outbox/message-store.ts';
import type { Outbox } from '../outbox/outbox-store.ts';
import { createPostAgain } from '../outbox/post-again.ts';
import { createMeasurePosted, createRecordPosted, type RecordPosted } from '../outbox/record-posted.ts';
import { createRenderBatch, createRenderEntries, threadOfRows } from '../outbox/render-entries.ts';
import { createSender, EDIT_BURST, type Throttle } from '../outbox/send-message.ts';
import {
  createPostTracked,
  createRenderPosted,
  type RenderSubject,
  type RenderSubjects,
  type Trackable,
  trackable,
  updateMessages,
} from '../outbox/tracked-message.ts';
import type { Subject, TrackedMessages } from '../outbox/tracked-message-store.ts';
import { createUndeliverable } from '../outbox/undeliverable.ts';
import { createUnsharedChannel } from '../routing/channel-access.ts';
import { createLongAlerts } from '../routing/channel-rules-store.ts';
import type { Slack } from '../slack/client.ts';
import type { SlackClock } from '../slack/clock.ts';
import type { Channels } from './config.ts';
import type { Enqueue } from './enqueue.ts';
import { remembered } from './remember-writes.ts';

interface Deps {
  readonly redis: RedisClient;
  readonly enqueue: Enqueue;
  readonly slack: Slack;
  readonly slackClock: Pick<SlackClock, 'now'>;
  readonly wakeOutbox: (channel: string) => Promise<void>;
  readonly redo: Pick<Redo, 'remember' | 'isInDoubt'>;
  readonly outbox: Outbox;
  readonly trackedMessages: TrackedMessages;
  readonly alerts: Alerts;
  readonly requests: Requests;
  readonly claims: Claims;
  readonly temporaryChanges: TemporaryChanges;
  readonly eventLog: EventLog;
  readonly factsOf: (acctId: number) => Promise<CardFacts>;
  readonly withLock: WithLock;
  readonly visibilityOf: (channel: string) => Promise<ChannelVisibility>;
  readonly channels: Channels;
  /** Until when (ms) the quiet hours of a channel hold an alert; null: not at all. */
  readonly heldUntil: (channel: string, alertId: string) => Promise<number | null>;
  readonly throttle: Throttle;
  readonly notifyOps: NotifyOps;
  readonly metrics: Pick<Metrics, 'alertPosted' | 'outboxLeft'>;
  readonly log: Log;
}

/** Shared by all channels: Slack limits a method for the whole workspace. */
const editBudgetKeys = { bucket: stateKey('edit-budget'), pause: stateKey('edit-pause') };

/** What takes messages from the outbox to Slack and keeps them up to date, over one Redis. */
export function composeOutbox(deps: Deps) {
  const {
    redis,
    enqueue,
    wakeOutbox,
    slack,
    outbox,
    trackedMessages,
    alerts,
    temporaryChanges,
    factsOf,
    notifyOps,
    log,
  } = deps;
  const logDelivery = deps.eventLog.note;
  const unsupported = createUnsupportedBlocks(redis);
  const batchMessages = createBatchMessages(redis);
  const threads = createThreads(redis);
  const showAlert = createShowAlert({
    alerts,
    visibilityOf: deps.visibilityOf,
    isLong: createLongAlerts(redis).has,
    notifyOps,
  });
  const { rowsOf } = showAlert;
  /** What stands in a channel that has been shared since shows nothing any more. */
  const forTeam = <T>({ load, render }: Trackable<T>): RenderSubject => {
    const shown = trackable({ load, render });
    return async (id, place) =>
      (await deps.visibilityOf(place.channel)) === 'shared' ? notShownHere() : await shown(id, place);
  };
  const renderSubjects: RenderSubjects = {
    alert: trackable(showAlert),
    request: forTeam({
      load: deps.requests.get,
      render: async (request) => {
        const id = temporaryChangeIdOf(request);
        return requestMessage(request, id === null ? null : await temporaryChanges.get(id));
      },
    }),
    'temporary-change': forTeam({
      load: temporaryChanges.get,
      render: async (change) => renderTemporaryChange(change, await factsOf(change.acctId)),
    }),
    claim: forTeam({ load: deps.claims.get, render: (claim) => claimMessage(claim, factsOf) }),
  };
  const renderBatch = createRenderBatch({ rowsOf, unsupported });
  const attachRows = createAttachRows({
    slack,
    batchMessages,
    rowsOf,
    threadOf: (entry, channel) => threadOfRows(entry, channel, threads),
    outbox,
    unsupported,
    notifyOps,
  });
  const renderEntries = createRenderEntries({
    trackedMessages,
    renderSubjects,
    renderBatch,
    attachRows,
    threads,
    unsupported,
    notifyOps,
    visibilityOf: deps.visibilityOf,
  });
  const sender = createSender({
    slack,
    threads,
    watchForCopies: (copies) => enqueue('delete-late-copies', copies, { delayMs: FIRST_LOOK_MS }),
  });
  const record = remembered(
    deps.redo,
    createRecordPosted({
      trackedMessages,
      batchMessages,
      renderBatch,
      threads,
      outbox,
      updateMessages: (subject) => enqueue('update-messages', subject),
      logDelivery,
    }),
  );
  const measurePosted = createMeasurePosted({ alerts, alertPosted: deps.metrics.alertPosted, now: () => new Date() });
  const recordPosted: RecordPosted = async (entries, ref, draft) => {
    await record(entries, ref, draft);
    // Nobody waits for a figure, and a missing one is none of the message's business.
    measurePosted(entries).catch((error: unknown) => log.warn({ err: error }, 'a delay could not be measured'));
  };
  const undeliverable = createUndeliverable({
    outbox,
    wakeOutbox,
    fallback: {
      channel: deps.channels.fallback,
      shows: async (subject) =>
        (await trackedMessages.references(subject)).some(({ channel }) => channel === deps.channels.fallback),
      unshared: createUnsharedChannel(deps.channels, deps.visibilityOf),
    },
    renderEntries,
    attachRows,
    unsupported,
    logDelivery,
    notifyOps,
  });

  const edits = createEdits(redis);
  const edit = createEditMessage({
    edits,
    budget: createTokenBucket(redis, editBudgetKeys, { perMinute: deps.throttle.editsPerMinute, burst: EDIT_BURST }),
    renderPosted: createRenderPosted({ trackedMessages, renderSubjects, batchMessages, renderBatch }),
    update: slack.update,
    postAgain: createPostAgain({
      trackedMessages,
      threads,
      outbox,
      wakeOutbox,
      undeliverable,
      heldUntil: async (channel, { kind, id }) => (kind === 'alert' ? await deps.heldUntil(channel, id) : null),
    }),
    withLock: deps.withLock,
    notifyOps,
  });

  return {
    hasEdits: async (channel: string) => (await edits.waiting(channel)) > 0,

    deleteLateCopies: createDeleteLateCopies({ outbox, sender, slack, trackedMessages, log }),

    postTracked: createPostTracked({ trackedMessages, outbox, wakeOutbox }),

    updateMessages: (subject: Subject) => updateMessages(subject, { trackedMessages, edits, wakeOutbox }),

    flush: (channel: string) =>
      flushOutbox(channel, {
        outbox,
        renderEntries,
        sender,
        recordPosted,
        undeliverable,
        async setAside(from, entries) {
          for (const { id, entry } of entries) {
            await enqueue('repost-entry', { channel: from, entry }, { id: `entry-${from}-${id}` });
            await outbox.remove(from, id);
          }
        },
        editing: { next: edits.next, edit },
        throttle: deps.throttle,
        runtime: {
          log,
          now: () => performance.now(),
          slackNow: deps.slackClock.now,
          isInDoubt: deps.redo.isInDoubt,
          sleep,
          wakeIn: (to, delayMs) => {
            const second = Math.round((Date.now() + delayMs) / 1000);
            return enqueue('flush-outbox', { channel: to }, { delayMs, id: `later-${to}-${second}` });
          },
          measureWait: ({ priority, notBefore }, waitedMs) => {
            if (notBefore === null) deps.metrics.outboxLeft(priority, waitedMs);
          },
        },
      }),
  };
}
