import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { listen, shut } from '../local/port.ts';
import { type LocalRedis, startRedis } from '../local/redis.ts';
import { type Child, startChild, startWeb } from './child.ts';
import { sendPaced } from './paced.ts';
import { median, row, table } from './report.ts';
import { webhookHeaders } from './sample.ts';
import { stormDeclines } from './storm-declines.ts';
import { onTheirWay, startSurroundings, stopRedis } from './worker.ts';

const ROUNDS = 5;
const PER_SECOND = 150;
const SECONDS = 2;
const LONGEST_MS = 60_000;
/** Time for batched outbox entries to be posted: about one message per second. */
const POSTS_MS = 2000;

/** Processor time of one decline, in milliseconds. */
interface Cost {
  readonly web: number;
  readonly worker: number;
}

/** Web and worker with their own Redis. */
interface Contestant {
  readonly name: string;
  readonly server: LocalRedis;
  readonly redis: Redis;
  readonly web: Child;
  readonly worker: Child;
  readonly nextBody: () => string;
}

/** The compared OpenTelemetry settings. */
const settings = (endpoint: string): Readonly<Record<string, Readonly<Record<string, string>>>> => ({
  'no traces': {},
  'one in ten': {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.1',
  },
  'every one': { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint },
});

/** Processor time of one decline, from webhook to Slack: without traces, with a tenth of them, and with all. */
export async function benchTraces(): Promise<void> {
  const collector = await startCollector();
  const kinds = Object.entries(settings(collector.url));
  const around = await startSurroundings(kinds.map((_kind, index) => `C${index}`));
  const contestants: Contestant[] = [];
  for (const [index, [name, env]] of kinds.entries()) {
    const bodies = stormDeclines(PER_SECOND * SECONDS * (ROUNDS + 2), around.acctIds).map(({ body }) => body);
    const parts = await startBoth({ ...around.env, ALERTS_CHANNEL: `C${index}`, ...env });
    contestants.push({ name, ...parts, nextBody: () => bodies.pop() ?? '' });
  }

  const costs = new Map<string, Cost[]>(contestants.map(({ name }) => [name, []]));
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const contestant of contestants) {
      const cost = await oneRound(contestant);
      // The first round opens connections and loads code.
      if (round >= 0) costs.get(contestant.name)?.push(cost);
    }
  }
  show(costs);
  process.stdout.write(`\nSpans that the collector got: ${collector.spans()}\n`);

  for (const { server, redis, web, worker } of contestants) {
    await Promise.all([web.stop(), worker.stop()]);
    await stopRedis(redis, server);
  }
  await around.stop();
  await collector.stop();
}

function show(costs: ReadonlyMap<string, readonly Cost[]>): void {
  const both = ({ web, worker }: Cost): number => web + worker;
  const [base = []] = costs.values();
  table(
    'Traces: processor time of one decline, ms, medians of interleaved rounds',
    ['web', 'worker', 'both', 'times', 'both, of each round'],
    [...costs].map(([name, own]) =>
      row(name, [
        median(own.map(({ web }) => web)).toFixed(2),
        median(own.map(({ worker }) => worker)).toFixed(2),
        median(own.map(both)).toFixed(2),
        median(own.map((cost, round) => both(cost) / both(base[round] ?? cost))).toFixed(2),
        own.map((cost) => both(cost).toFixed(1)).join(' '),
      ]),
    ),
  );
}

/** Receives OpenTelemetry's data and counts the spans. */
async function startCollector() {
  let spans = 0;
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    request.on('end', () => {
      spans += text.split('"spanId"').length - 1;
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  return { url: `http://127.0.0.1:${await listen(server)}`, spans: () => spans, stop: () => shut(server) };
}

async function startBoth(env: Readonly<Record<string, string>>) {
  const server = await startRedis();
  const all = { ...env, REDIS_URL: server.url };
  const web = await startWeb(all);
  const worker = await startChild('src/worker.js', all, async () => true);
  return { server, redis: new Redis(server.url), web, worker };
}

async function oneRound({ redis, web, worker, nextBody }: Contestant): Promise<Cost> {
  const before = { web: web.cpuMs(), worker: worker.cpuMs() };
  await sendPaced({
    url: `http://127.0.0.1:${web.port}/webhooks/decline`,
    headers: webhookHeaders,
    bodyOf: nextBody,
    perSecond: PER_SECOND,
    seconds: SECONDS,
    connections: 8,
  });
  const deadline = performance.now() + LONGEST_MS;
  while ((await onTheirWay(redis)) > 0 && performance.now() < deadline) await sleep(100);
  await sleep(POSTS_MS);
  const count = PER_SECOND * SECONDS;
  return { web: (web.cpuMs() - before.web) / count, worker: (worker.cpuMs() - before.worker) / count };
}
