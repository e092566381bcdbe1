import { describe, expect, it } from 'vitest';
import { CardApiError, SlackError } from '../../../src/core/errors.ts';
import { createLog } from '../../../src/core/log.ts';
import {
  createNotifyOps,
  createOpsMemory,
  createTokenWatch,
  isCardTokenDead,
  isSlackTokenDead,
  type OpsIssue,
  watchToken,
} from '../../../src/ops/notify-ops.ts';
import { useRedis } from '../../support/on-redis.ts';
import { until } from '../../support/until.ts';

const redis = useRedis();

const dead = new Error('token dead');
const world = () => {
  const told: string[] = [];
  let fails: Error | null = null;
  let atMs = 0;
  const client = watchToken(
    {
      async read(id: number): Promise<string> {
        if (fails !== null) throw fails;
        return `card ${id}`;
      },
    },
    {
      isDead: (error) => error === dead,
      dead: async () => void told.push('dead'),
      alive: async () => void told.push('alive'),
      stillAlive: async () => {
        told.push('still alive');
        throw new Error('Redis is away');
      },
    },
    () => atMs,
  );
  return { client, told, fail: (error: Error | null) => (fails = error), advance: (ms: number) => (atMs += ms) };
};

describe('a watched client', () => {
  it("returns the client's results, and reports once that the token works", async () => {
    const { client, told } = world();

    expect(await client.read(7)).toBe('card 7');
    await client.read(8);

    expect(told).toEqual(['alive']);
  });

  it('reports at most once a minute that the token still works, and does not depend on that report', async () => {
    const { client, told, advance } = world();
    for (const ms of [0, 59_000, 1000, 59_000, 1000]) {
      advance(ms);
      expect(await client.read(7)).toBe('card 7');
    }

    expect(told).toEqual(['alive', 'still alive', 'still alive']);
  });

  it("rethrows the client's errors, and reports a dead token and its recovery", async () => {
    const { client, told, fail } = world();
    await client.read(7);
    fail(dead);
    await expect(client.read(7)).rejects.toBe(dead);
    fail(null);
    await client.read(7);

    expect(told).toEqual(['alive', 'dead', 'alive']);
  });

  it('reports no other failures', async () => {
    const { client, told, fail } = world();
    fail(new Error('timeout'));

    await expect(client.read(7)).rejects.toThrow('timeout');

    expect(told).toEqual([]);
  });
});

it('recognizes a dead card API token by its code, and a dead Slack token by its error', () => {
  const cardApi = (code: 'token_dead' | 'unavailable') =>
    new CardApiError('x', { operation: 'getAccount', status: 401, outcome: 'refused', code, apiMessage: null });

  expect([isCardTokenDead(cardApi('token_dead')), isCardTokenDead(cardApi('unavailable'))]).toEqual([true, false]);
  expect([isSlackTokenDead(dead), isCardTokenDead(dead)]).toEqual([false, false]);
  for (const [word, expected] of [
    ['token_revoked', true],
    ['invalid_auth', true],
    ['channel_not_found', false],
  ] as const) {
    expect(isSlackTokenDead(new SlackError('chat.postMessage', 'refused', word)), word).toBe(expected);
  }
});

describe('a token that several processes use', () => {
  const issue: OpsIssue = { cause: 'card-token', title: 'a', what: 'b', means: 'c', todo: 'd' };

  /** A process with the former token, and one with the new one. Both have been called. */
  async function rotation() {
    const memory = createOpsMemory(redis());
    const told: string[] = [];
    let nowMs = Date.parse('2026-11-20T15:00:00.000Z');
    const now = (): Date => new Date(nowMs);
    async function notifyResolved(): Promise<void> {
      const since = await memory.knownSince(issue);
      if (since === null) return;
      told.push('works again');
      await memory.end(issue, since);
    }
    const openProcess = (read: () => Promise<string>) =>
      createTokenWatch({ memory, notifyResolved, now }, () => nowMs)(
        issue,
        { read },
        {
          isDead: (error) => error === dead,
          async first() {
            told.push('dead');
            await memory.remember(issue, now().toISOString());
          },
        },
      );
    const former = openProcess(() => Promise.reject(dead));
    const later = openProcess(async () => 'card');
    const call = {
      former: () => expect(former.read()).rejects.toBe(dead),
      async later(): Promise<void> {
        await later.read();
        // Its report is not awaited.
        await redis().ping();
        await redis().ping();
      },
    };
    await call.later();
    await call.former();
    return { call, told, memory, advance: (seconds: number) => (nowMs += seconds * 1000) };
  }

  it('works again when one can use it and none finds it dead any more', async () => {
    const { call, told, advance, memory } = await rotation();

    for (let minute = 0; minute < 4; minute += 1) {
      advance(61);
      await call.later();
    }

    await until(() => told.length === 2, 'the resolution is reported');
    expect(told).toEqual(['dead', 'works again']);
    await until(async () => !(await memory.isKnown(issue)), 'it is over');
  });

  it('does not work again while one of them finds it dead, and ops are told once', async () => {
    const { call, told, advance } = await rotation();

    for (let minute = 0; minute < 10; minute += 1) {
      await call.former();
      advance(61);
      await call.later();
    }

    expect(told).toEqual(['dead']);
  });

  it('is reported again after a day if it is still dead', async () => {
    const { call, advance } = await rotation();
    const [key = ''] = await redis().keys('*ops-issue*');
    await redis().expire(key, 60);
    advance(3600);

    await call.former();

    expect(await redis().ttl(key)).toBeLessThanOrEqual(60);
  });
});

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

  it('is reported again after a day if still open', async () => {
    await setUp().notifyOps(issue);

    const [key = ''] = await redis().keys('*ops-issue*');
    expect(await redis().ttl(key)).toBeGreaterThan(24 * 3600 - 60);
    expect(await redis().ttl(key)).toBeLessThanOrEqual(24 * 3600);
  });
});
