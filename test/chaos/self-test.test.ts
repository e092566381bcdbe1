import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AuditRecord } from '../../src/audit/audit-record.ts';
import { until } from '../support/until.ts';
import { type Cards, dealCards } from './cards.ts';
import { createClicks } from './clicks.ts';
import { type ChaosCluster, startCluster } from './cluster.ts';
import { drained } from './drained.ts';
import { type ChaosEvent, createEvents } from './events.ts';
import { judge } from './judge.ts';
import { judgeClicks } from './judge-clicks.ts';
import { createRandom } from './random.ts';
import { record } from './record.ts';
import type { ClickKind, Recording } from './recording.ts';
import { type Relay, startRelay } from './relay.ts';
import { sendNow, sendThrottled } from './send.ts';
import { createService, type Service } from './service.ts';
import { createBetween, type Tamper } from './tampering.ts';

/**
 * Tests the chaos suite with faults it must find. Each is injected between Cardbell and Slack, the card service, or the
 * senders of webhooks and clicks. Nothing else is disturbed, so each complaint is about the injected fault.
 */
const [slack, cardApi, web] = [createBetween(), createBetween(), createBetween()];
let relay: Relay;
let cluster: ChaosCluster;
let service: Service;
const sent: ChaosEvent[] = [];
let cards: Cards;
let runs = 0;

beforeAll(async () => {
  relay = await startRelay();
  const real = await startCluster({
    webhooks: relay.url,
    postsPerSecond: 50,
    enforceRateLimits: false,
    webs: 1,
    workers: 1,
    shards: 1,
    between: { slack: slack.lead, cardApi: cardApi.lead },
  });
  const [member] = real.webs;
  if (member === undefined) throw new Error('no web process');
  cluster = { ...real, webs: [{ ...member, url: await web.lead(member.url) }] };
  service = createService({ urls: [cluster.webs[0]?.url ?? ''], timeScale: 240, random: createRandom(1) });
  relay.to((kind, body) => void service.send({ kind, body }));
  await until(async () => (await real.store.zcount('{cardbell:dir}:details', 0, 1)) === 0, 'every card is known');
  cards = await dealCards(cluster, sent);
});
afterAll(async () => {
  service.close();
  await cluster.stop();
  relay.close();
  for (const between of [slack, cardApi, web]) between.close();
});

/** The suite's complaints about events and clicks while a fault is injected. */
async function judged(tamper: readonly [ReturnType<typeof createBetween>, Tamper], events: number, kinds: ClickKind[]) {
  const quarantined = await cluster.store.zcard('{cardbell:state}:quarantine');
  const [before, callsBefore] = [sent.length, cluster.sandbox.calls.length];
  runs += 1;
  const randoms = [createRandom(3), createRandom(4), createRandom(5)];
  const clicks = createClicks(cluster, cards, { randoms, everyMs: 0, from: runs * 1000 });
  const { first, next, repeat } = createEvents(createRandom(2), cards.status, cards.linked, runs * 10_000);
  const [between, how] = tamper;
  between.tamper(how);
  if (events > 0) sendNow(first(), service, sent);
  await sendThrottled(cluster, events, () => sendNow(next(), service, sent));
  // Each repeated decline once more, after its message is posted.
  const repeated = new Set(sent.slice(before).flatMap(({ kind, mark }) => (kind === 'repeat' && mark ? [mark] : [])));
  const again = [...repeated].flatMap((mark) => repeat(mark) ?? []);
  await sendThrottled(cluster, again.length, () => sendNow(again.pop() as ChaosEvent, service, sent));
  for (const kind of kinds) await clicks.once(kind);
  await drained(cluster, service.inFlight, { stuckSeconds: 120, say: () => {} });
  between.tamper(null);
  const recording = await record(cluster, {
    sent: sent.slice(before),
    clicks: clicks.made,
    cards,
    portal: new Map(),
    duringQuiet: [],
    archived: new Set(),
    callsBefore,
  });
  return judge({ ...recording, quarantined: recording.quarantined - quarantined, bases: [] }, kinds).broken;
}

/** Applies a fault to every hundredth matching request. */
function everyHundredth(fits: (path: string) => boolean, how: ReturnType<Tamper>): Tamper {
  let count = 0;
  return ({ path }) => {
    if (!fits(path)) return null;
    count += 1;
    return count % 100 === 0 ? how : null;
  };
}
const isUpdate = (path: string): boolean => path.endsWith('/chat.update');
const isPost = (path: string): boolean => path.endsWith('/chat.postMessage');

it('finds nothing wrong without a fault', async () => {
  expect(await judged([web, () => null], 15, ['limit', 'block'])).toEqual([]);
});

it('detects that messages are never edited', async () => {
  const broken = await judged([slack, ({ path }) => (isUpdate(path) ? { answer: { ok: true } } : null)], 60, []);

  expect(broken.join('\n')).toMatch(/declined \d+ times, no message says more than/);
  for (const fault of broken) expect(fault).toMatch(/no message says|does not say that|the warning says/);
});

it('detects that every PUT is sent twice', async () => {
  const broken = await judged([cardApi, ({ method }) => (method === 'PUT' ? 'twice' : null)], 0, ['limit', 'unblock']);

  expect(
    broken.filter((fault) => /written 2 times/.test(fault)),
    'limit written twice',
  ).toHaveLength(1);
  expect(
    broken.filter((fault) => /written twice: Active/.test(fault)),
    'status written twice',
  ).toHaveLength(1);
});

it('detects that every block is silently dropped', async () => {
  const isBlock = (body: string): boolean => /text=block|block_card/.test(body);
  const broken = await judged([web, ({ body }) => (isBlock(body) ? { answer: {} } : null)], 0, ['block', 'unblock']);

  expect(broken.join('\n')).toMatch(/a click left no trace: act_\w+ \(block/);
  expect(broken.join('\n')).toMatch(/of 1 clicks to block none had an effect/);
});

it('detects one lost event in a hundred', async () => {
  const lose = everyHundredth((path) => path.startsWith('/webhooks/'), { answer: { status: 'taken' } });
  const broken = await judged([web, lose], 105, []);

  expect(broken.length).toBeGreaterThan(0);
  for (const fault of broken)
    expect(fault).toMatch(/^lost: |no message says more|misfits sent|the warning says|warnings for/);
});

it('detects one duplicated post in a hundred', async () => {
  const before = cluster.workspace.calls.length;
  const broken = await judged([slack, everyHundredth(isPost, 'twice')], 140, []);

  expect(cluster.workspace.calls.slice(before).filter(({ method }) => isPost(`/${method}`)).length).toBeGreaterThan(
    100,
  );
  expect(broken.length).toBeGreaterThan(0);
  for (const fault of broken) expect(fault).toMatch(/^twice: |warnings for/);
});

it.each<[string, Partial<Record<AuditRecord['event'], number>>, number, boolean]>([
  ['a late answer is a direct message', { asked: 0, done: 180 }, 181, false],
  ['a late answer is lost', { asked: 0, done: 180 }, 1, true],
  ['an answer is lost, and the change is not confirmed later', { asked: 0, done: 1, unconfirmed: 125 }, 126, true],
])('detects a click that was never answered: %s', (_what, events, messageAfter, isFault) => {
  const start = Date.parse('2026-11-20T15:00:00Z');
  const click = { id: 'act_1', userId: 'U0OLGA', responsePath: '/1', kind: 'block', ok: true, ms: 50, atMs: start };
  const records = Object.entries(events).map(([event, after]) => {
    return { actionId: 'act_1', actor: {}, event, at: new Date(start + after * 1000).toISOString() };
  });
  const messages = [{ channel: 'D0OLGA', ts: String(start / 1000 + messageAfter) }];
  const recording = { clicks: [click], records, messages, answers: [], chainFault: null, webDeaths: [] };

  const faults = judgeClicks(recording as unknown as Recording, []);

  expect(faults.some((fault) => fault.startsWith('a click was never answered'))).toBe(isFault);
});

it('is never retried: a fault that occurs once is a fault', async () => {
  const { default: config } = await import('../../vitest.config.ts');
  const chaos = config.test?.projects?.find((project) => JSON.stringify(project).includes('"name":"chaos"'));

  expect(JSON.stringify(chaos)).toContain('test/chaos/**/*.test.ts');
  expect(JSON.stringify(chaos)).not.toContain('"retry":1');
});
