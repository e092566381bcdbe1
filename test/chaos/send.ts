import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../support/until.ts';
import type { ChaosOptions } from './chaos.ts';
import type { ChaosCluster } from './cluster.ts';
import { onTheirWay } from './drained.ts';
import type { ChaosEvent } from './events.ts';
import type { Random } from './random.ts';
import type { Service } from './service.ts';

const AT_ONCE = 3;

export function sendNow(event: ChaosEvent, service: Pick<Service, 'send'>, sent: ChaosEvent[], delays = [0]): void {
  sent.push(event);
  for (const delay of delays) setTimeout(() => void service.send(event.webhook), delay);
}

/** Sends the next when those before are posted, so that most have a message of their own. */
export async function sendCalmly(cluster: ChaosCluster, events: number, sendOne: () => void): Promise<void> {
  for (let count = 0; count < events; count += 1) {
    await until(async () => (await onTheirWay(cluster)) < AT_ONCE, 'few are on their way');
    sendOne();
  }
}

/** Spreads the events over the time, some several times and some out of order. */
export async function sendAll(
  { events, seconds, isShort }: Pick<ChaosOptions, 'events' | 'seconds' | 'isShort'>,
  to: {
    readonly next: () => ChaosEvent;
    readonly service: Pick<Service, 'send'>;
    readonly sent: ChaosEvent[];
    readonly random: Random;
  },
): Promise<void> {
  const { next, service, sent, random } = to;
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;
  const latestMs = isShort ? 2000 : 8000;
  for (let count = 0; count < events || performance.now() < endsAt; ) {
    const share = (performance.now() - startedAt) / (seconds * 1000);
    const due = Math.min(events, Math.ceil(share * events));
    for (; count < due; count += 1) {
      const copies = Number(random.weighted({ '1': 85, '2': 12, '3': 3 }));
      // Most at once, some out of their order, copies up to long after.
      const first = random.next() < 0.8 ? 0 : random.integer(1, latestMs / 2);
      const others = Array.from({ length: copies - 1 }, () => random.integer(0, latestMs));
      sendNow(next(), service, sent, [first, ...others]);
    }
    await sleep(20);
  }
  await sleep(latestMs + 100);
}
