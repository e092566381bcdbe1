import { setTimeout as sleep } from 'node:timers/promises';
import { channels, people } from '../support/people.ts';
import { openRaw, type RawConnection } from '../support/raw-connection.ts';
import { until } from '../support/until.ts';
import { BASE, type Cards, dealCards, endTemporaryChanges } from './cards.ts';
import { type Clicks, createClicks } from './clicks.ts';
import { type ChaosCluster, startCluster } from './cluster.ts';
import { startDisturbances } from './disturbances.ts';
import { drained, onTheirWay } from './drained.ts';
import { type ChaosEvent, createEvents } from './events.ts';
import { judge, type Verdict } from './judge.ts';
import { eventsOf, isEffective } from './judge-clicks.ts';
import { createRandom, type Random } from './random.ts';
import { marksIn, record, recordsOf } from './record.ts';
import type { ClickKind, Recording, SentEvent } from './recording.ts';
import { newerMark } from './redis-disturbances.ts';
import { startRelay } from './relay.ts';
import { createService, type Service } from './service.ts';
import { steps } from './steps.ts';

export interface ChaosOptions {
  readonly seed: number;
  /** How many different events. */
  readonly events: number;
  /** How long things are broken. */
  readonly seconds: number;
  /** Events that come while all is well: most get a message of their own, which shows what goes wrong seldom. */
  readonly calm: { readonly events: number };
  /** Longest wait afterwards for everything to be posted. */
  readonly drainSeconds: number;
  /** How many times faster than the service's its retries are. */
  readonly timeScale: number;
  readonly postsPerSecond: number;
  /** Milliseconds between two clicks of one of three people. */
  readonly clickEveryMs: number;
  /** Connections that send nothing, while the web process is asked whether it is ready. */
  readonly idleConnections: number;
  readonly isShort: boolean;
  readonly say: (line: string) => void;
}

export interface ChaosReport extends Omit<Verdict, 'broken'> {
  readonly seed: number;
  readonly events: number;
  readonly quarantined: number;
  /** How long an answer took beside the idle connections. */
  readonly besideIdleMs: number;
  readonly attempts: number;
  readonly retried: number;
  readonly messages: number;
  readonly clicks: number;
  readonly acknowledged: number;
  readonly writes: number;
  readonly disturbances: Readonly<Record<string, number>>;
  /** Named steps at which nobody was killed. */
  readonly notStruck: readonly string[];
  /** Every broken promise in words; empty when all were kept. */
  readonly broken: readonly string[];
}

/** Kinds of clicks that must have had an effect. */
const everyKind: readonly ClickKind[] = ['block', 'unblock', 'press', 'limit', 'temporary', 'ask', 'decide', 'order'];
const BESIDE_IDLE_MAX_MS = 1500;
const AT_ONCE = 4;
const CLICK_ATTEMPTS = 5;
const CLICK_WAIT_MS = 5000;

/** Runs Cardbell while it and everything around it breaks, then compares what people see. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { seed, say, isShort } = options;
  const random = createRandom(seed);
  const more = (index: number): Random => createRandom(seed + index);
  const relay = await startRelay();
  const cluster = await startCluster({
    webhooks: relay.url,
    postsPerSecond: options.postsPerSecond,
    // For two minutes after Redis was away, each message is looked for first: at Slack's rate, that is for the full form.
    enforceRateLimits: !isShort,
    webs: 2,
    workers: isShort ? 2 : 3,
  });
  const urls = cluster.webs.map(({ url }) => url);
  const service = createService({ urls, timeScale: options.timeScale, random: more(1) });
  relay.to((kind, body) => void service.send({ kind, body }));

  try {
    const besideIdleMs = await answersBesideIdle(cluster, options.idleConnections);
    say(`the web process answers in ${besideIdleMs} ms beside ${options.idleConnections} idle connections`);
    const sent: ChaosEvent[] = [];
    const movedMarks = new Set<string>();
    const portal = new Map<number, number>();
    const cards = await dealCards(cluster, sent);
    const events = createEvents(random, cards.status, cards.linked);
    const clicks = await beginClicks(cluster, cards, { random: more, everyMs: options.clickEveryMs });
    const send = (count: number, seconds: number): Promise<void> =>
      sendAll({ events: count, seconds, isShort }, { next: events.next, service, sent, random });
    await sendCalmly(cluster, options.calm.events, () => sendNow(events.next(), service, sent));
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
      { cards, clicks, repeat, movedMarks, portal },
      { pauseMs: isShort ? [150, 500] : [300, 2500], isShort, say },
    );
    await send(options.events, options.seconds);
    await disturbances.stop();
    say('everything is well again');
    await clicks.stop();
    const duringQuiet = await endQuiet(cluster);
    // Only what was opened can end.
    const first = await drained(cluster, service.inFlight, options);
    await endTemporaryChanges(cluster.store, cards.temporary);
    const waiting = first + (await drained(cluster, service.inFlight, options));

    const newer = disturbances.done.get('fields of a newer version stored') ?? 0;
    const recording = await record(cluster, {
      sent: [...sent, ...Array.from({ length: newer }, (_, index) => noticeOf(index + 1))],
      clicks: clicks.made,
      cards,
      portal,
      duringQuiet,
      movedMarks,
    });
    if (process.env.CHAOS_DUMP)
      (await import('node:fs')).writeFileSync(
        process.env.CHAOS_DUMP,
        JSON.stringify({
          ...recording,
          movedMarks: [...movedMarks],
          logs: cluster.logs(),
          calls: cluster.workspace.calls.map((c) => ({ ...c, args: undefined, ch: (c.args as any).channel })),
        }),
      );
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
        ...(waiting > 0 ? [`${waiting} still on their way`] : []),
        ...(besideIdleMs > BESIDE_IDLE_MAX_MS ? [`beside idle connections an answer took ${besideIdleMs} ms`] : []),
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
  return [fault, ...(said.length === 0 ? ['no process said anything of it'] : said)].join('\n    ');
}

/** While all is well: limits to begin with, and quiet hours for one channel. */
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
  await until(() => based.every(isBased), 'the cards have the limits that they begin with');
  await until(() => workspace.ephemerals(people.zoe).some(({ text }) => /quiet/i.test(text)), 'one channel is quiet');
  return createClicks(cluster, cards, { randoms: [random(2), random(3), random(4)], everyMs });
}

/** Types until it is taken: a web process may just be starting again. */
async function typeIn({ workspace, webs }: ChaosCluster, channel: string, text: string): Promise<void> {
  let attempt = 0;
  await until(async () => {
    workspace.setAppUrl(`${webs[attempt % webs.length]?.url}/slack/events`);
    attempt += 1;
    return (await workspace.command({ user: people.zoe, channel, command: '/card', text })).ok;
  }, `${text} is taken`);
}

/** @returns marks of the events that were posted all the same. */
async function endQuiet(cluster: ChaosCluster): Promise<string[]> {
  const posted = marksIn(cluster.workspace, channels.virtual);
  await typeIn(cluster, channels.virtual, 'quiet off');
  await until(
    async () => (await cluster.store.zcard(`{cardbell:out:${channels.virtual}}:held`)) === 0,
    'nothing is held',
  );
  return posted;
}

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

function sendNow(event: ChaosEvent, service: Pick<Service, 'send'>, sent: ChaosEvent[], delays = [0]): void {
  sent.push(event);
  for (const delay of delays) setTimeout(() => void service.send(event.webhook), delay);
}

/** Sends the next when those before are posted, so that most have a message of their own. */
async function sendCalmly(cluster: ChaosCluster, events: number, sendOne: () => void): Promise<void> {
  for (let count = 0; count < events; count += 1) {
    await until(async () => (await onTheirWay(cluster)) < AT_ONCE, 'few are on their way');
    sendOne();
  }
}

/** One click of each kind that has its effect while all is well. */
async function oneOfEach({ store }: ChaosCluster, clicks: Clicks): Promise<void> {
  for (const kind of everyKind) {
    const has = async (): Promise<boolean> => {
      const events = eventsOf((await recordsOf(store)).records);
      return clicks.made.some((click) => click.kind === kind && isEffective(kind, events.get(click.id) ?? []));
    };
    for (let attempt = 0; attempt < CLICK_ATTEMPTS && !(await has()); attempt += 1) {
      await clicks.once(kind);
      await until(has, `a click to ${kind} has an effect`, CLICK_WAIT_MS).catch(() => {});
    }
  }
}

/** Spreads the events over the time, some several times and some out of order. */
async function sendAll(
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
