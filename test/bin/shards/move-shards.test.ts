import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { moveToShards } from '../../../bin/shards/move-shards.ts';
import { createEnqueue } from '../../../src/app/enqueue.ts';
import { claimFormat, readShards } from '../../../src/app/stored-format.ts';
import { intakeKey, queuePrefix, stateKey } from '../../../src/core/keys.ts';
import { closeQueues, openQueues } from '../../../src/core/queues.ts';
import { SHARDS_MAX, shardOf, shardsOf } from '../../../src/core/shards.ts';
import { burstOf } from '../../../src/intake/burst.ts';
import { createIntake, SEEN_TTL_SECONDS, seenKey } from '../../../src/intake/intake.ts';
import { createLateIntake } from '../../../src/intake/take-late.ts';
import { countEvents } from '../../../src/ops/health.ts';
import { createRecoveries } from '../../../src/recovery/recovery-store.ts';
import { read } from '../../src/webhooks/read.ts';
import { examples } from '../../support/examples.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const eventOf = (NetworkTransactionId: number) => read('decline', { NetworkTransactionId });
const openedAs = (id: string) => ({ id, userId: 'U1', isOpening: true, turn: null });
const numbers = (count: number, first = 1) => Array.from({ length: count }, (_, index) => first + index);

/** Events waiting in the inbox, some claimed by a worker that died, and jobs in every state. */
async function fill(shards: number, first = 1): Promise<void> {
  await claimFormat(redis(), shards);
  const intake = createIntake(redis(), { shards });
  for (const number of numbers(40, first)) await intake.take({ type: 'event', event: eventOf(number) });
  for (const shard of shardsOf(shards)) {
    const stream = intakeKey('webhooks', shard);
    await redis()
      .xgroup('CREATE', stream, 'relay', '0', 'MKSTREAM')
      .catch(() => {});
    await redis().xreadgroup('GROUP', 'relay', 'died', 'COUNT', 2, 'NOACK', 'STREAMS', stream, '>');
  }
  const queues = openQueues(redis(), shards);
  const enqueue = createEnqueue(queues, () => new Date());
  for (const number of numbers(40, first + 100)) {
    const delayMs = number % 4 === 0 ? { delayMs: 3_600_000 } : {};
    await enqueue('deliver-alert', eventOf(number), delayMs);
  }
  const together = numbers(3, first + 200).map((number) => ({ type: 'event', event: eventOf(number) }) as const);
  await enqueue('deliver-burst', burstOf(together));
  for (const { name, shard, queue } of queues.all) {
    if (name !== 'alerts') continue;
    // One job fails for good, and one is claimed by a worker that dies.
    const [failing, held] = await queue.getWaiting(0, 1);
    if (failing !== undefined) {
      await redis().lrem(`${queuePrefix(shard)}:alerts:wait`, 1, failing.id ?? '');
      await redis().zadd(`${queuePrefix(shard)}:alerts:failed`, Date.now(), failing.id ?? '');
      await redis().hset(`${queuePrefix(shard)}:alerts:${failing.id}`, { failedReason: 'told so', atm: 3 });
    }
    if (held !== undefined)
      await redis().lmove(`${queuePrefix(shard)}:alerts:wait`, `${queuePrefix(shard)}:alerts:active`, 'RIGHT', 'LEFT');
  }
  await closeQueues(queues);
}

/** Everything stored, in any shard: each event with the structure that holds it. */
async function inventory() {
  const found: string[] = [];
  const misplaced: string[] = [];
  const shards = await readShards(redis());
  const note = (kind: string, id: string, shard: number): void => {
    found.push(`${kind} ${id}`);
    if (shardOf(id, shards) !== shard) misplaced.push(`${kind} ${id} in ${shard}`);
  };
  for (const shard of shardsOf(SHARDS_MAX)) {
    for (const [, [, text = '']] of await redis().xrange(intakeKey('webhooks', shard), '-', '+'))
      note('entry', (JSON.parse(text) as { event: { id: string } }).event.id, shard);
    for (const key of await redis().keys(`${seenKey('', shard)}*`)) {
      expect(await redis().ttl(key)).toBeGreaterThan(SEEN_TTL_SECONDS - 60);
      note('seen', key.slice(seenKey('', shard).length), shard);
    }
    for (const queue of ['alerts', 'bursts']) {
      const key = (name: string): string => `${queuePrefix(shard)}:${queue}:${name}`;
      const waiting = [...(await redis().lrange(key('wait'), 0, -1)), ...(await redis().lrange(key('active'), 0, -1))];
      const states = {
        waiting,
        delayed: await redis().zrange(key('delayed'), '0', '-1'),
        failed: await redis().zrange(key('failed'), '0', '-1'),
      };
      for (const [state, ids] of Object.entries(states))
        for (const id of ids) {
          const { name, data, failedReason = '' } = await redis().hgetall(key(id));
          found.push(`${state} ${name} ${data?.length} ${failedReason} ${id}`);
          if (queue === 'alerts' && shardOf(id, shards) !== shard) misplaced.push(`${state} ${id} in ${shard}`);
        }
    }
  }
  expect(misplaced).toEqual([]);
  return found.toSorted();
}

/** Every shard keeps the mark that refuses whoever slept through the move. */
const without = async () =>
  (await redis().keys('{cardbell:*')).filter((key) => /:\d\d\w\w:(?:in|queue)\}:(?!shards$)/.test(key));

it.each([
  [1, 16, 4, 1],
  [16, 3, 16, 1],
  [4, 5, 2, 1],
])('loses and duplicates nothing when moving from %i to %i, %i and %i shards', async (from, ...steps) => {
  await fill(from);
  const before = await inventory();
  expect(before.filter((one) => one.startsWith('waiting')).length).toBeGreaterThan(0);

  for (const shards of steps) {
    await moveToShards(redis(), shards);
    expect(await readShards(redis())).toBe(shards);
    expect(await inventory()).toEqual(before);
  }

  expect(await without(), 'keys of removed shards').toEqual([]);
});

it('keeps the order of waiting jobs and the end of their delays', async () => {
  await claimFormat(redis());
  const queues = openQueues(redis());
  const enqueue = createEnqueue(queues, () => new Date());
  for (const number of numbers(20)) await enqueue('deliver-alert', eventOf(number));
  await enqueue('deliver-alert', eventOf(21), { delayMs: 50_000 });
  const [delayed] = await redis().zrange('{cardbell:queue}:alerts:delayed', '0', '-1', 'WITHSCORES');
  const score = await redis().zscore('{cardbell:queue}:alerts:delayed', delayed ?? '');
  await closeQueues(queues);

  await moveToShards(redis(), 4);

  for (const shard of shardsOf(4)) {
    const waiting = (await redis().lrange(`${queuePrefix(shard)}:alerts:wait`, 0, -1)).toReversed();
    const ids = numbers(20).map((number) => eventOf(number).id);
    expect(waiting).toEqual(ids.filter((id) => shardOf(id, 4) === shard));
  }
  const shard = shardOf(eventOf(21).id, 4);
  expect(await redis().zscore(`${queuePrefix(shard)}:alerts:delayed`, delayed ?? '')).toBe(score);
});

it('treats an event accepted before the move as seen, and counts it', async () => {
  await claimFormat(redis());
  await createIntake(redis()).take({ type: 'event', event: eventOf(1) });
  await moveToShards(redis(), 16);

  expect(await createIntake(redis(), { shards: 16 }).take({ type: 'event', event: eventOf(1) })).toBe('seen');

  expect(await redis().get(seenKey(eventOf(1).id, shardOf(eventOf(1).id, 16)))).toBe('2');
});

it('keeps the counts of a recovery from removed shards', async () => {
  await claimFormat(redis(), 16);
  await createLateIntake(redis(), () => true, 16).take('gap_1', numbers(50).map(eventOf));
  expect(await createRecoveries(redis(), 16).read('gap_1')).toMatchObject({ recovered: 50 });

  await moveToShards(redis(), 1);

  expect(await createRecoveries(redis()).read('gap_1')).toMatchObject({ recovered: 50 });
});

it('adds the counts of a recovery once, wherever the move is interrupted, and keeps their expiry', async () => {
  // Fewer commands do not reach these counts.
  for (let commands = 236; ; commands += 1) {
    await redis().flushall();
    await claimFormat(redis(), 3);
    await createLateIntake(redis(), () => true, 3).take('gap_1', numbers(6).map(eventOf));
    const isDone = await moveToShards(dying(commands), 1).then(
      () => true,
      () => false,
    );
    await moveToShards(redis(), 1);

    expect(await createRecoveries(redis()).read('gap_1'), `after ${commands} commands`).toMatchObject({ recovered: 6 });
    expect(await redis().ttl(intakeKey('recovery:gap_1'))).toBeGreaterThan(0);
    if (isDone) return;
  }
}, 60_000);

it('treats a click accepted before the move as seen, because clicks stay in the first shard', async () => {
  await claimFormat(redis());
  const clicks = numbers(10).map((number) => ({ type: 'home' as const, opened: openedAs(`home_${number}`) }));
  for (const click of clicks) await createIntake(redis()).take(click);

  await moveToShards(redis(), 16);

  const intake = createIntake(redis(), { shards: 16 });
  expect(new Set(await Promise.all(clicks.map((click) => intake.take(click))))).toEqual(new Set(['seen']));
});

it.each([
  [1, 16],
  [16, 4],
])('refuses what a process stores that slept through the move from %i to %i shards', async (from, to) => {
  await fill(from);
  const asleep = {
    web: createIntake(redis(), { shards: from }),
    recovery: createLateIntake(redis(), () => true, from),
  };
  const act = [
    () => asleep.web.take({ type: 'event', event: eventOf(999) }),
    () => asleep.web.take({ type: 'home', opened: openedAs('home_1') }),
    () => asleep.recovery.take('gap_1', numbers(20, 900).map(eventOf)),
  ];

  await expect(moveToShards(dying(200), to)).rejects.toThrow('killed');
  for (const store of act) await expect(store()).rejects.toThrow();
  await moveToShards(redis(), to);
  const before = await inventory();
  for (const store of act) await expect(store()).rejects.toThrow();

  expect(await inventory()).toEqual(before);
  expect(await createIntake(redis(), { shards: to }).take({ type: 'event', event: eventOf(999) })).toBe('new');
});

it('lets no process start during a move or after an interrupted one', async () => {
  await fill(1);
  await expect(moveToShards(dying(SHARDS_MAX * 2 + 3), 4)).rejects.toThrow('killed');

  for (const shards of [1, 4])
    await expect(claimFormat(redis(), shards)).rejects.toThrow(/being moved to other shards, or that was cut off/);
  await moveToShards(redis(), 4);
  await claimFormat(redis(), 4);
});

/** A Redis that becomes unreachable after the given number of commands. */
function dying(commands: number) {
  let left = commands;
  const spent = (): void => {
    left -= 1;
    if (left < 0) throw new Error('killed');
  };
  return new Proxy(redis(), {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]) => {
        spent();
        return Reflect.apply(value, target, given) as unknown;
      };
    },
  });
}

describe('a move killed at any moment', () => {
  it('continues with the same or another number of shards, and loses and duplicates nothing', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(1, 4, 16),
        fc.array(fc.tuple(fc.constantFrom(1, 2, 4, 16), fc.integer({ min: 1, max: 400 })), { maxLength: 3 }),
        fc.constantFrom(1, 4, 16),
        async (from, cutOff, to) => {
          await redis().flushall();
          await fill(from);
          const before = await inventory();
          for (const [shards, commands] of cutOff)
            await moveToShards(dying(commands), shards).catch((error: Error) => expect(error.message).toBe('killed'));
          await moveToShards(redis(), to);
          expect(await inventory()).toEqual(before);
        },
      ),
      { numRuns: examples(12) },
    );
  }, 120_000);
});

it('lets the Redis users of web and worker do their work in every shard, and the worker’s user move shards', async () => {
  const users = readFileSync('deploy/redis/users.acl', 'utf8').split('\n');
  const as = async (name: string) => {
    const [, , ...rules] = users.find((line) => line.startsWith(`user ${name} `))?.split(' ') ?? [];
    await redis().call('ACL', 'SETUSER', name, 'reset', ...rules);
    return redis().duplicate({ username: name, password: `${name.toUpperCase()}-PASSWORD` });
  };
  const [web, worker] = [await as('web'), await as('worker')];
  await fill(1);

  await moveToShards(worker, 16);
  expect(await createIntake(web, { shards: 16 }).take({ type: 'event', event: eventOf(999) })).toBe('new');
  await expect(web.lpush(`${queuePrefix(7)}:alerts:wait`, 'x')).rejects.toThrow('NOPERM');
  const queues = openQueues(web, 16);
  const counts = await Promise.all(shardsOf(16).map((shard) => countEvents(queues, ['waiting', 'delayed'], shard)));
  expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(30);

  await closeQueues(queues);
  for (const client of [web, worker]) client.disconnect();
  for (const name of ['web', 'worker']) await redis().call('ACL', 'DELUSER', name);
});

it('leaves keys that exist only in shard 0 unchanged', async () => {
  await fill(1);
  const actions = { a: intakeKey('actions'), b: stateKey('alert:1'), c: '{cardbell:queue}:outbox:wait' };
  for (const key of Object.values(actions)) await redis().set(key, 'x');

  await moveToShards(redis(), 16);

  for (const key of Object.values(actions)) expect(await redis().get(key)).toBe('x');
});
