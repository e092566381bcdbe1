import { describe, expect, it } from 'vitest';
import { CardApiError, SlackError } from '../../../src/core/errors.ts';
import { createLog } from '../../../src/core/log.ts';
import { createOpsMemory, type OpsIssue } from '../../../src/ops/notify-ops.ts';
import { opsUnreachable } from '../../../src/ops/refused-messages.ts';
import { createTokenWatch, isCardTokenDead, isSlackTokenDead, watchSlack } from '../../../src/ops/watch-token.ts';
import { useRedis } from '../../support/on-redis.ts';
import { until } from '../../support/until.ts';

const redis = useRedis();

const dead = new Error('token dead');
const issue: OpsIssue = { cause: 'card-token', title: 'a', what: 'b', means: 'c', todo: 'd' };

const world = () => {
  const told: string[] = [];
  let fails: Error | null = null;
  let atMs = 0;
  const memory = {
    noticeAgain: async () => false,
    async lastNoticed(): Promise<string> {
      told.push('still alive');
      throw new Error('Redis is away');
    },
  };
  const notifyResolved = async (): Promise<void> => void told.push('alive');
  const watchFor = createTokenWatch({ memory, notifyResolved, now: () => new Date() }, () => atMs);
  const client = watchFor(
    issue,
    {
      async read(id: number): Promise<string> {
        if (fails !== null) throw fails;
        return `card ${id}`;
      },
    },
    { isDead: (error) => error === dead, first: async () => void told.push('dead') },
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

    for (let minute = 0; minute < 32; minute += 1) {
      advance(61);
      await call.later();
    }

    await until(() => told.length === 2, 'the resolution is reported');
    expect(told).toEqual(['dead', 'works again']);
    await until(async () => !(await memory.isKnown(issue)), 'it is over');
  });

  it.each([
    ['every minute', 61],
    ['rarely, at low traffic', 20 * 60],
  ])('does not work again while one of them finds it dead %s, and ops are told once', async (_often, seconds) => {
    const { call, told, advance } = await rotation();

    for (let round = 0; round < 10; round += 1) {
      await call.former();
      advance(seconds);
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

  it('is reported each day while it is dead', async () => {
    const { call, told, advance } = await rotation();

    for (let hour = 0; hour < 71; hour += 1) {
      advance(3600);
      await call.former();
    }

    expect(told).toEqual(['dead', 'dead', 'dead']);
  });
});

describe('posts in the ops channel', () => {
  async function refused(code: ConstructorParameters<typeof SlackError>[1], slackError: string, fallback = 'C0OPS') {
    const memory = createOpsMemory(redis());
    let fails = true;
    const client = {
      async post(channel: string): Promise<string> {
        if (fails) throw new SlackError('chat.postMessage', code, slackError);
        return channel;
      },
    };
    const told: string[] = [];
    const now = (): Date => new Date();
    const notifyResolved = async ({ cause }: OpsIssue): Promise<void> => void told.push(cause);
    const slack = watchSlack(client, createTokenWatch({ memory, notifyResolved, now }), {
      channels: { ops: 'C0OPS', fallback },
      memory,
      now,
      log: createLog({ level: 'silent', process: 'test' }),
    });
    const isUnreachable = () => memory.isKnown(opsUnreachable);
    return { slack, isUnreachable, told, fix: () => (fails = false) };
  }

  it.each([
    ['a missing scope', 'app_refused', 'missing_scope', 'C0ALL', true],
    ['a proxy', 'app_refused', 'http_403', 'C0ALL', true],
    ['an archived channel without another one', 'channel_unusable', 'is_archived', 'C0OPS', true],
    ['a channel whose messages go elsewhere', 'channel_unusable', 'is_archived', 'C0ALL', false],
    ['a dead token, which has its own report', 'app_refused', 'invalid_auth', 'C0ALL', false],
    ['a rate limit', 'rate_limited', 'ratelimited', 'C0ALL', false],
  ] as const)('refused because of %s', async (_what, code, slackError, fallback, isReported) => {
    const { slack, isUnreachable } = await refused(code, slackError, fallback);

    await expect(slack.post('C0OPS')).rejects.toThrow(slackError);

    expect(await isUnreachable()).toBe(isReported);
  });

  it.each([
    ['C0OPS', 'C0ALL'],
    ['C0ALL', 'C0OPS'],
  ])('refused in %s and then in %s, where they could go, are reported until one of the two works', async (...both) => {
    const { slack, isUnreachable, told, fix } = await refused('channel_unusable', 'is_archived', 'C0ALL');
    const [one, other] = both;
    await expect(slack.post(one)).rejects.toThrow('is_archived');
    expect(await isUnreachable()).toBe(false);
    await expect(slack.post(other)).rejects.toThrow('is_archived');
    expect(await isUnreachable()).toBe(true);
    fix();

    await slack.post('C1');
    expect(told).not.toContain('ops-channel');
    await slack.post('C0ALL');

    expect(told).toContain('ops-channel');
  });

  it('are not judged by other channels, and are reported when they work again', async () => {
    const { slack, isUnreachable, told, fix } = await refused('app_refused', 'missing_scope');
    await expect(slack.post('C1')).rejects.toThrow('missing_scope');
    expect(await isUnreachable()).toBe(false);
    await expect(slack.post('C0OPS')).rejects.toThrow('missing_scope');
    fix();

    await slack.post('C1');
    expect(told).not.toContain('ops-channel');
    await slack.post('C0OPS');

    expect(told).toContain('ops-channel');
  });
});
