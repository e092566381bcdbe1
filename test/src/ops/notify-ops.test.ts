import { describe, expect, it } from 'vitest';
import { createLog } from '../../../src/core/log.ts';
import { createNotifyOps, createOpsMemory, type OpsIssue } from '../../../src/ops/notify-ops.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();

describe('an ops issue', () => {
  const resolved = { what: 'Nothing waits any more.', means: 'Alerts come at once again.' };
  const issue: OpsIssue = { cause: 'lag', title: 'Alerts wait', what: 'a', means: 'b', todo: 'c', resolved };

  function setUp(memory = createOpsMemory(redis())) {
    const posted: [id: string, title: string, isResolved: boolean, todo: string | null, what: string][] = [];
    let nowMs = Date.parse('2026-11-20T15:00:00.000Z');
    const { notifyOps, notifyResolved } = createNotifyOps({
      memory,
      post: async (id, { text }) =>
        void posted.push([id, ...(JSON.parse(text) as [string, boolean, string | null, string])]),
      render: ({ title, todo, what }, isResolved) => ({
        text: JSON.stringify([title, isResolved, todo, what]),
        blocks: [],
      }),
      now: () => new Date(nowMs),
      log: createLog({ level: 'silent', process: 'test' }),
    });
    return { notifyOps, notifyResolved, posted, advance: (ms: number) => (nowMs += ms) };
  }

  it('is reported once while it is open, even across workers', async () => {
    const world = setUp();
    await world.notifyOps(issue);
    await world.notifyOps(issue);
    await setUp().notifyOps(issue);

    expect(world.posted).toMatchObject([[expect.stringMatching(/^ops_/), 'Alerts wait', false, 'c', 'a']]);
  });

  it('is tracked separately for each cause', async () => {
    const world = setUp();
    await world.notifyOps(issue);
    await world.notifyOps({ ...issue, cause: 'card-token' });

    expect(world.posted).toHaveLength(2);
  });

  it.each([
    ['an hour', 3_600_000],
    ['a minute', 60_000],
  ])('is reported as resolved once, and may open again after %s', async (_when, ms) => {
    const world = setUp();
    await world.notifyOps(issue);
    await world.notifyResolved(issue);
    await world.notifyResolved(issue);
    world.advance(ms);
    await world.notifyOps(issue);
    await world.notifyOps(issue);

    expect(world.posted.map(([, , isResolved, todo, what]) => [isResolved, todo, what])).toEqual([
      [false, 'c', 'a'],
      [true, null, resolved.what],
      [false, 'c', 'a'],
    ]);
    expect(new Set(world.posted.map(([id]) => id)).size, 'each has its own id').toBe(3);
  });

  it('is reported as resolved in one message, also when it is not noted that it was posted', async () => {
    const killed = { ...createOpsMemory(redis()), end: () => Promise.reject(new Error('killed')) };
    const world = setUp(killed);
    await world.notifyOps(issue);
    await expect(world.notifyResolved(issue)).rejects.toThrow('killed');
    world.advance(60_000);
    await expect(world.notifyResolved(issue)).rejects.toThrow('killed');

    expect(new Set(world.posted.map(([id]) => id)).size, 'the issue and its end').toBe(2);
  });

  it('is reported in one message when it opens, also when it is not noted that it was posted', async () => {
    const world = setUp({ ...createOpsMemory(redis()), remember: () => Promise.reject(new Error('killed')) });
    await expect(world.notifyOps(issue)).rejects.toThrow('killed');
    world.advance(60_000);
    await expect(world.notifyOps(issue)).rejects.toThrow('killed');

    expect(new Set(world.posted.map(([id]) => id)).size).toBe(1);
  });

  it('is not reported as resolved if it was never reported', async () => {
    const world = setUp();
    await world.notifyResolved(issue);

    expect(world.posted).toEqual([]);
  });

  it('is reported again after a day if still open, and its end however long it lasted', async () => {
    const world = setUp();
    for (let hour = 0; hour < 72; hour += 1) {
      await world.notifyOps(issue);
      world.advance(3_600_000);
    }
    world.advance(72 * 3_600_000);
    await world.notifyResolved(issue);

    expect(world.posted.map(([, , isResolved]) => isResolved)).toEqual([false, false, false, true]);
    const [key = ''] = await redis().keys('*ops-issue*');
    expect(await redis().ttl(key), 'it is not kept for good').toBeLessThanOrEqual(7 * 24 * 3600);
    expect(await redis().ttl(key)).toBeGreaterThan(6 * 24 * 3600);
  });
});
