import { StoredEvent } from '../core/event.ts';
import { groupBy } from '../core/group-by.ts';
import type { Log } from '../core/log.ts';
import { span } from '../core/trace.ts';
import { fromStoredAs } from '../core/unknown-fields.ts';
import { type Burst, type BurstEvents, eventsOf } from '../intake/burst.ts';

/** How many cards of a burst are processed at a time. They mostly wait for Redis and the card API. */
const CARDS_AT_ONCE = 100;
/** Events not started by then are stuck behind slow ones, so any worker may take them. */
const BEGIN_WITHIN_MS = 2000;

type BurstEvent = BurstEvents[number];

interface Deps {
  /** @returns milliseconds until it should run again, or null when the event is delivered. */
  readonly deliver: (event: StoredEvent, isLate: boolean) => Promise<number | null>;
  /**
   * Makes an event a separate job, also an event that this version does not know: its job then fails with that reason.
   * Safe to repeat.
   */
  readonly handOn: (event: { readonly id: string }, isLate: boolean) => Promise<void>;
  /** Called once per event. */
  readonly measure: (outcome: 'done' | 'later' | 'failed', durationMs: number) => void;
  readonly log: Log;
  readonly beginWithinMs?: number;
}

/**
 * Delivers each event of a burst as its own job would, with the events of one card in order. An event that fails, waits
 * or does not start in time becomes a separate job with all its attempts, so that it does not hold up the others. Safe
 * to repeat, like each event.
 *
 * @throws when an event could not become a job. Then the burst must run again.
 */
export function createDeliverBurst({ deliver, handOn, measure, log, beginWithinMs = BEGIN_WITHIN_MS }: Deps) {
  return async (burst: Burst): Promise<void> => {
    const events = eventsOf(burst);
    const beginBy = performance.now() + beginWithinMs;
    const left = [...groupBy(events, ({ event }) => event['acctId'] ?? event.id).values()];
    const failures: unknown[] = [];
    const takeNext = async (): Promise<void> => {
      for (let ofCard = left.shift(); ofCard !== undefined; ofCard = left.shift()) {
        for (const one of ofCard) await deliverOne(one, beginBy).catch((error: unknown) => failures.push(error));
      }
    };
    // The burst's lock ends with the burst, so no event may be in flight by then.
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
      log.warn({ err: error, eventId: event.id }, 'an event of a burst failed; it becomes a separate job');
    }
    measure(outcome, performance.now() - startedAt);
    if (outcome !== 'done') await itsJob();
  }
}
