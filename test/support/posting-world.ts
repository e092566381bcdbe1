import { expect } from 'vitest';
import { createAlerts } from '../../src/alerts/alert-store.ts';
import { createEventLog } from '../../src/alerts/event-log.ts';
import { createShowAlert } from '../../src/alerts/show-alert.ts';
import type { ChannelVisibility } from '../../src/core/channel-visibility.ts';
import { stateKey } from '../../src/core/keys.ts';
import { createLock } from '../../src/core/lock.ts';
import { createLog } from '../../src/core/log.ts';
import type { RedisClient } from '../../src/core/redis.ts';
import { createTokenBucket } from '../../src/core/token-bucket.ts';
import type { OpsIssue } from '../../src/ops/notify-ops.ts';
import { createAttachRows } from '../../src/outbox/attach-rows.ts';
import { createEditMessage, createPostAgain } from '../../src/outbox/edit-message.ts';
import { createEdits } from '../../src/outbox/edit-store.ts';
import { type Draft, OutboxEntry } from '../../src/outbox/entry.ts';
import { createFindPosted } from '../../src/outbox/find-posted.ts';
import { flushOutbox } from '../../src/outbox/flush-outbox.ts';
import type { LateCopies } from '../../src/outbox/late-copies.ts';
import { createMayPost } from '../../src/outbox/may-post.ts';
import { createBatchMessages, createThreads, createUnsupportedBlocks } from '../../src/outbox/message-store.ts';
import { createOutbox } from '../../src/outbox/outbox-store.ts';
import { createPostEntries } from '../../src/outbox/post-entries.ts';
import { createRecordPosted } from '../../src/outbox/record-posted.ts';
import { createRenderBatch, createRenderEntries } from '../../src/outbox/render-entries.ts';
import { createSendMessage, defaultThrottle } from '../../src/outbox/send-message.ts';
import {
  createRenderPosted,
  isShownIn,
  type RenderSubject,
  type RenderSubjects,
  updateMessages,
} from '../../src/outbox/tracked-message.ts';
import { createTrackedMessages, type Subject } from '../../src/outbox/tracked-message-store.ts';
import { createUndeliverable } from '../../src/outbox/undeliverable.ts';
import type { createHeldUntil } from '../../src/routing/held-until.ts';
import type { Slack } from '../../src/slack/client.ts';
import { transactionAlert } from '../templates/fixtures.ts';

const log = createLog({ level: 'silent', process: 'test' });
const never = (): Promise<never> => Promise.reject(new Error('not expected in this test'));

export const alertId = (index: number): string => `evt_${String(index).padStart(16, '0')}`;

interface Options {
  readonly slack?: Partial<Pick<Slack, 'post' | 'update' | 'uploadFile' | 'shareFile' | 'findMessages'>>;
  /** Renders requests. None exist by default. */
  readonly request?: RenderSubject;
  /** Time since which Redis may lack posted messages. */
  readonly dataLossSinceMs?: () => number | null;
  readonly watchForCopies?: (copies: LateCopies) => Promise<void>;
  /** Handles entries of a newer version. */
  readonly setAside?: Parameters<typeof flushOutbox>[1]['setAside'];
  /** Edits allowed in all channels together. */
  readonly budget?: { readonly perMinute: number; readonly burst: number };
  /** Channels shared with another company, and the first unshared one. */
  readonly shared?: readonly string[];
  readonly unshared?: string;
  readonly opsChannel?: string;
  /** The end of the channel's quiet hours. */
  readonly heldUntil?: number | null | ReturnType<typeof createHeldUntil>;
  /** Milliseconds on a monotonic clock. */
  readonly now?: () => number;
}

/** Everything between an outbox in Redis and Slack. */
export function createPostingWorld(redis: RedisClient, options: Options = {}) {
  const {
    slack: over = {},
    request,
    watchForCopies = async () => {},
    heldUntil: held = null,
    dataLossSinceMs = () => null,
    now = () => performance.now(),
  } = options;
  const heldUntil = typeof held === 'function' ? held : async () => held;
  const { budget = { perMinute: 60_000, burst: 1000 } } = options;
  const eventLog = createEventLog(redis, () => new Date());
  const [alerts, outbox, threads] = [createAlerts(redis, () => new Date()), createOutbox(redis), createThreads(redis)];
  const trackedMessages = createTrackedMessages(redis, () => new Date());
  const unsupported = createUnsupportedBlocks(redis);
  const batchMessages = createBatchMessages(redis);
  const visibilityOf = async (channel: string): Promise<ChannelVisibility> =>
    channel.startsWith('D') ? 'direct' : options.shared?.includes(channel) === true ? 'shared' : 'public';
  const opsIssues: OpsIssue[] = [];
  const notifyOps = async (issue: OpsIssue): Promise<void> => void opsIssues.push(issue);
  const wakeOutbox = async (): Promise<void> => {};
  const slack = {
    uploadFile: never,
    shareFile: never,
    post: never,
    findMessages: never,
    update: async () => {},
    ...over,
  };
  /** Subjects whose messages were requested to be updated. */
  const asked: Subject[] = [];
  /** Milliseconds after which the channel is to be flushed again. */
  const wakes: number[] = [];
  /** Updates sent to Slack. */
  const updates: { ts: string; text: string }[] = [];

  const showAlert = createShowAlert({
    alerts,
    visibilityOf,
    isOfHolder: async () => true,
    personOf: async () => null,
    isLong: async () => false,
    notifyOps,
    now: () => new Date(),
  });
  const none = async (): Promise<null> => null;
  const renderSubjects: RenderSubjects = {
    alert: showAlert.render,
    request: request ?? none,
    claim: none,
    recovery: none,
    'temporary-change': none,
  };
  const renderBatch = createRenderBatch({ rowsOf: showAlert.rowsOf, visibilityOf, unsupported });
  const noteUpdate = async (subject: Subject): Promise<void> => void asked.push(subject);
  const attachRows = createAttachRows({
    slack,
    batchMessages,
    rowsOf: renderBatch.rowsOfSummary,
    updateMessages: noteUpdate,
    threads,
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
    mayPost: createMayPost({ visibilityOf, defaultChannel: 'C0ALL' }),
  });
  const recordPosted = createRecordPosted({
    trackedMessages,
    batchMessages,
    renderBatch,
    threads,
    outbox,
    updateMessages: noteUpdate,
  });
  const undeliverable = createUndeliverable({
    outbox,
    fallback: {
      channel: 'C0ALL',
      shows: async (subject) =>
        (await trackedMessages.references(subject)).some(({ channel }) => channel === 'C0ALL') &&
        (await isShownIn(subject, 'C0ALL', visibilityOf)),
      unshared: async () => options.unshared ?? null,
    },
    heldUntil,
    attachRows,
    unsupported,
    eventLog,
    personOf: async () => 'U0HUGO',
    ops: { channel: options.opsChannel ?? 'C0OPS', notify: notifyOps },
  });
  const postEntries = createPostEntries({
    outbox,
    renderEntries,
    sendMessage: createSendMessage({ slack, threads }),
    findPosted: createFindPosted({ slack, threads, dataLossSinceMs }),
    recordPosted,
    undeliverable,
    throttle: defaultThrottle,
    runtime: {
      log,
      now,
      slackNow: () => null,
      dataLossSinceMs,
      restoredFromMs: () => null,
      sleep: async () => {},
      watchForCopies,
      measureWait: () => {},
    },
  });

  const edits = createEdits(redis);
  const edit = createEditMessage({
    edits,
    budget: createTokenBucket(redis, { bucket: stateKey('edit-budget'), pause: stateKey('edit-pause') }, budget),
    renderPosted: createRenderPosted({
      trackedMessages,
      renderSubjects,
      batchMessages,
      renderBatch,
      eventLog,
      visibilityOf,
      now: () => new Date(),
    }),
    async update(ref, { text }) {
      await slack.update(ref, { text, blocks: [] });
      updates.push({ ts: ref.ts, text });
    },
    postAgain: createPostAgain({
      alerts,
      trackedMessages,
      threads,
      outbox,
      undeliverable,
      heldUntil,
    }),
    withLock: createLock(redis),
    notifyOps,
  });

  return {
    alerts,
    outbox,
    edits,
    threads,
    trackedMessages,
    batchMessages,
    /** The message for these entries. Not for the rows of a summary, which other entries may show. */
    async renderEntries(entries: readonly OutboxEntry[], channel: string): Promise<Draft | null> {
      const rendered = await renderEntries(entries, channel);
      if (rendered.kind === 'message' || rendered.kind === 'file') return rendered;
      return rendered.kind === 'noData' ? null : expect.fail('they are not posted here');
    },
    recordPosted,
    eventLog,
    undeliverable,
    asked,
    updates,
    wakes,
    opsIssues,
    /** Flushes like the job. */
    askForEdits: (subject: Subject) => updateMessages(subject, { trackedMessages, edits, wakeOutbox }),
    /** The same, with edits accepted by Slack at once. */
    async update(subject: Subject): Promise<void> {
      await updateMessages(subject, { trackedMessages, edits, wakeOutbox });
      for (const { channel } of await trackedMessages.references(subject)) {
        const next = await edits.next(channel);
        if (next !== null) await edit(channel, next, defaultThrottle);
      }
    },
    flush: (channel: string) =>
      flushOutbox(channel, {
        setAside: options.setAside ?? (async () => {}),
        outbox,
        postEntries,
        hasPlaceForTeam: async (to) =>
          (await visibilityOf(to)) !== 'shared' || (await undeliverable.insteadOf(to, { kind: 'shared' })) !== null,
        editing: { next: edits.next, edit },
        wakeIn: async (_channel, ms) => void wakes.push(ms),
        throttle: defaultThrottle,
        now,
      }),
    /** This many alerts waiting for the outbox. */
    async entries(count: number): Promise<OutboxEntry[]> {
      const ids = Array.from({ length: count }, (_, index) => alertId(index));
      for (const id of ids) await alerts.save(transactionAlert({ id }));
      return ids.map((id) => OutboxEntry.parse({ kind: 'tracked', id, subject: { kind: 'alert', id } }));
    },
  };
}
