import type { MessageRef } from '../slack/message.ts';
import type { Batch, BatchMessages } from './batch-store.ts';
import type { Draft } from './draft.ts';
import { alertIdOf, type OutboxEntry, trackedOf } from './entry.ts';
import type { Outbox } from './outbox-store.ts';
import type { RenderBatch } from './render-batch.ts';
import type { Threads } from './thread-store.ts';
import type { Subject, TrackedMessages } from './tracked-message-store.ts';

/** Adds to an alert's event log what became of its message. */
export type LogDelivery = (
  alertId: string,
  entry: {
    readonly step: 'posted' | 'grouped' | 'redirected' | 'refused';
    readonly channel: string;
    readonly text: string;
  },
) => Promise<void>;

interface Deps {
  readonly trackedMessages: Pick<TrackedMessages, 'add'>;
  readonly batchMessages: Pick<BatchMessages, 'save'>;
  readonly renderBatch: Pick<RenderBatch, 'render'>;
  readonly threads: Pick<Threads, 'setRoot'>;
  readonly outbox: Pick<Outbox, 'put'>;
  readonly updateMessages: (subject: Subject) => Promise<void>;
  readonly logDelivery: LogDelivery;
}

/**
 * Records where a message was posted and what it shows.
 *
 * @param draft null where another worker rendered it and died: nobody knows what it shows.
 */
export type RecordPosted = (entries: readonly OutboxEntry[], ref: MessageRef, draft: Draft | null) => Promise<void>;

export function createRecordPosted(deps: Deps): RecordPosted {
  const { trackedMessages, batchMessages, renderBatch, threads, outbox, updateMessages, logDelivery } = deps;

  return async function recordPosted(entries, ref, draft) {
    const tracked = trackedOf(entries);
    const [first] = tracked;
    if (first === undefined) return;
    const isBatch = tracked.length > 1;
    const shown = draft?.kind === 'message' ? draft : null;
    // First of all: whoever presses something in the message needs to know what it shows.
    if (isBatch) await saveBatch(shown?.batch ?? (await renderBatch.render(tracked, ref.channel))?.batch, ref);
    else if (first.threadId !== null) await threads.setRoot(ref.channel, first.threadId, ref.ts);
    const step = isBatch ? 'grouped' : 'posted';
    const text = isBatch ? `Posted in one message with ${tracked.length - 1} others.` : 'Posted.';
    const outdated: Subject[] = [];
    await inChunks([...tracked.entries()], async ([index, entry]) => {
      const { subject, audience } = entry;
      const revision = await trackedMessages.add(subject, { ...ref, audience });
      if (shown?.revisions[index] !== revision) outdated.push(subject);
      const alertId = alertIdOf(entry);
      if (alertId !== null) await logDelivery(alertId, { step, channel: ref.channel, text });
    });
    // They share the message: updating one of them updates it for all.
    if (outdated[0] !== undefined) await updateMessages(outdated[0]);
  };

  async function saveBatch(batch: Batch | undefined, { channel, ts }: MessageRef): Promise<void> {
    if (batch === undefined) return;
    await batchMessages.save(channel, ts, batch);
    if (batch.form !== 'summary') return;
    const { audience } = batch;
    await outbox.put(channel, { kind: 'rows', id: `rows-${ts}`, audience, of: { channel, ts }, page: null });
  }
}

const CHUNK = 200;

/** For each, many at once but not all: a flood must not stand in the way of everything else that Redis is asked. */
export async function inChunks<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < items.length; at += CHUNK) await Promise.all(items.slice(at, at + CHUNK).map(work));
}
