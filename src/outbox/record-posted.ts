import { countOf } from '../../templates/core/blocks.ts';
import type { Alerts } from '../alerts/alert-store.ts';
import { POSTED_WITH } from '../alerts/event-log.ts';
import { chunksOf } from '../core/chunks.ts';
import type { MessageRef } from '../slack/message.ts';
import { rowsId } from './attach-rows.ts';
import { type Draft, type OutboxEntry, shownAlertId, type TrackedEntry, trackedOf } from './entry.ts';
import type { Batch, BatchMessages, Threads } from './message-store.ts';
import type { Outbox } from './outbox-store.ts';
import type { RenderBatch } from './render-entries.ts';
import type { Subject, TrackedMessages } from './tracked-message-store.ts';

interface Deps {
  readonly trackedMessages: Pick<TrackedMessages, 'add'>;
  readonly batchMessages: Pick<BatchMessages, 'get' | 'put'>;
  readonly renderBatch: Pick<RenderBatch, 'render'>;
  readonly threads: Pick<Threads, 'setRoot'>;
  readonly outbox: Pick<Outbox, 'put'>;
  readonly updateMessages: (subject: Subject) => Promise<void>;
}

/**
 * Records where a message was posted and what it shows. Idempotent.
 *
 * @param draft null when the worker that rendered it has crashed, so its content is unknown.
 * @param isBatch it shows several entries, possibly more than these.
 */
export type RecordPosted = (
  entries: readonly OutboxEntry[],
  ref: MessageRef,
  draft: Draft | null,
  isBatch?: boolean,
) => Promise<void>;

export function createRecordPosted(deps: Deps): RecordPosted {
  const { trackedMessages, batchMessages, renderBatch, threads, outbox, updateMessages } = deps;

  return async function recordPosted(entries, ref, draft, isBatch = entries.length > 1) {
    const tracked = trackedOf(entries);
    const [first] = tracked;
    if (first === undefined) return;
    const shown = draft?.kind === 'message' ? draft : null;
    // First, because a button in the message may be pressed at any moment.
    if (isBatch) await saveBatch(tracked, ref, shown?.batch ?? null);
    else if (first.threadId !== null) await threads.setRoot(ref.channel, first.threadId, ref.ts);
    const step = isBatch ? 'grouped' : 'posted';
    const others = tracked.length > 1 ? countOf(tracked.length - 1, 'other') : 'others';
    const text = isBatch ? `${POSTED_WITH}${others}.` : 'Posted.';
    const revisions: number[] = [];
    for (const chunk of chunksOf(tracked, CHUNK))
      revisions.push(...(await trackedMessages.add(ref, chunk, { step, text })));
    // All these subjects share the message, so updating one updates all.
    const outdated = tracked.find((_entry, index) => shown?.revisions[index] !== revisions[index]);
    if (outdated !== undefined) await updateMessages(outdated.subject);
  };

  /** @param shown null when the message was found by searching, so its content is unknown. */
  async function saveBatch(tracked: readonly TrackedEntry[], { channel, ts }: MessageRef, shown: Batch | null) {
    const batch = shown ?? (await renderBatch.render(tracked, channel))?.batch;
    if (batch === undefined) return;
    const stands = await batchMessages.get({ channel, ts });
    if (stands === null) await batchMessages.put({ channel, ts }, batch);
    // The first record stays: it describes the visible message, and may have been corrected since.
    else if (shown === null) await addMissing(stands, batch, { channel, ts });
    if (batch.form !== 'summary') return;
    const { audience } = batch;
    await outbox.put(channel, { kind: 'rows', id: rowsId(ts), audience, of: { channel, ts }, page: null });
  }

  /** Adds alerts that Redis had forgotten when the message was found. */
  async function addMissing(stands: Batch, { alerts }: Batch, { channel, ts }: MessageRef): Promise<void> {
    const known = new Set(stands.alerts.map(({ id }) => id));
    const missing = alerts.filter(({ id }) => !known.has(id));
    if (missing.length === 0) return;
    // The rows of a summary are attached once and may not include these alerts.
    const added = stands.form === 'summary' ? missing.map((alert) => ({ ...alert, times: 0 })) : missing;
    await batchMessages.put({ channel, ts }, { ...stands, alerts: [...stands.alerts, ...added] });
  }
}

interface MeasureDeps {
  readonly alerts: Pick<Alerts, 'arrivalOf'>;
  readonly alertPosted: (kind: string, durationMs: number) => void;
  readonly now: () => Date;
}

/**
 * Measures the time from a webhook's arrival to its alert in a team channel.
 *
 * Excludes intentionally late alerts: held by quiet hours, fetched after a gap, or reminders. Also excludes repeats, which
 * only change an existing message.
 */
export function createMeasurePosted({ alerts, alertPosted, now }: MeasureDeps) {
  return async function measurePosted(entries: readonly OutboxEntry[]): Promise<void> {
    const at = now().getTime();
    await inChunks(entries, async (entry) => {
      const alertId = shownAlertId(entry);
      if (alertId === null || entry.kind !== 'tracked') return;
      if (entry.late || entry.notBefore !== null || entry.audience !== 'team') return;
      const arrival = await alerts.arrivalOf(alertId);
      if (arrival === null || arrival.kind === 'activation-reminder') return;
      alertPosted(arrival.kind, at - Date.parse(arrival.receivedAt));
    });
  };
}

/** Number of concurrent writes. A limit keeps a burst from blocking other requests to Redis. */
const CHUNK = 200;

export async function inChunks<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  for (const chunk of chunksOf(items, CHUNK)) await Promise.all(chunk.map(work));
}
