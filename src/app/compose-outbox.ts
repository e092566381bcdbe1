import { setTimeout as sleep } from 'node:timers/promises';
import { approvalRequest } from '../../templates/approvals/approval-request.ts';
import { temporaryChange as renderTemporaryChange } from '../../templates/limits/temporary-change.ts';
import { createShowAlert } from '../alerts/show-alert.ts';
import { mayOverride } from '../approvals/emergency-override.ts';
import { temporaryChangeIdOf } from '../approvals/request.ts';
import { stateKey } from '../core/keys.ts';
import { createTokenBucket } from '../core/token-bucket.ts';
import { claimMessage } from '../holders/claim-card.ts';
import { createIsOfHolder } from '../holders/notify-holder.ts';
import { withBackAtEnd } from '../limits/rule-future.ts';
import type { TemporaryChange } from '../limits/temporary-change-store.ts';
import { createAttachRows } from '../outbox/attach-rows.ts';
import { createEditMessage, createPostAgain } from '../outbox/edit-message.ts';
import { createEdits } from '../outbox/edit-store.ts';
import type { UnreadableEntry } from '../outbox/entry.ts';
import type { Runtime } from '../outbox/failed-post.ts';
import { createFindPosted } from '../outbox/find-posted.ts';
import { flushOutbox } from '../outbox/flush-outbox.ts';
import { createDeleteLateCopies, FIRST_SEARCH_MS } from '../outbox/late-copies.ts';
import { createMayPost } from '../outbox/may-post.ts';
import { createBatchMessages, createThreads, createUnsupportedBlocks } from '../outbox/message-store.ts';
import { createPostEntries } from '../outbox/post-entries.ts';
import { createMeasurePosted, createRecordPosted, type RecordPosted } from '../outbox/record-posted.ts';
import { createRenderBatch, createRenderEntries } from '../outbox/render-entries.ts';
import { createSendMessage, EDIT_BURST, type Throttle } from '../outbox/send-message.ts';
import { createRenderPosted, isShownIn, type RenderSubjects, updateMessages } from '../outbox/tracked-message.ts';
import type { Subject } from '../outbox/tracked-message-store.ts';
import { createUndeliverable, type Undeliverable } from '../outbox/undeliverable.ts';
import { sectionOf } from '../policy/policy.ts';
import { createRecoveries } from '../recovery/recovery-store.ts';
import { recoveryMessage } from '../recovery/run-recovery.ts';
import { createUnsharedChannel } from '../routing/channel-access.ts';
import { remembered } from './remember-writes.ts';
import type { WorkerContext } from './worker-context.ts';

/** Shared by all channels: Slack limits a method for the entire workspace. */
const editBudgetKeys = { bucket: stateKey('edit-budget'), pause: stateKey('edit-pause') };

/** Far longer than it takes to remove an entry. */
const REPOST_AFTER_MS = 3000;

/** Sends messages from the outbox to Slack and keeps them up to date. */
export function composeOutbox(context: WorkerContext, throttle: Throttle) {
  const rendering = composeRendering(context);
  const posting = composePosting(context, rendering);
  const postEntries = createPostEntries({ ...context, ...rendering, ...posting, throttle, runtime: runtime(context) });
  const { edits, edit } = composeEditing(context, rendering, posting.undeliverable, throttle);
  return {
    hasEdits: async (channel: string) => (await edits.waiting(channel)) > 0,
    deleteLateCopies: createDeleteLateCopies({
      ...context,
      ...rendering,
      ...posting,
      slackNow: context.slackClock.now,
    }),
    updateMessages: (subject: Subject) => updateMessages(subject, { ...context, edits }),
    flush: (channel: string) =>
      flushOutbox(channel, {
        ...context,
        ...posting,
        postEntries,
        hasPlaceForTeam: async (to) =>
          (await context.visibilityOf(to)) !== 'shared' ||
          (await posting.undeliverable.insteadOf(to, { kind: 'shared' })) !== null,
        editing: { next: edits.next, edit },
        throttle,
        wakeIn: wakeOutboxIn(context),
        now: monotonicNow,
      }),
  };
}

/** Contents of messages: for entries being posted, and for messages already posted. */
function composeRendering(context: WorkerContext) {
  const { redis, longAlerts, enqueue } = context;
  const unsupported = createUnsupportedBlocks(redis);
  const batchMessages = createBatchMessages(redis);
  const threads = createThreads(redis);
  const showAlert = createShowAlert({ ...context, isOfHolder: createIsOfHolder(context), isLong: longAlerts.has });
  const renderSubjects = composeSubjects(context, showAlert);
  const renderBatch = createRenderBatch({ ...context, rowsOf: showAlert.rowsOf, unsupported });
  const updateLater = (subject: Subject): Promise<void> => enqueue('update-messages', subject);
  const attachRows = createAttachRows({
    ...context,
    // The entry of the file counts as posted after this, so nothing else would put the tables again.
    outbox: context.lastingOutbox,
    batchMessages,
    rowsOf: renderBatch.rowsOfSummary,
    updateMessages: updateLater,
    threads,
    unsupported,
  });
  const mayPost = createMayPost({ ...context, defaultChannel: context.config.channels.fallback });
  const parts = {
    updateMessages: updateLater,
    renderSubjects,
    renderBatch,
    batchMessages,
    attachRows,
    threads,
    unsupported,
  };
  return {
    ...parts,
    renderEntries: createRenderEntries({ ...context, ...parts, mayPost }),
    renderPosted: createRenderPosted({ ...context, ...parts }),
  };
}

type Rendering = ReturnType<typeof composeRendering>;

/** Every message that is kept up to date: what to load, and how to render it. */
function composeSubjects(context: WorkerContext, showAlert: ReturnType<typeof createShowAlert>): RenderSubjects {
  const { requests, temporaryChanges, factsOf, nameRuleset } = context;
  const recoveries = createRecoveries(context.redis, context.config.redisShards);
  const atEndOf = async (change: TemporaryChange) => withBackAtEnd(change, await temporaryChanges.all());
  return {
    alert: showAlert.render,
    request: async (id) => {
      const request = await requests.get(id);
      if (request === null) return null;
      const changeId = temporaryChangeIdOf(request);
      const change = changeId === null ? null : await temporaryChanges.get(changeId);
      const { approval } = sectionOf(context.policy.current(), request.card.group);
      return approvalRequest(request, change === null ? null : await atEndOf(change), mayOverride(approval, request));
    },
    'temporary-change': async (id) => {
      const change = await temporaryChanges.get(id);
      if (change === null) return null;
      return renderTemporaryChange(change, await nameRuleset(await factsOf(change.acctId)), await atEndOf(change));
    },
    claim: (id) => claimMessage(id, context),
    recovery: (id) => recoveryMessage(id, { recoveries }),
  };
}

/** Sends a message and records that it was posted, or what happens when it could not be. */
function composePosting(context: WorkerContext, rendering: Rendering) {
  const { enqueue, config, outbox, trackedMessages, metrics, visibilityOf, notifyOps, log } = context;
  const record = remembered(context.redo, createRecordPosted({ ...context, ...rendering }));
  const measurePosted = createMeasurePosted({ ...context, alertPosted: metrics.alertPosted });
  const recordPosted: RecordPosted = async (entries, ...posted) => {
    await record(entries, ...posted);
    // Metrics must not delay or fail the message.
    measurePosted(entries).catch((error: unknown) => log.warn({ err: error }, 'could not measure a delay'));
  };
  const { fallback, ops } = config.channels;
  const undeliverable = createUndeliverable({
    ...context,
    ...rendering,
    // The original entry is dropped after this, so nothing else would put it again.
    outbox: context.lastingOutbox,
    fallback: {
      channel: fallback,
      shows: async (subject) =>
        (await trackedMessages.references(subject)).some(({ channel }) => channel === fallback) &&
        (await isShownIn(subject, fallback, visibilityOf)),
      unshared: createUnsharedChannel(config.channels, visibilityOf),
    },
    ops: { channel: ops, notify: notifyOps },
  });
  return {
    sendMessage: createSendMessage({ ...context, ...rendering }),
    findPosted: createFindPosted({ ...context, ...rendering, dataLossSinceMs: context.redo.dataLossSinceMs }),
    recordPosted,
    undeliverable,
    async setAside(channel: string, entries: readonly UnreadableEntry[]) {
      for (const { id, entry } of entries) {
        // Later: until it is removed here, a newer version that adds it again would find it still waiting.
        await enqueue('repost-entry', { channel, entry }, { id: `entry-${channel}-${id}`, delayMs: REPOST_AFTER_MS });
        await outbox.remove(channel, id);
      }
    },
  };
}

/** Edits posted messages, one after another. */
function composeEditing(
  context: WorkerContext,
  rendering: Rendering,
  undeliverable: Undeliverable,
  throttle: Throttle,
) {
  const { redis, slack } = context;
  const edits = createEdits(redis);
  const edit = createEditMessage({
    ...context,
    ...rendering,
    edits,
    budget: createTokenBucket(redis, editBudgetKeys, { perMinute: throttle.editsPerMinute, burst: EDIT_BURST }),
    update: slack.update,
    postAgain: createPostAgain({ ...context, ...rendering, undeliverable }),
  });
  return { edits, edit };
}

const monotonicNow = (): number => performance.now();

/** Wakes an outbox later. Wakes within the same second are one. Retries come at full multiples of their delay. */
export function wakeOutboxIn({ enqueue, now }: Pick<WorkerContext, 'enqueue' | 'now'>) {
  return (channel: string, delayMs: number, isRetry = false): Promise<void> => {
    const ms = now().getTime();
    const atMs = isRetry ? Math.round((ms + delayMs) / delayMs) * delayMs : ms + delayMs;
    return enqueue('wake-outbox', { channel, second: Math.round(atMs / 1000) }, { delayMs: atMs - ms });
  };
}

function runtime({ enqueue, metrics, slackClock, redo, log }: WorkerContext): Runtime {
  return {
    log,
    now: monotonicNow,
    slackNow: slackClock.now,
    dataLossSinceMs: redo.dataLossSinceMs,
    restoredFromMs: redo.restoredFromMs,
    sleep,
    watchForCopies: (copies) => enqueue('delete-late-copies', copies, { delayMs: FIRST_SEARCH_MS }),
    measureWait: ({ priority, notBefore }, waitedMs) => {
      if (notBefore === null) metrics.outboxLeft(priority, waitedMs);
    },
  };
}
