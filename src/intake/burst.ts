import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { z } from 'zod';
import { contentId } from '../core/content-id.ts';
import { UnreadableError } from '../core/errors.ts';
import { fromStoredAs } from '../core/unknown-fields.ts';
import type { InboxEntry } from './intake.ts';

/** Each event is checked when it is delivered, so that an unreadable one does not hold up the others. */
const BurstEvents = z.array(
  z.strictObject({ event: z.looseObject({ id: z.string() }), isLate: z.boolean(), trace: z.string().optional() }),
);
export type BurstEvents = z.infer<typeof BurstEvents>;

/** Events that one read of the inbox returned, as one job. */
export const Burst = z.strictObject({
  /** Includes the number of events, so that they can be counted without reading the job. */
  id: z.string(),
  /** The id of its first event. */
  first: z.string(),
  /**
   * The events, deflated, in base64. They are much alike: together they take a tenth of the space, which Redis would
   * otherwise write to disk once more and send to the worker.
   */
  packed: z.base64(),
});
export type Burst = z.infer<typeof Burst>;

type EventEntry = Extract<InboxEntry, { readonly type: 'event' }>;

/** Only events share jobs. A status change keeps its own job, because it may have to wait for its card's next change. */
export const mayShareJob = (entry: InboxEntry): entry is EventEntry =>
  entry.type === 'event' && entry.event.kind !== 'card-status';

export function burstOf(entries: readonly EventEntry[]): Burst {
  const ids = entries.map(({ event }) => event.id);
  const events = entries.map(({ event, isLate = false, trace }) => ({
    event,
    isLate,
    ...(trace === undefined ? {} : { trace }),
  }));
  return {
    id: `${contentId('burst_', ids)}-${ids.length}`,
    first: ids[0] ?? '',
    packed: deflateRawSync(JSON.stringify(events), { level: 1 }).toString('base64'),
  };
}

/** @throws UnreadableError */
export function eventsOf({ packed }: Burst): BurstEvents {
  return fromStoredAs('the events of a burst', BurstEvents, JSON.parse(inflated(packed)));
}

function inflated(packed: string): string {
  try {
    return inflateRawSync(Buffer.from(packed, 'base64')).toString();
  } catch {
    throw new UnreadableError('the events of a burst: damaged');
  }
}

/** How many events the job with this id holds. */
export const eventsIn = (jobId: string): number => Number(/^burst_\w+-(\d+)$/.exec(jobId)?.[1] ?? 1);
