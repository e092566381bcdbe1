import { z } from 'zod';
import { contentId } from '../core/content-id.ts';
import type { InboxEntry } from './intake.ts';

/**
 * Events that one read of the inbox returned, as one job. Each event is checked when it is delivered, so that an
 * unreadable one does not hold up the others.
 */
export const Burst = z.strictObject({
  events: z.array(
    z.strictObject({ event: z.looseObject({ id: z.string() }), isLate: z.boolean(), trace: z.string().optional() }),
  ),
});
export type Burst = z.infer<typeof Burst>;

type EventEntry = Extract<InboxEntry, { readonly type: 'event' }>;

/** Only events share jobs. A status change keeps its own job, because it may have to wait for its card's next change. */
export const mayShareJob = (entry: InboxEntry): entry is EventEntry =>
  entry.type === 'event' && entry.event.kind !== 'card-status';

export const burstOf = (entries: readonly EventEntry[]): Burst => ({
  events: entries.map(({ event, isLate = false, trace }) => ({
    event,
    isLate,
    ...(trace === undefined ? {} : { trace }),
  })),
});

/** The id includes the number of events, so that they can be counted without reading the job. */
export const burstId = ({ events }: Burst): string =>
  `${contentId(
    'burst_',
    events.map(({ event }) => event.id),
  )}-${events.length}`;

/** How many events the job with this id holds. */
export const eventsIn = (jobId: string): number => Number(/^burst_\w+-(\d+)$/.exec(jobId)?.[1] ?? 1);
