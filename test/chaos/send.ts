import { setTimeout as sleep } from 'node:timers/promises';
import { countInbox } from '../../bench/under-way.ts';
import { until } from '../support/until.ts';
import type { ChaosOptions } from './chaos.ts';
import type { ChaosCluster } from './cluster.ts';
import { inFlight } from './drained.ts';
import type { ChaosEvent } from './events.ts';
import type { Random } from './random.ts';
import type { Service } from './service.ts';

const AT_ONCE = 3;
/** A look takes some twenty commands. */
const FEW_LOOK_MS = 50;
const FEW_DEADLINE_MS = 60_000;
/** Sending pauses at this backlog, so that the speed of the machine does not matter. */
const IN_INBOX_MAX = 3000;
/** Factor by which sending slows down after enough events. */
const SLOWER = 10;
/** Longest run, in multiples of the planned time, until everything wanted has happened. */
const LONGEST = 4;
const LOOK_EVERY_MS = 1000;

export function sendNow(event: ChaosEvent, service: Pick<Service, 'send'>, sent: ChaosEvent[], delays = [0]): void {
  sent.push(event);
  for (const delay of delays) setTimeout(() => void service.send(event.webhook), delay);
}

/** Sends each event after earlier ones are posted, so that most get a separate message. */
export async function sendThrottled(cluster: ChaosCluster, events: number, sendOne: () => void): Promise<void> {
  for (let count = 0; count < events; count += 1) {
    const isFew = async (): Promise<boolean> => (await inFlight(cluster)) < AT_ONCE;
    await until(isFew, 'few events are in flight', FEW_DEADLINE_MS, FEW_LOOK_MS);
    sendOne();
  }
}

/** Spreads the events over the time, some repeated and some out of order, and continues until everything has happened. */
export async function sendAll(
  { events, seconds, isShort }: Pick<ChaosOptions, 'events' | 'seconds' | 'isShort'>,
  to: {
    readonly next: () => ChaosEvent;
    readonly service: Pick<Service, 'send'>;
    readonly sent: ChaosEvent[];
    readonly random: Random;
    readonly cluster: Pick<ChaosCluster, 'store'>;
    /** Describes what has not happened yet. Empty when everything has. */
    readonly wanting: () => string;
    readonly say: (line: string) => void;
  },
): Promise<void> {
  const { next, service, sent, random, cluster, wanting, say } = to;
  const latestMs = isShort ? 2000 : 8000;
  const longestAt = performance.now() + LONGEST * seconds * 1000;
  let [count, due, at, lookedAt] = [0, 0, performance.now(), performance.now()];
  let isBehind = false;
  for (let leftMs = seconds * 1000; count < events || leftMs > 0 || wanting() !== ''; await sleep(20)) {
    const now = performance.now();
    if (now > longestAt && count >= events) break;
    if (now - lookedAt > LOOK_EVERY_MS) {
      isBehind = await isFallingBehind(cluster);
      if (Math.floor(now / 60_000) > Math.floor(lookedAt / 60_000))
        say(`${count} events sent; ${wanting() || 'enough'}`);
      lookedAt = now;
    }
    const passedMs = isBehind ? 0 : now - at;
    at = now;
    leftMs -= passedMs;
    due += (passedMs / (seconds * 1000)) * (count < events ? events : events / SLOWER);
    for (; count < due; count += 1) {
      const copies = Number(random.weighted({ '1': 85, '2': 12, '3': 3 }));
      // Most are sent at once, some out of order, and copies up to much later.
      const first = random.next() < 0.8 ? 0 : random.integer(1, latestMs / 2);
      const others = Array.from({ length: copies - 1 }, () => random.integer(0, latestMs));
      sendNow(next(), service, sent, [first, ...others]);
    }
  }
  await sleep(latestMs + 100);
}

async function isFallingBehind({ store }: Pick<ChaosCluster, 'store'>): Promise<boolean> {
  // While Redis is down the backlog is unknown, and sending continues.
  const length = await Promise.race([countInbox(store).catch(() => 0), sleep(LOOK_EVERY_MS, 0)]);
  return length > IN_INBOX_MAX;
}
