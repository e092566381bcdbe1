import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createDigests } from '../../../src/digests/schedule-store.ts';
import { createSendDigest } from '../../../src/digests/send-digest.ts';
import { createChangeSchedule, createSetDigest } from '../../../src/digests/set-digest.ts';
import { createShownDeclines } from '../../../src/digests/shown-declines.ts';
import { createTallies } from '../../../src/digests/tally-store.ts';
import { readDigest } from '../../../src/digests/verbs.ts';
import type { Message } from '../../../src/slack/message.ts';
import { countedDecline } from '../../support/counted-decline.ts';
import { examples } from '../../support/examples.ts';
import { held } from '../../support/held.ts';
import { useRedis } from '../../support/on-redis.ts';
import { ask } from '../../support/perform-world.ts';

const redis = useRedis();
const MINUTE = 60_000;
const QUARTER = 15 * MINUTE;

/** What a digest covered, and how many declines it showed. */
interface Posted {
  readonly kind: string;
  readonly dueMs: number;
  readonly atMs: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly count: number;
}

function createWorld(start: string) {
  let nowMs = Date.parse(start);
  let asked = { fromMs: 0, toMs: 0 };
  let answer: Message | null = null;
  let events = 0;
  const posted: Posted[] = [];
  const declines: { atMs: number; knownMs: number }[] = [];
  const now = () => new Date(nowMs);
  const digests = createDigests(redis());
  const tallies = createTallies(redis(), () => new Date(nowMs));
  const shownDeclines = createShownDeclines(redis());
  const sendDigest = createSendDigest({
    digests,
    tallies,
    shownDeclines,
    exceptions: {
      async approved(fromMs, toMs) {
        asked = { fromMs, toMs };
        return [];
      },
      open: async () => [],
      inactive: async () => [],
    },
    visibilityOf: async () => 'private',
    async post(_channel, id, { message }) {
      const [, kind = '', due] = /-(daily|weekly|monthly)-(\d+)$/.exec(id) ?? [];
      const total = Number(/: (\d+) declines?,/.exec(message.text)?.[1] ?? 0);
      posted.push({ kind, dueMs: Number(due), atMs: nowMs, ...asked, count: total });
    },
    record: async () => undefined,
    now,
  });
  const common = { record: async () => undefined, zone: 'UTC' };
  const changeSchedule = createChangeSchedule({
    ...common,
    digests,
    shownDeclines,
    responses: {
      answer: async (_action, message) => {
        answer = message;
      },
    },
    hasBegun: async () => false,
    setInOrder: async (_subject, _action, set, parts = []) => await set(held, parts),
    now,
  });
  const setDigest = createSetDigest({
    ...common,
    postDigest: sendDigest.now,
    mayGetAlerts: async () => true,
    changeSchedule,
  });
  return {
    sendDigest,
    posted,
    declines,
    /** `/card digest WORDS`. @returns when the next digest was promised (ms). */
    async type(words: string): Promise<number> {
      const wanted = readDigest(words.split(' '));
      if (typeof wanted === 'string') throw new Error(wanted);
      const origin = { kind: 'command', channel: 'C1', messageTs: null, reply: null, replace: false } as const;
      await setDigest(ask('digest', { target: { kind: 'channel', text: words }, wanted, origin }));
      return Number(/<!date\^(\d+)/.exec(JSON.stringify(answer?.blocks))?.[1]) * 1000;
    },
    async decline(agoMs = 0): Promise<void> {
      events += 1;
      const atMs = nowMs - agoMs;
      declines.push({ atMs, knownMs: nowMs });
      await tallies.count(countedDecline(`evt_${events}`, new Date(atMs).toISOString(), { acctId: events }));
    },
    /** Time passes while a worker runs. */
    async pass(ms: number, tickMs = QUARTER): Promise<void> {
      for (const until = nowMs + ms; nowMs < until; ) {
        nowMs = Math.min(until, nowMs - (nowMs % tickMs) + tickMs);
        for (const due of await sendDigest.due()) await sendDigest.send(due);
      }
    },
    now: () => nowMs,
  };
}

const NINE = '2026-11-23T08:55:00.000Z';
const HOUR = 60 * MINUTE;

it.each([
  ['daily 09:00', 'daily 17:00', 1],
  ['daily 14:30', 'daily 15:00', 1],
  ['weekly monday 09:00', 'weekly monday 17:00', 7],
])(
  'a channel with a digest %s gets the one it was promised when it asks for %s that day',
  async (before, after, days) => {
    const { type, decline, pass, posted } = createWorld(NINE);
    await type(before);
    await pass(8 * days * 24 * HOUR + 6 * HOUR);
    posted.length = 0;
    await decline();
    const promised = await type(after);
    await decline(HOUR / 4);
    await pass(24 * HOUR);

    expect(posted[0]).toMatchObject({ dueMs: promised, atMs: promised, count: 2 });
  },
);

it('a month’s digest that was posted does not come again, whatever its hour', async () => {
  const { type, pass, posted } = createWorld('2026-11-30T12:00:00.000Z');
  expect(await type('monthly 09:00')).toBe(Date.parse('2026-12-01T09:00:00Z'));
  await pass(22 * HOUR);
  expect(posted).toHaveLength(1);

  expect(await type('monthly 17:00')).toBe(Date.parse('2027-01-01T17:00:00Z'));
  await pass(24 * HOUR);

  expect(posted).toHaveLength(1);
});

it('a first month that was not sent, because its hour was moved earlier on that day, is in the next digest', async () => {
  const { type, decline, pass, posted } = createWorld('2026-01-02T12:00:00.000Z');
  await type('monthly 09:00');
  await decline();
  await pass(29 * 24 * HOUR + 20 * HOUR + HOUR / 2, HOUR);
  const promised = await type('monthly 08:00');
  await decline();
  await pass(28 * 24 * HOUR, HOUR);

  expect(promised).toBe(Date.parse('2026-03-01T08:00:00Z'));
  expect(posted).toMatchObject([{ dueMs: promised, fromMs: Date.parse('2026-01-02T12:00:00Z'), count: 2 }]);
});

it('a digest that was queued before its schedule was replaced is not sent for a time that is not over', async () => {
  const { type, decline, pass, posted, sendDigest, now } = createWorld(NINE);
  await type('daily 09:00');
  const queued = { channel: 'C1', kind: 'daily', dueMs: Date.parse('2026-11-23T09:00:00Z') } as const;
  await type('daily 17:00');
  await decline();
  await pass(10 * MINUTE);

  await sendDigest.send(queued);
  expect(posted).toEqual([]);
  await pass(24 * HOUR);
  expect(posted).toMatchObject([{ dueMs: Date.parse('2026-11-23T17:00:00Z'), count: 1 }]);
  expect(posted.every(({ toMs, atMs }) => toMs <= atMs && atMs <= now())).toBe(true);
});

it('each decline that is known in time is in one digest of a kind, and each promised digest comes, however often the schedule is replaced', async () => {
  const schedules = ['daily 09:00', 'daily 09:05', 'daily 17:00', 'weekly monday 9:00', 'weekly tuesday 14:30'];
  const step = fc.oneof(
    fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 40 * 60 }).map((m) => m * MINUTE) }),
    fc.record({ do: fc.constant('decline' as const), ms: fc.constantFrom(0, 0, QUARTER, 30 * HOUR) }),
    fc.record({ do: fc.constant('set' as const), words: fc.constantFrom(...schedules, 'monthly 09:00') }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 16 }), async (steps) => {
      await redis().flushall();
      const { type, decline, pass, posted, declines, now } = createWorld('2026-11-29T12:00:00.000Z');
      const promised = new Map<string, number>();
      const startedMs = new Map<string, number>();
      const check = () => {
        for (const [kind, dueMs] of promised) {
          const ofKind = posted.filter((each) => each.kind === kind);
          if (now() >= dueMs + HOUR) expect(ofKind.map((each) => each.dueMs)).toContain(dueMs);
          for (const [index, { fromMs, toMs, atMs }] of ofKind.entries()) {
            expect(toMs).toBeLessThanOrEqual(atMs);
            if (index === 0) expect(fromMs).toBeLessThanOrEqual(startedMs.get(kind) ?? 0);
            else expect(fromMs).toBe(ofKind[index - 1]?.toMs);
          }
        }
      };
      for (const next of steps) {
        if (next.do === 'pass') await pass(next.ms, HOUR);
        else if (next.do === 'decline') await decline(next.ms);
        else {
          const [kind = ''] = next.words.split(' ');
          if (!startedMs.has(kind)) startedMs.set(kind, now());
          promised.set(kind, await type(next.words));
        }
        check();
      }
      await pass(8 * 24 * HOUR, HOUR);
      check();
      for (const kind of promised.keys()) {
        const ofKind = posted.filter((each) => each.kind === kind);
        const expected = declines.filter(({ atMs, knownMs }) =>
          ofKind.some((each) => atMs >= each.fromMs && atMs < each.toMs && knownMs < each.atMs),
        ).length;
        expect(ofKind.reduce((sum, { count }) => sum + count, 0)).toBe(expected);
      }
    }),
    { numRuns: examples(15) },
  );
});
