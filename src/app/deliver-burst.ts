import { StoredEvent } from '../core/event.ts';
import { groupBy } from '../core/group-by.ts';
import type { Log } from '../core/log.ts';
import { span } from '../core/trace.ts';
import { fromStoredAs } from '../core/unknown-fields.ts';
import type { Burst } from '../intake/burst.ts';

/** How many cards of a burst are worked on at a time. They wait for Redis and the card API most of the time. */
const CARDS_AT_ONCE = 100;
/** What has not begun by then is behind slow ones: any worker may do it. */
const BEGIN_WITHIN_MS = 2000;

type BurstEvent = Burst['events'][number];

interface Deps {
  /** @returns milliseconds after which to run again, or null when the event is delivered. */
  readonly deliver: (event: StoredEvent, isLate: boolean) => Promise<number | null>;
  /** Makes an event a job of its own, also one that is none of this version: its job says so. Safe to repeat. */
  readonly handOn: (event: { readonly id: string }, isLate: boolean) => Promise<void>;
  /** Told of each event. */
  readonly measure: (outcome: 'done' | 'later' | 'failed', durationMs: number) => void;
  readonly log: Log;
  readonly beginWithinMs?: number;
}

/**
 * Delivers each event of a burst as its own job would, those of one card in order. One that fails, waits or does not begin in
 * time becomes that job, with all its attempts, and holds up no other. Safe to repeat, as each event is.
 *
 * @throws whatever kept an event from becoming a job: then the burst is to run again.
 */
export function createDeliverBurst({ deliver, handOn, measure, log, beginWithinMs = BEGIN_WITHIN_MS }: Deps) {
  return async ({ events }: Burst): Promise<void> => {
    const beginBy = performance.now() + beginWithinMs;
    const left = [...groupBy(events, ({ event }) => event['acctId'] ?? event.id).values()];
    const failures: unknown[] = [];
    const takeNext = async (): Promise<void> => {
      for (let ofCard = left.shift(); ofCard !== undefined; ofCard = left.shift()) {
        for (const one of ofCard) await deliverOne(one, beginBy).catch((error: unknown) => failures.push(error));
      }
    };
    // None may be under way any more when the burst ends, and with it its lock.
    await Promise.all(Array.from({ length: CARDS_AT_ONCE }, takeNext));
    if (failures.length > 0) throw failures[0];
  };

  async function deliverOne({ event, isLate, trace }: BurstEvent, beginBy: number): Promise<void> {
    const itsJob = (): Promise<void> => handOn(event, isLate);
    const startedAt = performance.now();
    if (startedAt > beginBy) return await itsJob();
    let outcome: Parameters<typeof measure>[0] = 'failed';
    try {
      const againMs = await span('deliver alert', { kind: 'consumer', parent: trace }, () =>
        deliver(fromStoredAs('an event', StoredEvent, event), isLate),
      );
      outcome = againMs === null ? 'done' : 'later';
    } catch (error) {
      log.warn({ err: error, eventId: event.id }, 'an event of a burst failed, it becomes a job of its own');
    }
    measure(outcome, performance.now() - startedAt);
    if (outcome !== 'done') await itsJob();
  }
}
