import { setTimeout as sleep } from 'node:timers/promises';
import { channels, people } from '../support/people.ts';
import { openRaw, type RawConnection } from '../support/raw-connection.ts';
import { until } from '../support/until.ts';
import { BASE, type Cards, dealCards, endTemporaryChanges } from './cards.ts';
import { type Clicks, createClicks } from './clicks.ts';
import { type ChaosCluster, startCluster } from './cluster.ts';
import { startDisturbances } from './disturbances.ts';
import { drained } from './drained.ts';
import { type ChaosEvent, createEvents } from './events.ts';
import { judge, type Verdict } from './judge.ts';
import { eventsOf, isEffective } from './judge-clicks.ts';
import { createRandom, type Random } from './random.ts';
import { marksIn, record, recordsOf } from './record.ts';
import type { ClickKind, Recording, SentEvent } from './recording.ts';
import { newerMark } from './redis-disturbances.ts';
import { startRelay } from './relay.ts';
import { sendAll, sendNow, sendThrottled } from './send.ts';
import { createService } from './service.ts';
import { steps } from './steps.ts';

export interface ChaosOptions {
  readonly seed: number;
  /** Number of different events. */
  readonly events: number;
  /** How long the disturbances last. */
  readonly seconds: number;
  /** Events sent without disturbances. Most get a separate message, which exposes rare faults. */
  readonly calm: { readonly events: number };
  /** How long there may be no progress afterwards before the run counts as stuck. */
  readonly stuckSeconds: number;
  /** Number of clicks that must be acknowledged. Until then the disturbances continue, up to four times as long. */
  readonly acknowledged: number;
  /** How much faster the retries are than the real card service's. */
  readonly timeScale: number;
  readonly postsPerSecond: number;
  /** Milliseconds between two clicks of one of three people. */
  readonly clickEveryMs: number;
  /** Number of idle connections during a readiness request to the web process. */
  readonly idleConnections: number;
  readonly isShort: boolean;
  /** `REDIS_SHARDS` of all processes. */
  readonly shards: number;
  readonly say: (line: string) => void;
  /** Receives the judged recording and the logs of all processes. */
  readonly keep?: (recording: Recording, logs: readonly string[]) => void;
}

export interface ChaosReport extends Omit<Verdict, 'broken'> {
  readonly seed: number;
  readonly events: number;
  readonly quarantined: number;
  /** Response time with the idle connections open. */
  readonly besideIdleMs: number;
  readonly attempts: number;
  readonly retried: number;
  readonly messages: number;
  readonly clicks: number;
  readonly acknowledged: number;
  readonly writes: number;
  readonly disturbances: Readonly<Record<string, number>>;
  /** Named steps at which no process was killed. */
  readonly notStruck: readonly string[];
  /** A description of every broken guarantee. Empty when all were kept. */
  readonly broken: readonly string[];
}

/** Kinds of clicks that must have had an effect. */
const everyKind: readonly ClickKind[] = ['block', 'unblock', 'press', 'limit', 'temporary', 'ask', 'decide', 'order'];
const BESIDE_IDLE_MAX_MS = 1500;
const OPENED_TOGETHER = 200;
const OPEN_WITHIN_MS = 2000;
const ANSWER_WITHIN_MS = 60_000;
const ANSWERS = 5;
const CLICK_ATTEMPTS = 60;
const CLICK_WAIT_MS = 5000;

/** Runs Cardbell while it and everything around it fails, then checks what people see. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { seed, say, isShort } = options;
  const random = createRandom(seed);
  const more = (index: number): Random => createRandom(seed + index);
  const relay = await startRelay();
  const cluster = await startCluster({
    webhooks: relay.url,
    postsPerSecond: options.postsPerSecond,
    // For two minutes after a Redis outage, each message is looked up before posting. Slack's rate makes this slow, so only
    // the full form enforces it.
    enforceRateLimits: !isShort,
    webs: 2,
    workers: isShort ? 2 : 3,
    shards: options.shards,
  });
  const urls = cluster.webs.map(({ url }) => url);
  const service = createService({ urls, timeScale: options.timeScale, random: more(1) });
  relay.to((kind, body) => void service.send({ kind, body }));

  try {
    say('the cluster runs');
    const besideIdleMs = await answersBesideIdle(cluster, options.idleConnections);
    say(`the web process answers in ${besideIdleMs} ms with ${options.idleConnections} idle connections`);
    const sent: ChaosEvent[] = [];
    const archived = new Set<string>();
    const portal = new Map<number, number>();
    const cards = await dealCards(cluster, sent);
    const events = createEvents(random, cards.status, cards.linked);
    const clicks = await beginClicks(cluster, cards, { random: more, everyMs: options.clickEveryMs });
    sendNow(events.first(), service, sent);
    await sendThrottled(cluster, options.calm.events, () => sendNow(events.next(), service, sent));
    // All declines so far may have shared messages, and those have no buttons to press.
    await drained(cluster, service.inFlight, options);
    sendNow(events.alone(), service, sent);
    await drained(cluster, service.inFlight, options);
    await oneOfEach(cluster, clicks);
    clicks.start();
    const repeat = (mark: string): ChaosEvent | null => {
      const event = events.repeat(mark);
      if (event !== null) sendNow(event, service, sent);
      return event;
    };
    const disturbances = startDisturbances(
      cluster,
      [more(5), more(6)],
      { cards, clicks, isRepeated: events.isRepeated, repeat, archived, portal },
      { pauseMs: isShort ? [150, 500] : [300, 2500], isShort, say },
    );
    const wanting = (): string => [...clicks.wanting(options.acknowledged), ...disturbances.wanting()].join(', ');
    await sendAll(options, { next: events.next, service, sent, random, cluster, wanting, say });
    await disturbances.stop();
    say('all disturbances ended');
    await clicks.stop();
    // Temporary changes must have been made before they can end, and quiet hours are turned off last.
    let waiting = await drained(cluster, service.inFlight, options);
    const duringQuiet = await endQuiet(cluster);
    await endTemporaryChanges(cluster.store, cards.temporary).catch((error: unknown) => say(String(error)));
    waiting += await drained(cluster, service.inFlight, options);

    const newer = disturbances.done.get('fields of a newer version stored') ?? 0;
    const recording = await record(cluster, {
      sent: [...sent, ...Array.from({ length: newer }, (_, index) => noticeOf(index + 1))],
      clicks: clicks.made,
      cards,
      portal,
      duringQuiet,
      archived,
    });
    options.keep?.(recording, cluster.logs());
    const verdict = judge(recording, everyKind);
    const named = steps
      .filter(({ isRare }) => isRare !== true)
      .flatMap(({ name }) => [`before ${name}`, `after ${name}`]);
    return {
      ...verdict,
      ...figuresOf(recording),
      seed,
      besideIdleMs,
      attempts: service.counts.attempts,
      retried: service.counts.retried,
      disturbances: Object.fromEntries(disturbances.done),
      notStruck: named.filter((name) => !disturbances.struck.has(name)),
      broken: [
        ...verdict.broken.map((fault) => withTrace(fault, cluster.logs())),
        ...(waiting > 0 ? [`${waiting} still in flight`] : []),
        ...(besideIdleMs > BESIDE_IDLE_MAX_MS ? [`a response took ${besideIdleMs} ms with idle connections open`] : []),
      ],
    };
  } finally {
    service.close();
    await cluster.stop();
    relay.close();
  }
}

function figuresOf({ sent, messages, clicks, writes, quarantined }: Recording) {
  return {
    events: sent.length,
    messages: messages.length,
    clicks: clicks.length,
    acknowledged: clicks.filter(({ ok }) => ok).length,
    writes: writes.filter(({ isDone }) => isDone).length,
    quarantined,
  };
}

const noticeOf = (serial: number): SentEvent => ({ kind: 'newer', mark: newerMark(serial), opening: null });

/** A fault with the log lines about its action. */
function withTrace(fault: string, logs: readonly string[]): string {
  const id = /act_\w+/.exec(fault)?.[0];
  if (id === undefined) return fault;
  const said = logs.filter((line) => line.includes(id)).map((line) => line.slice(0, 400));
  return [fault, ...(said.length === 0 ? ['no process logged anything about it'] : said)].join('\n    ');
}

/** Before any disturbance: sets initial limits, and quiet hours in one channel. */
async function beginClicks(
  cluster: ChaosCluster,
  cards: Cards,
  { random, everyMs }: { readonly random: (index: number) => Random; readonly everyMs: number },
): Promise<Clicks> {
  const { workspace, sandbox, store } = cluster;
  await until(async () => (await store.exists('{cardbell:dir}:listed-at')) === 1, 'the directory is listed');
  await until(async () => (await store.zcount('{cardbell:dir}:details', 0, 1)) === 0, 'the directory knows every card');
  const based = [...cards.temporary, ...cards.linked, cards.portal];
  for (const acctId of based) await typeIn(cluster, channels.alerts, `limit ${acctId} daily ${BASE}`);
  const hour = (ahead: number): string => `${new Date(Date.now() + ahead * 3_600_000).toISOString().slice(11, 13)}:00`;
  await typeIn(cluster, channels.virtual, `quiet ${hour(-1)}-${hour(3)} UTC`);
  const isBased = (acctId: number): boolean =>
    sandbox.accounts().find(({ AcctId }) => AcctId === acctId)?.SpendRules.DailySpendLimit === BASE;
  await until(() => based.every(isBased), 'the cards have their initial limits');
  await until(
    () => workspace.ephemerals(people.zoe).some(({ text }) => /quiet/i.test(text)),
    'one channel has quiet hours',
  );
  return createClicks(cluster, cards, { randoms: [random(2), random(3), random(4)], everyMs });
}

/** Repeats the command until it is accepted, because a web process may be restarting. */
async function typeIn({ workspace, webs }: ChaosCluster, channel: string, text: string): Promise<void> {
  let attempt = 0;
  await until(async () => {
    workspace.setAppUrl(`${webs[attempt % webs.length]?.url}/slack/events`);
    attempt += 1;
    return (await workspace.command({ user: people.zoe, channel, command: '/card', text })).ok;
  }, `${text} is taken`);
}

/** @returns marks of events that were posted despite the quiet hours. */
async function endQuiet(cluster: ChaosCluster): Promise<string[]> {
  const posted = marksIn(cluster.workspace, channels.virtual);
  await typeIn(cluster, channels.virtual, 'quiet off');
  await until(
    async () => (await cluster.store.zcard(`{cardbell:out:${channels.virtual}}:held`)) === 0,
    'nothing is held',
  );
  return posted;
}

/** Opens idle connections and sends requests alongside. @returns the fastest response time in milliseconds. */
async function answersBesideIdle({ webs }: ChaosCluster, count: number): Promise<number> {
  const url = webs[0]?.url ?? '';
  const { port } = new URL(url);
  const idle: RawConnection[] = [];
  const opened = async (): Promise<void> => void idle.push(await openRaw(Number(port)));
  // Connections that the machine does not open in time are skipped.
  for (let tried = 0; tried < count; tried += OPENED_TOGETHER)
    await Promise.race([Promise.allSettled(Array.from({ length: OPENED_TOGETHER }, opened)), sleep(OPEN_WITHIN_MS)]);
  // The fastest of several: a busy machine may slow one response, but harmful idle connections would slow all.
  let fastestMs = Number.POSITIVE_INFINITY;
  for (let answers = 0; answers < ANSWERS; answers += 1) {
    const startedAt = performance.now();
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    fastestMs = Math.min(fastestMs, Math.round(performance.now() - startedAt));
    await answer.body?.cancel();
  }
  for (const connection of idle) connection.close();
  return fastestMs;
}

/** Makes one effective click of each kind before any disturbance. @throws when there is none. */
async function oneOfEach({ store }: ChaosCluster, clicks: Clicks): Promise<void> {
  for (const kind of everyKind) {
    const has = async (): Promise<boolean> => {
      const events = eventsOf((await recordsOf(store)).records);
      return clicks.made.some((click) => click.kind === kind && isEffective(kind, events.get(click.id) ?? []));
    };
    for (let attempt = 0; !(await has()); attempt += 1) {
      if (attempt === CLICK_ATTEMPTS) throw new Error(`none of ${attempt} clicks to ${kind} had an effect`);
      await clicks.once(kind);
      await until(has, `a click to ${kind} has an effect`, CLICK_WAIT_MS).catch(() => {});
    }
  }
}
