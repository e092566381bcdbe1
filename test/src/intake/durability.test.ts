import type { Redis } from 'ioredis';
import { expect, it, vi } from 'vitest';
import { startRedis } from '../../../local/redis.ts';
import { ConfigError } from '../../../src/core/errors.ts';
import { createLog } from '../../../src/core/log.ts';
import { connectFailFast, type RedisClient, whenReady } from '../../../src/core/redis.ts';
import {
  answersTooSoon,
  diskWaitOf,
  problemsOf,
  type RedisSettings,
  watchDurability,
} from '../../../src/intake/durability.ts';
import { createIntake } from '../../../src/intake/intake.ts';
import { until } from '../../support/until.ts';
import { read } from '../webhooks/read.ts';

const good: RedisSettings = { version: '7.0.15', policy: 'noeviction', isAppendOnly: true, fsync: 'everysec' };

it.each<[string, Partial<RedisSettings>, RegExp | null]>([
  ['with the right settings', {}, null],
  ['that syncs every write', { fsync: 'always' }, null],
  ['evicting', { policy: 'allkeys-lru' }, /maxmemory-policy is allkeys-lru/],
  ['without an append-only file', { isAppendOnly: false }, /appendonly is off/],
  ['never synced', { fsync: 'no' }, /appendfsync is no/],
  [
    'that hides its settings',
    { policy: null, isAppendOnly: null, fsync: null },
    /does not report its maxmemory-policy/,
  ],
])('Redis %s: %s', (_what, settings, said) => {
  const problems = problemsOf([{ ...good, ...settings }]);

  expect(problems.map(({ what }) => what).join('; ')).toMatch(said ?? /^$/);
  for (const { todo } of problems) expect(todo).toMatch(/noeviction|appendonly|appendfsync/);
});

it('reports the same problem of three servers once', () => {
  const bad = { ...good, policy: 'volatile-lru' };
  expect(problemsOf([bad, bad, bad])).toHaveLength(1);
});

it.each<[string, Partial<RedisSettings>, boolean, string]>([
  ['any version that syncs every write', { fsync: 'always' }, false, 'fsync-always'],
  ['a cluster that syncs every write', { fsync: 'always' }, true, 'fsync-always'],
  ['new enough for WAITAOF', { version: '7.2.0' }, false, 'waitaof'],
  ['newer still', { version: '8.0.1', fsync: null }, false, 'waitaof'],
])('can wait for the disk if Redis is %s', (_what, settings, isCluster, how) => {
  expect(diskWaitOf('disk', [{ ...good, ...settings }], isCluster)).toBe(how);
});

it.each<[string, Partial<RedisSettings>, boolean]>([
  ['too old for WAITAOF', {}, false],
  ['new enough, but without an append-only file', { version: '7.2.0', isAppendOnly: false }, false],
  ['a cluster that syncs once a second', { version: '7.2.0' }, true],
  ['old and hides its settings', { fsync: null }, false],
])('throws a ConfigError instead of promising to wait for the disk if Redis is %s', (_what, settings, isCluster) => {
  expect(() => diskWaitOf('disk', [{ ...good, ...settings }], isCluster)).toThrow(ConfigError);
  expect(diskWaitOf('redis', [{ ...good, ...settings }], isCluster)).toBe('none');
});

it.each<[string, number[], boolean]>([
  ['waits for the next sync', [1, 0], false],
  ['was slow twice, so that the next sync was due at once', [1, 1, 1, 1, 1, 0], false],
  ['never acknowledges', [0], false],
  ['always acknowledges at once', [1, 1, 1, 1, 1, 1], true],
])('a server whose disk %s: %j', async (_what, answers, isTooSoon) => {
  const left = [...answers];
  const { client } = newerRedis(async () => [left.shift() ?? 0, 0]);

  expect(await answersTooSoon(client)).toBe(isTooSoon);
});

/** Simulates the part of a newer Redis that the intake uses, because the local Redis may lack WAITAOF. */
function newerRedis(synced: () => Promise<[number, number]>): { client: RedisClient; calls: string[] } {
  const calls: string[] = [];
  const client = {
    status: 'ready',
    defineCommand: () => {},
    async 'intake/take'(...args: unknown[]) {
      calls.push('take');
      return Array(Number(args[0]) - 1).fill(1);
    },
    async set() {
      calls.push('mark');
      return 'OK';
    },
    async call(name: string) {
      calls.push(name);
      return await synced();
    },
  };
  return { client: client as unknown as RedisClient, calls };
}

it('acknowledges an event only after the disk sync; events that arrive meanwhile share the next WAITAOF', async () => {
  const questions: (() => void)[] = [];
  const { client, calls } = newerRedis(() => new Promise((resolve) => questions.push(() => resolve([1, 0]))));
  const intake = createIntake(client, { diskWait: () => 'waitaof' });
  const taken: number[] = [];
  const take = (id: number): void => {
    const event = read('decline', { NetworkTransactionId: id });
    void intake.take({ type: 'event', event }).then(() => taken.push(id));
  };

  take(1);
  await until(() => questions.length === 1, 'the first WAITAOF is sent');
  take(2);
  take(3);
  expect(taken).toEqual([]);
  questions[0]?.();
  await until(() => questions.length === 2, 'the other two share one WAITAOF');
  expect(taken).toEqual([1]);
  questions[1]?.();
  await until(() => taken.length === 3, 'all are acknowledged');

  expect(calls).toEqual(['take', 'mark', 'WAITAOF', 'take', 'mark', 'WAITAOF']);
});

it('refuses an event whose disk sync takes too long', async () => {
  const { client } = newerRedis(async () => [0, 0]);
  const intake = createIntake(client, { diskWait: () => 'waitaof' });

  await expect(intake.take({ type: 'event', event: read('decline') })).rejects.toThrow('did not acknowledge');
});

it('refuses everything while disk sync is required but unavailable', async () => {
  const { client, calls } = newerRedis(async () => [1, 0]);
  const intake = createIntake(client, { diskWait: () => null });

  await expect(intake.take({ type: 'event', event: read('decline') })).rejects.toThrow('cannot wait for its disk');
  expect(calls).toEqual([]);
});

it('waits for the disk again after the settings could not be read once, at startup or after a reconnect', async () => {
  const server = await startRedis({ extraArgs: ['--appendfsync', 'always'] });
  const log = createLog({ level: 'silent', process: 'test' });
  const redis = connectFailFast({ urls: [server.url], log, name: 'web' }) as Redis;
  const info = redis.info.bind(redis);
  let failures = 0;
  // The client itself asks without a section.
  vi.spyOn(redis, 'info').mockImplementation(async (...asked: unknown[]) => {
    if (asked[0] !== 'server' || failures === 0) return await info(...(asked as string[]));
    failures -= 1;
    throw new Error('Command timed out');
  });
  await whenReady(redis, 10_000);

  failures = 1;
  const diskWait = await watchDurability(redis, { wanted: 'disk', log });
  expect(diskWait()).toBeNull();
  await until(() => diskWait() === 'fsync-always', 'the settings are read again');
  failures = 1;
  redis.stream.destroy();
  await until(() => diskWait() === null, 'the settings could not be read');

  await until(() => diskWait() === 'fsync-always', 'the settings are read again after the reconnect');
  redis.disconnect();
  await server.stop();
});
