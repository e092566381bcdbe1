import type { Cluster, Redis } from 'ioredis';
import type { StoredEvent, TransactionEvent } from '../core/event.ts';
import { stateKey, webKeys } from '../core/keys.ts';

const DAY_MS = 24 * 3_600_000;
/** Younger events are found in the memory of the inbox, which is asked when they are taken. */
const REMEMBERED_MS = 6 * DAY_MS;
/** Alerts are kept a little longer than this. */
const ALERTS_KEPT_MS = 29 * DAY_MS;

/** Leaves out what people were told before, as far back as anything is known of it. */
export type AlreadyReported = (events: readonly TransactionEvent[]) => Promise<TransactionEvent[]>;

/**
 * Events of the last days are remembered by the inbox, those of the last month by their alerts. What is older counts as
 * told when the door was open then: that it was told can no longer be seen, and telling it twice would be worse.
 */
export function createAlreadyReported(redis: Redis | Cluster, now: () => Date): AlreadyReported {
  return async function unreportedOnly(events) {
    const age = (event: TransactionEvent): number => now().getTime() - Date.parse(earliestAt(event));
    const wasOpen = events.some((event) => age(event) > ALERTS_KEPT_MS) ? await readDoor() : () => false;
    const isTold = await Promise.all(
      events.map(async (event) => {
        if (age(event) < REMEMBERED_MS) return false;
        if (age(event) > ALERTS_KEPT_MS) return wasOpen(Date.parse(earliestAt(event)));
        return await hasAlert(event);
      }),
    );
    return events.filter((_event, index) => isTold[index] !== true);
  };

  async function hasAlert({ id }: StoredEvent): Promise<boolean> {
    return (await redis.exists(stateKey(`alert:${id}`))) === 1;
  }

  async function readDoor(): Promise<(atMs: number) => boolean> {
    const [since, gaps] = await Promise.all([redis.get(webKeys.since), redis.zrange(webKeys.gaps, '0', '-1')]);
    const closed = gaps.map((gap) => gap.split('-').map(Number));
    return (atMs) =>
      since !== null &&
      atMs > Number(since) &&
      !closed.some(([from = 0, to = 0]) => atMs >= from - DAY_MS / 24 && atMs <= to);
  }
}

/** When it may have been told at the earliest: a settlement says when it happened, a reversal only of what purchase. */
function earliestAt({ settledAt, requestedAt }: TransactionEvent): string {
  return settledAt ?? requestedAt;
}
