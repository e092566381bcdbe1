import { z } from 'zod';
import { contentId } from '../core/content-id.ts';
import type { InboxEntry } from './intake.ts';

/**
 * Events that one read of the inbox returned, as one job. An event is checked when it is delivered, so that one that cannot
 * be read holds up no other.
 */
export const Burst = z.strictObject({
  events: z.array(
    z.strictObject({ event: z.looseObject({ id: z.string() }), isLate: z.boolean(), trace: z.string().optional() }),
  ),
});
export type Burst = z.infer<typeof Burst>;

type EventEntry = Extract<InboxEntry, { readonly type: 'event' }>;

/** A status change may have to wait for the next one of its card, so it keeps a job of its own, like all that is no event. */
export const mayShareJob = (entry: InboxEntry): entry is EventEntry =>
  entry.type === 'event' && entry.event.kind !== 'card-status';

export const burstOf = (entries: readonly EventEntry[]): Burst => ({
  events: entries.map(({ event, isLate = false, trace }) => ({
    event,
    isLate,
    ...(trace === undefined ? {} : { trace }),
  })),
});

/** Says how many events it holds, so that they can be counted without reading it. */
export const burstId = ({ events }: Burst): string =>
  `${contentId(
    'burst_',
    events.map(({ event }) => event.id),
  )}-${events.length}`;

/** How many events a job of this id holds. */
export const eventsIn = (jobId: string): number => Number(/^burst_\w+-(\d+)$/.exec(jobId)?.[1] ?? 1);
