import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WebhookKind } from '../../sandbox/server.ts';
import { createOutbox } from '../../src/outbox/outbox-store.ts';
import { unavailable } from '../../templates/policy/not-permitted.ts';
import { channels } from '../support/people.ts';
import { openRaw, type RawConnection } from '../support/raw-connection.ts';
import { until } from '../support/until.ts';
import { checkAggregationGroups } from './aggregation-groups.ts';
import { auditFaults, doubledWrites, moneyFaults, startClicks } from './clicks.ts';
import { type ChaosCluster, startCluster } from './cluster.ts';
import { type Disturbances, startDisturbances } from './disturbances.ts';
import { type ChaosEvent, createEvents } from './events.ts';
import { look } from './oracle.ts';
import { createRandom } from './random.ts';
import { createService } from './service.ts';
import { steps } from './steps.ts';

export interface ChaosOptions {
  readonly seed: number;
  /** How many different events. */
  readonly events: number;
  /** How long things are broken. */
  readonly seconds: number;
  /** Events that come when everything is well again. */
  readonly calm: { readonly events: number; readonly seconds: number };
  /** Longest wait afterwards for everything to be posted. */
  readonly drainSeconds: number;
  /** How many times faster than the service's its retries are. */
  readonly timeScale: number;
  readonly postsPerSecond: number;
  /** Connections that send nothing, while the web process is asked whether it is ready. */
  readonly idleConnections: number;
  readonly isShort: boolean;
  readonly say: (line: string) => void;
}

export interface ChaosReport {
  readonly seed: number;
  readonly events: number;
  readonly posted: number;
  /** Declines among the events that repeat one another; one message counts them. */
  readonly repeats: number;
  /** Shown in a message with others. */
  readonly batch: number;
  readonly quarantined: number;
  /** Not visible anywhere, although nothing waits to be posted. */
  readonly lost: readonly string[];
  /** Still on their way when the time was up. */
  readonly waiting: number;
  readonly twice: readonly string[];
  /** Misfits that are not kept aside. */
  readonly misfitsLost: number;
  /** How long an answer took beside the idle connections. */
  readonly besideIdleMs: number;
  readonly attempts: number;
  readonly retried: number;
  readonly messages: number;
  readonly clicks: number;
  readonly actions: number;
  /** What is wrong with the audit chain, with outcomes of clicks, with writes to the card API. */
  readonly faults: readonly string[];
  /** Acknowledged clicks that are not on record. */
  readonly clicksLost: readonly string[];
  /** How often somebody was told that a click could not be taken, or Slack did not let us say so. */
  readonly toldNotDone: number;
  readonly disturbances: Readonly<Record<string, number>>;
  /** Named steps at which nobody was killed. */
  readonly notStruck: readonly string[];
}

/** Runs Cardbell while it and everything around it breaks, then compares what people see. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { seed, say } = options;
  const random = createRandom(seed);
  let relay: (kind: WebhookKind, body: string) => void = () => {};
  const echo = createServer((request, response) => {
    // What the card service tells of clicks: taken at once, and sent by our own service.
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      response.end('{}');
      relay((request.url?.split('/').at(-1) ?? '') as WebhookKind, body);
    });
  });
  await new Promise<void>((resolve) => void echo.listen(0, '127.0.0.1', resolve));
  const address = echo.address();
  const echoPort = typeof address === 'object' && address !== null ? address.port : 0;
  const cluster = await startCluster({
    webhooks: `http://127.0.0.1:${echoPort}`,
    postsPerSecond: options.postsPerSecond,
  });
  const service = createService({
    urls: cluster.webs.map(({ url }) => url),
    timeScale: options.timeScale,
    random: createRandom(seed + 1),
  });
  relay = (kind, body) => void service.send({ kind, body });

  try {
    await until(async () => (await cluster.store.exists('{cardbell:dir}:listed-at')) === 1, 'the directory is listed');
    const besideIdle = await answersBesideIdle(cluster, options.idleConnections);
    say(`the web process answers in ${besideIdle} ms beside ${options.idleConnections} idle connections`);
    const sent: ChaosEvent[] = [];
    const clicks = startClicks(cluster, createRandom(seed + 2), options.isShort ? 350 : 1000);
    const disturbances = startDisturbances(cluster, createRandom(seed + 3), {
      pauseMs: options.isShort ? [150, 650] : [500, 3000],
      isShort: options.isShort,
      say,
    });
    const next = createEvents(random, cluster.sandbox.accounts());
    const send = (events: number, seconds: number): Promise<void> =>
      sendAll({ events, seconds, isShort: options.isShort }, { next, send: service.send, sent, random });
    await send(options.events, options.seconds);
    await disturbances.stop();
    // While everything is well, most events get a message of their own: what goes wrong seldom shows.
    await send(options.events + options.calm.events, options.calm.seconds);
    await clicks.stop();
    say('everything is well again, waiting for what is on its way');
    const waiting = await drained(cluster, service.inFlight, options);

    const seen = await look(cluster.workspace, Object.values(channels));
    const visible = sent.filter(({ mark, kind }) => mark !== null && kind !== 'repeat');
    const aggregationGroups = await checkAggregationGroups(cluster.store, sent, seen);
    const timesOf = ({ mark }: ChaosEvent): number => seen.times.get(mark ?? '') ?? 0;
    const misfits = sent.filter(({ mark }) => mark === null).length;
    const quarantined = await cluster.store.zcard('{cardbell:state}:quarantine');
    const audit = await auditFaults(cluster.store, clicks);
    const named = steps
      .filter(({ isRare }) => isRare !== true)
      .flatMap(({ name }) => [`before ${name}`, `after ${name}`]);
    const report: ChaosReport = {
      seed,
      events: sent.length,
      posted: visible.filter((event) => timesOf(event) > 0).length + aggregationGroups.told,
      repeats: aggregationGroups.sent,
      batch: seen.batch,
      quarantined,
      lost: [...visible.filter((event) => timesOf(event) === 0).map(nameOf), ...aggregationGroups.lost],
      waiting,
      twice: [...visible.filter((event) => timesOf(event) > 1).map(nameOf), ...aggregationGroups.twice],
      misfitsLost: misfits - quarantined,
      besideIdleMs: besideIdle,
      attempts: service.counts.attempts,
      retried: service.counts.retried,
      messages: seen.messages,
      clicks: clicks.made(),
      actions: audit.actions,
      faults: [
        ...audit.faults,
        ...aggregationGroups.faults,
        ...(await moneyFaults(cluster.store, cluster)),
        ...doubledWrites(cluster, interruptedWrites(disturbances)),
        // Slack may have refused the blocks of a few while it failed.
        ...(seen.bare > seen.messages / 10 ? [`${seen.bare} messages show no blocks`] : []),
        ...(clicks.made() === 0 ? ['nobody clicked'] : []),
      ],
      clicksLost: audit.lost.map((click) => withTrace(click, cluster.logs())),
      toldNotDone:
        cluster.workspace.ephemerals().filter(({ text }) => text === unavailable().text).length +
        cluster.logs().filter((line) => line.includes('answer could not be delivered')).length,
      disturbances: Object.fromEntries(disturbances.done),
      notStruck: named.filter((name) => !disturbances.struck.has(name)),
    };
    return report;
  } finally {
    service.close();
    await cluster.stop();
    echo.close();
  }
}

/** How many writes may have lost their answer because their worker died or stood still. */
function interruptedWrites({ done, struck }: Pick<Disturbances, 'done' | 'struck'>): number {
  const workers = [...done].filter(([what]) => /worker/.test(what) && /SIGKILL|frozen/.test(what));
  const strikes = [...struck].filter((step) => step.endsWith('the card API is asked to write'));
  return sum(workers.map(([, times]) => times)) + strikes.length;
}

/** Every broken promise in words; empty when all were kept. */
export function broken(report: ChaosReport): string[] {
  const { lost, twice, waiting, misfitsLost, faults, clicksLost, toldNotDone, besideIdleMs } = report;
  return [
    ...lost.map((event) => `lost: ${event}`),
    ...twice.map((event) => `twice: ${event}`),
    ...(waiting > 0 ? [`${waiting} still on their way`] : []),
    ...(misfitsLost === 0 ? [] : [`${misfitsLost} misfits not kept aside`]),
    ...faults,
    ...(besideIdleMs > 1500 ? [`beside idle connections an answer took ${besideIdleMs} ms`] : []),
    ...(clicksLost.length > toldNotDone ? clicksLost.map((click) => `a click left no trace: ${click}`) : []),
  ];
}

/** A click with the log lines about it. */
function withTrace(click: string, logs: readonly string[]): string {
  const [id = ''] = click.split(' ');
  const said = logs.filter((line) => line.includes(id)).map((line) => line.slice(0, 400));
  return [click, ...(said.length === 0 ? ['no process said anything of it'] : said)].join('\n    ');
}

const nameOf = ({ mark, kind }: ChaosEvent): string => `${mark} (${kind})`;

/** Opens idle connections and sends a request beside them. @returns milliseconds until the answer. */
async function answersBesideIdle({ webs }: ChaosCluster, count: number): Promise<number> {
  const url = webs[0]?.url ?? '';
  const { port } = new URL(url);
  const idle: RawConnection[] = [];
  while (idle.length < count)
    idle.push(...(await Promise.all(Array.from({ length: 200 }, () => openRaw(Number(port))))));
  const startedAt = performance.now();
  const answer = await fetch(`${url}/readyz`);
  const ms = Math.round(performance.now() - startedAt);
  await answer.body?.cancel();
  for (const connection of idle) connection.close();
  return ms;
}

/** Spreads the events over the time, some several times and some out of order. */
async function sendAll(
  { events, seconds, isShort }: Pick<ChaosOptions, 'events' | 'seconds' | 'isShort'>,
  to: {
    readonly next: () => ChaosEvent;
    readonly send: (webhook: ChaosEvent['webhook']) => Promise<void>;
    readonly sent: ChaosEvent[];
    readonly random: ReturnType<typeof createRandom>;
  },
): Promise<void> {
  const { next, send, sent, random } = to;
  const before = sent.length;
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;
  const latestMs = isShort ? 3000 : 8000;
  while (sent.length < events || performance.now() < endsAt) {
    const share = (performance.now() - startedAt) / (seconds * 1000);
    const due = Math.min(events, before + Math.ceil(share * (events - before)));
    while (sent.length < due) {
      const event = next();
      sent.push(event);
      const copies = random.weighted({ '1': 85, '2': 12, '3': 3 });
      for (let copy = 0; copy < Number(copies); copy += 1) {
        // Most at once, some out of their order, copies up to long after.
        const delay = copy === 0 ? (random.next() < 0.8 ? 0 : random.integer(1, 3000)) : random.integer(0, latestMs);
        setTimeout(() => void send(event.webhook), delay);
      }
    }
    await sleep(20);
  }
  await sleep(latestMs + 100);
}

/** Waits until nothing waits at the service, in the inbox, in a queue or in an outbox. @returns how much still does. */
async function drained(
  { store }: ChaosCluster,
  inFlight: () => number,
  { drainSeconds, say }: ChaosOptions,
): Promise<number> {
  const outbox = createOutbox(store);
  const deadline = performance.now() + drainSeconds * 1000;
  let quietSince = performance.now();
  let lastSaid = 0;
  for (;;) {
    const inbox = (await store.xlen('{cardbell:in}:webhooks')) + (await store.xlen('{cardbell:in}:actions'));
    const waiting = await Promise.all((await outbox.channels()).map((channel) => outbox.waiting(channel)));
    const jobs = await Promise.all(
      ['alerts', 'actions', 'updates', 'outbox'].flatMap((queue) => [
        store.llen(`{cardbell:queue}:${queue}:wait`),
        store.llen(`{cardbell:queue}:${queue}:active`),
        store.zcard(`{cardbell:queue}:${queue}:delayed`),
      ]),
    );
    const left = { service: inFlight(), inbox, jobs: sum(jobs), outbox: sum(waiting) };
    if (sum(Object.values(left)) > 0) quietSince = performance.now();
    if (performance.now() - quietSince > 3000) return 0;
    if (performance.now() > deadline) {
      say(`not everything was posted in time: ${JSON.stringify(left)}, jobs ${jobs.join(' ')}`);
      return sum(Object.values(left));
    }
    if (performance.now() - lastSaid > 10_000) {
      lastSaid = performance.now();
      say(`left: ${JSON.stringify(left)}`);
    }
    await sleep(250);
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
