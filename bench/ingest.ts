import autocannon from 'autocannon';
import { freePort } from '../local/port.ts';
import { startRedis } from '../local/redis.ts';
import { answers, type Child, startChild, startWeb } from './child.ts';
import { type Paced, sendPaced } from './paced.ts';
import { median, row, table } from './report.ts';
import { BOT_TOKEN, CHANNEL, declineBody, webhookHeaders } from './sample.ts';

const ROUNDS = 5;
const SECONDS = 2;
const CONNECTIONS = 64;

let sequence = 0;

interface Contestant {
  readonly name: string;
  readonly child: Child;
}

/** Acknowledged webhooks per second: Cardbell, the naive implementation and the lower bound take turns, round by round. */
export async function benchIngest(): Promise<void> {
  const redis = await startRedis();
  const contestants: Contestant[] = [];
  const start = async (name: string, entry: string, path: string): Promise<void> => {
    const port = await freePort();
    const env = { PORT: String(port), REDIS_URL: redis.url };
    const child = await startChild(entry, env, () => answers(`http://127.0.0.1:${port}${path}`));
    contestants.push({ name, child });
  };
  await start('bare server, JSON.parse only', 'bench/servers/bare.js', '/');
  await start('plain: Bolt route + queue.add', 'bench/servers/plain.js', '/webhooks/decline');
  const env = { REDIS_URL: redis.url, SLACK_BOT_TOKEN: BOT_TOKEN, ALERTS_CHANNEL: CHANNEL, LOG_LEVEL: 'warn' };
  contestants.push({ name: 'Cardbell', child: await startWeb(env) });

  const rounds = new Map<string, { perSecond: number; p50: number; p99: number }[]>();
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const { name, child } of contestants) {
      const { requests, latency, non2xx, errors } = await fire(child.port);
      if (non2xx + errors > 0) throw new Error(`${name}: ${non2xx} refused, ${errors} failed`);
      // The first round is a warm-up and does not count.
      if (round < 0) continue;
      const own = rounds.get(name) ?? [];
      own.push({ perSecond: requests.average, p50: latency.p50, p99: latency.p99 });
      rounds.set(name, own);
    }
  }
  const floor = rounds.get(contestants[0]?.name ?? '') ?? [];
  table(
    'Durable ingest, 64 connections',
    ['webhooks/s', 'share of bare', 'p50 ms', 'p99 ms'],
    [...rounds].map(([name, own]) =>
      row(name, [
        Math.round(median(own.map(({ perSecond }) => perSecond))).toLocaleString('en-US'),
        median(own.map(({ perSecond }, round) => perSecond / (floor[round]?.perSecond ?? 1))).toFixed(2),
        median(own.map(({ p50 }) => p50)).toFixed(1),
        median(own.map(({ p99 }) => p99)).toFixed(1),
      ]),
    ),
  );

  const cardbell = contestants.at(-1);
  const own = median((rounds.get(cardbell?.name ?? '') ?? []).map(({ perSecond }) => perSecond));
  if (cardbell !== undefined) {
    const half: Paced[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      half.push(
        await sendPaced({
          url: urlOf(cardbell.child.port),
          headers: webhookHeaders,
          bodyOf: nextBody,
          perSecond: Math.round(own / 2),
          seconds: SECONDS,
          connections: CONNECTIONS,
        }),
      );
    }
    table(
      'Cardbell at half load, evenly spread',
      ['webhooks/s', 'p50 ms', 'p99 ms', 'p99 of each round'],
      [
        row('Cardbell', [
          Math.round(median(half.map(({ perSecond }) => perSecond))).toLocaleString('en-US'),
          median(half.map(({ p50 }) => p50)).toFixed(1),
          median(half.map(({ p99 }) => p99)).toFixed(1),
          half.map(({ p99 }) => p99.toFixed(0)).join(' '),
        ]),
      ],
    );
  }
  for (const { child } of contestants) await child.stop();
  await redis.stop();
}

const urlOf = (port: number): string => `http://127.0.0.1:${port}/webhooks/decline`;

function nextBody(): string {
  sequence += 1;
  return declineBody(sequence);
}

function fire(port: number) {
  return autocannon({
    url: urlOf(port),
    connections: CONNECTIONS,
    duration: SECONDS,
    method: 'POST',
    headers: webhookHeaders,
    requests: [{ setupRequest: (request) => ({ ...request, body: nextBody() }) }],
  });
}
