import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Paced {
  readonly perSecond: number;
  /** Milliseconds since each request was due, so that waiting for a turn counts. */
  readonly p50: number;
  readonly p99: number;
}

/**
 * Sends requests evenly spread over time, no matter how long the answers take (an open loop). A generator that keeps a
 * per-second rate sends in bursts and measures full load part of the time.
 *
 * @throws when a request is not answered with 200.
 */
export async function sendPaced(options: {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyOf: () => string;
  readonly perSecond: number;
  readonly seconds: number;
  readonly connections: number;
}): Promise<Paced> {
  const { url, headers, bodyOf, perSecond, seconds, connections } = options;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const took: number[] = [];
  const refused: (number | undefined)[] = [];
  const send = (dueAt: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const sent = request(url, { method: 'POST', headers, agent }, (response) => {
        response.resume().once('end', () => {
          took.push(performance.now() - dueAt);
          if (response.statusCode !== 200) refused.push(response.statusCode);
          resolve();
        });
      });
      sent.once('error', reject);
      sent.end(bodyOf());
    });

  const startedAt = performance.now();
  const all: Promise<void>[] = [];
  while (performance.now() < startedAt + seconds * 1000) {
    const due = Math.floor(((performance.now() - startedAt) / 1000) * perSecond);
    while (all.length < due) all.push(send(startedAt + (all.length / perSecond) * 1000));
    await sleep(1);
  }
  await Promise.all(all);
  const elapsed = (performance.now() - startedAt) / 1000;
  agent.destroy();
  if (refused.length > 0) throw new Error(`${refused.length} refused, the first with ${refused[0]}`);
  took.sort((one, other) => one - other);
  const at = (share: number): number => took[Math.floor(took.length * share)] ?? 0;
  return { perSecond: all.length / elapsed, p50: at(0.5), p99: at(0.99) };
}
