import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SlackError } from '../../../src/core/errors.ts';
import { outboxKey } from '../../../src/core/keys.ts';
import { OutboxEntry } from '../../../src/outbox/entry.ts';
import { defaultThrottle } from '../../../src/outbox/send-message.ts';
import { examples } from '../../support/examples.ts';
import { useRedis } from '../../support/on-redis.ts';
import { Crash, createWorld, type Moment, postOutcomes } from '../../support/outbox-world.ts';
import { createPostingWorld } from '../../support/posting-world.ts';

const redis = useRedis();

const alert = (id: string): OutboxEntry => OutboxEntry.parse({ kind: 'tracked', id, subject: { kind: 'alert', id } });
const idsOf = (count: number): string[] => Array.from({ length: count }, (_, index) => `e${index}`);

/** The ids shown in the channel, in order. One message may show several. */
const shownIn = (channel: readonly { text: string }[]): string[] => channel.flatMap(({ text }) => text.split(' '));

/** What Slack does with a post, and then with the lookups after it. */
const failures = postOutcomes.flatMap((first) =>
  postOutcomes.flatMap((second) =>
    [0, 1, 2].map((lostLookUps) => ({ script: [first, second] as const, lostLookUps, name: `${first}, ${second}` })),
  ),
);

describe('a channel’s messages', () => {
  it('are posted in order when everything works', async () => {
    const ids = idsOf(5);
    const world = createWorld({ entries: ids.map(alert) });

    await world.drain();

    expect(shownIn(world.shown())).toEqual(ids);
  });

  it('are never posted twice while Slack commits each post two seconds after its timeout', async () => {
    const ids = idsOf(3);
    const world = createWorld({ entries: ids.map(alert), script: ['late', 'late', 'late', 'late'] });

    await world.drain();

    expect(shownIn(world.shown())).toEqual(ids);
  });

  it('are searched for before they are posted if Redis may have forgotten them', async () => {
    const ids = idsOf(2);
    const known = createWorld({ entries: ids.slice(0, 1).map(alert), forgotten: ids.slice(0, 1) });
    const fresh = createWorld({ entries: ids.slice(1).map(alert), forgotten: [] });

    await known.drain();
    await fresh.drain();

    expect(shownIn(known.shown())).toEqual(['e0']);
    expect(known.noted.get('e0'), 'its place is known again').toBe(1);
    expect(shownIn(fresh.shown())).toEqual(['e1']);
  });

  it.each([
    ['more', ['e0 e1'], 3],
    ['fewer', ['e0 e1 e2 e3'], 2],
    ['parts of two others', ['e0 e1', 'e2 e3'], 5],
    ['exactly these, and a single one', ['e0', 'e1 e2'], 3],
  ])('that are already in Slack are not posted again with %s entries than before', async (_what, forgotten, count) => {
    const ids = idsOf(count);
    const world = createWorld({ entries: ids.map(alert), forgotten });

    await world.drain();

    const shown = world.shown().flatMap(({ text }) => text.split(' '));
    expect(new Set(shown).size, 'none is shown twice').toBe(shown.length);
    expect(shown, 'none is missing').toEqual(expect.arrayContaining(ids));
    expect([...world.noted.keys()].toSorted(), 'the place of each is known').toEqual(ids);
  });

  it('are posted soon after they are claimed, even if the search took as long as a post may take', async () => {
    const ids = idsOf(2);
    let [nowMs, claimedMs] = [0, 0];
    const waits: number[] = [];
    const world = createWorld({
      entries: ids.map(alert),
      forgotten: [],
      onMoment({ step, when }) {
        if (step === 'findEntries' && when === 'after') {
          nowMs += 9_000;
          world.pass(9_000);
        }
        if (step === 'claim' && when === 'after') claimedMs = nowMs;
        if (step === 'sendMessage' && when === 'before') waits.push(nowMs - claimedMs);
      },
    });

    await world.drain();

    expect(shownIn(world.shown())).toEqual(ids);
    expect(Math.max(...waits), 'the claim of 13 seconds outlives the post of 10').toBeLessThan(3_000);
  });

  it('appear exactly once in the end, whatever fails in between', async () => {
    const crashes = fc.uniqueArray(fc.nat({ max: 120 }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.constantFrom(...postOutcomes), { maxLength: 15 }),
        fc.integer({ min: 0, max: 4 }),
        crashes,
        async (count, script, lostLookUps, crashAt) => {
          const ids = idsOf(count);
          let moment = -1;
          const world = createWorld({
            entries: ids.map(alert),
            script,
            lostLookUps,
            onMoment() {
              moment += 1;
              if (crashAt.includes(moment)) throw new Crash();
            },
          });

          await world.drain();
          await world.deleteCopies();

          expect(shownIn(world.shown()).toSorted()).toEqual(ids);
          expect([...world.noted.keys()].toSorted()).toEqual(ids);
        },
      ),
      { numRuns: examples(150) },
    );
  });

  it.each([0, 1, 2])(
    'appear once for every Slack failure and every crash point, with another crash within %i moments',
    async (again) => {
      const ids = idsOf(2);
      let runs = 0;
      for (const { script, lostLookUps, name } of failures) {
        // Repeats with the next crash point until a run ends before its crash: then every moment has had one.
        for (let crashAt = 0, hasCrashed = true; hasCrashed; crashAt += 1) {
          let moment = -1;
          let where: Moment | undefined;
          hasCrashed = false;
          const world = createWorld({
            entries: ids.map(alert),
            script,
            lostLookUps,
            onMoment(now) {
              moment += 1;
              if (moment !== crashAt && (again === 0 || moment !== crashAt + again)) return;
              hasCrashed = true;
              where = now;
              throw new Crash();
            },
          });

          await world.drain();
          await world.deleteCopies();

          runs += 1;
          const told = `${name}, ${lostLookUps} lookups lost, killed ${where?.when} ${where?.step}`;
          expect([told, shownIn(world.shown()).toSorted()]).toEqual([told, ids]);
          expect([told, [...world.noted.keys()].toSorted()]).toEqual([told, ids]);
        }
      }
      expect(runs).toBeGreaterThan(1000);
    },
  );

  it('are posted once when a worker freezes at any moment, others take over, and it continues', async () => {
    for (const { script, lostLookUps, name } of failures) {
      for (let stillAt = 0, hasStood = true; hasStood; stillAt += 1) {
        let moment = -1;
        hasStood = false;
        let where: Moment | undefined;
        const ids = idsOf(2);
        const world = createWorld({
          entries: ids.map(alert),
          script,
          lostLookUps,
          async onMoment(now) {
            moment += 1;
            if (moment !== stillAt) return;
            hasStood = true;
            where = now;
            // The answer to a post times out after ten seconds, so a worker frozen for longer never sees it.
            world.pass(20_000);
            await world.drain();
          },
        });

        await world.drain();
        await world.deleteCopies();

        const told = `${name}, ${lostLookUps} lookups lost, frozen ${where?.when} ${where?.step}`;
        expect([told, shownIn(world.shown()).toSorted()]).toEqual([told, ids]);
      }
    }
  });

  it('that a killed worker has claimed are posted as soon as the claim has expired, after few looks', async () => {
    let [isKilled, looks] = [false, 0];
    const world = createWorld({
      entries: idsOf(2).map(alert),
      onMoment({ step, when }) {
        if (step === 'look' && when === 'before' && isKilled) looks += 1;
        if (step !== 'sendMessage' || when === 'after' || isKilled) return;
        isKilled = true;
        throw new Crash();
      },
    });

    await world.drain();

    const [post] = world.shown();
    expect(post?.text).toBe('e0 e1');
    expect((post?.at ?? 0) - 1_000_000).toBe(13_000);
    expect(looks).toBeLessThan(20);
  });

  it('are more than a second apart', async () => {
    const world = createWorld({ entries: ['a', 'b', 'c'].map(alert) });

    await world.drain();

    const times = world.shown().map(({ at }) => at);
    for (const [index, at] of times.entries())
      if (index > 0) expect(at - (times[index - 1] ?? 0)).toBeGreaterThan(1000);
  });
});

it('sets an entry of a newer version aside, without holding up the others', async () => {
  const setAside: string[] = [];
  const posts: string[] = [];
  const world = createPostingWorld(redis(), {
    slack: {
      post: async (channel, { text }) => {
        posts.push(text);
        return { channel, ts: '1.1' };
      },
    },
    async setAside(channel, entries) {
      for (const { id } of entries) {
        setAside.push(id);
        await world.outbox.remove(channel, id);
      }
    },
  });
  await world.outbox.put('C1', { kind: 'notice', id: 'n1', message: { text: 'The next one.', blocks: [] } });
  await redis().hset(outboxKey('C1', 'entries'), 'newer', JSON.stringify({ id: 'newer', kind: 'poll' }));
  await redis().zadd(outboxKey('C1', 'queue'), 1, 'newer');

  await world.flush('C1');

  expect(setAside).toEqual(['newer']);
  expect(posts).toEqual(['The next one.']);
});

describe('a notice that no channel may show, because another company reads them all,', () => {
  const notice = OutboxEntry.parse({ kind: 'notice', id: 'audit-1', message: { text: 'By Ana.', blocks: [] } });

  it.each(['before it was posted', 'while Slack did not answer'])(
    'holds up neither alerts nor edits, and is posted once a channel may show it: shared %s',
    async (when) => {
      const posts: string[] = [];
      const shared: string[] = [];
      const world = createPostingWorld(redis(), {
        slack: {
          async post(channel, { text }) {
            if (text === 'By Ana.' && when === 'while Slack did not answer' && shared.length === 0 && !isOver) {
              shared.push(channel);
              throw new SlackError('chat.postMessage', 'unknown', 'timeout');
            }
            posts.push(text);
            return { channel, ts: `1.00000${posts.length}` };
          },
          findMessages: async () => [],
        },
        shared,
        opsChannel: 'C0ALL',
      });
      let isOver = false;
      const flush = async (): Promise<void> => {
        for (let run = 0; run < 5; run += 1) {
          await redis().del(outboxKey('C0ALL', 'paused'));
          await world.flush('C0ALL');
        }
      };
      const [first, second] = await world.entries(2);
      if (first === undefined || second === undefined) throw new Error('no entries');
      await world.outbox.put('C0ALL', first);
      await flush();
      if (when === 'before it was posted') shared.push('C0ALL');
      await world.outbox.put('C0ALL', notice);
      await redis().zadd(outboxKey('C0ALL', 'queue'), Date.now() - 60_000, notice.id);
      await world.flush('C0ALL');

      await world.askForEdits({ kind: 'alert', id: first.id });
      await world.outbox.put('C0ALL', { ...second, priority: 'fraud' });
      await flush();

      expect(posts, 'the alerts alone').toHaveLength(2);
      expect(world.updates).toHaveLength(1);
      expect(world.wakes.at(-1), 'it is tried again').toBe(10_000);
      expect(await world.outbox.waiting('C0ALL')).toBe(1);

      shared.pop();
      isOver = true;
      await flush();
      expect(posts.slice(2)).toEqual(['By Ana.']);
    },
  );
});

describe('two runs for one channel at once', () => {
  const notice = (id: string): OutboxEntry =>
    OutboxEntry.parse({ kind: 'notice', id, message: { text: id, blocks: [] } });

  /** A channel in Slack that takes this long to answer. */
  function slowWorld(answerMs: number) {
    const posts: string[] = [];
    const world = createPostingWorld(redis(), {
      slack: {
        async post(channel, { text }) {
          posts.push(text);
          await sleep(answerMs);
          return { channel, ts: `${posts.length}.1` };
        },
      },
    });
    return { ...world, posts };
  }

  it('post each message once, and neither waits longer than the channel pauses anyway', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3 }),
        fc.nat({ max: 40 }),
        fc.array(fc.nat({ max: 60 }), { minLength: 1, maxLength: 3 }),
        async (count, answerMs, startsMs) => {
          await redis().flushall();
          const world = slowWorld(answerMs);
          const ids = idsOf(count);
          for (const id of ids) await world.outbox.put('C1', notice(id));

          const others = startsMs.map(async (ms) => {
            await sleep(ms);
            return await world.flush('C1');
          });
          const waits = await Promise.all([world.flush('C1'), ...others]);

          expect(world.posts).toEqual(['e0']);
          for (const wait of waits) expect(wait ?? 0).toBeLessThanOrEqual(defaultThrottle.postMs);
        },
      ),
      { numRuns: examples(30) },
    );
  });

  it('post an alert that arrives after them as soon as the channel’s pause is over', async () => {
    const world = slowWorld(200);
    await world.outbox.put('C1', notice('first'));
    // Wakes are merged into one of them, so neither may sleep longer than the other's message needs.
    const waits = await Promise.all([world.flush('C1'), world.flush('C1')]);
    const returnedAt = performance.now();
    await world.outbox.put('C1', notice('fraud'));
    const pause = await world.outbox.pauseLeft('C1');
    const sinceMs = performance.now() - returnedAt;

    expect(Math.max(...waits.map((wait) => wait ?? 0))).toBeLessThanOrEqual(pause + sinceMs + 50);
    await sleep(pause);
    await world.flush('C1');

    expect(world.posts).toEqual(['first', 'fraud']);
  });
});
