import { afterEach, describe, expect, it, vi } from 'vitest';
import { type LocalRedis, startRedis } from '../../../local/redis.ts';
import { startCluster } from '../../../local/redis-cluster.ts';
import { createLog } from '../../../src/core/log.ts';
import { connectPatient, type RedisClient, whenReady } from '../../../src/core/redis.ts';
import { createRedo, type Redo } from '../../../src/core/redo.ts';
import { until } from '../../support/until.ts';

const log = createLog({ level: 'silent', process: 'test' });
let server: LocalRedis;
let redis: RedisClient;
let redo: Redo | undefined;
let losses = 0;

afterEach(async () => {
  vi.restoreAllMocks();
  redo?.stop();
  redis.disconnect();
  await server.stop();
});

/** A Redis without persistence, which loses everything on a restart. */
async function connect(): Promise<void> {
  server = await startRedis({ extraArgs: ['--appendonly', 'no'] });
  redis = connectPatient({ urls: [server.url], log, name: 'test' });
  await whenReady(redis, 5000);
}

async function start(): Promise<Redo> {
  losses = 0;
  await connect();
  redo = createRedo(redis, log, {
    onLoss: () => {
      losses += 1;
    },
  });
  // From now on it knows its server.
  await redis.ping();
  return redo;
}

let restarting = Promise.resolve();

/** One restart at a time. A concurrent one would find the server already killed and kill nothing. */
function restart(): Promise<void> {
  restarting = restarting.then(async () => {
    const { port } = server;
    await server.kill();
    server = await startRedis({ port, folder: server.folder, extraArgs: ['--appendonly', 'no'] });
  });
  return restarting;
}

/** A write like those of the stores, remembered once Redis has it. */
async function write(kept: Redo, key: string): Promise<void> {
  const again = (): Promise<unknown> => redis.set(key, 'written', 'NX');
  await again();
  kept.remember(again);
}

it('repeats the writes that a restarted Redis has lost, in order, before anything continues', async () => {
  const kept = await start();
  const order: string[] = [];
  for (const key of ['a', 'b', 'c']) {
    await write(kept, key);
    kept.remember(async () => void order.push(key));
  }

  await restart();
  await kept.settled();

  expect(await redis.mget('a', 'b', 'c')).toEqual(['written', 'written', 'written']);
  expect(order).toEqual(['a', 'b', 'c']);
  expect(losses).toBe(1);
});

it('repeats the writes of a Redis that is replaced before the first check of it is complete', async () => {
  await connect();
  let isChecking = false;
  vi.spyOn(redis, 'get').mockImplementationOnce(async () => {
    isChecking = true;
    await until(() => redis.status !== 'ready', 'Redis is down');
    throw new Error('Connection is closed.');
  });
  const kept = createRedo(redis, log);
  redo = kept;
  await until(() => isChecking, 'the check has begun');
  await write(kept, 'a');

  await restart();
  await until(async () => (await redis.get('a')) === 'written', 'the write is repeated');
});

it('repeats writes however long Redis was down', async () => {
  const kept = await start();
  await write(kept, 'a');
  const { port } = server;
  await server.kill();
  await until(() => !kept.isSettled(), 'Redis is down');
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + 20_000);
  kept.remember(async () => {});

  server = await startRedis({ port, folder: server.folder, extraArgs: ['--appendonly', 'no'] });
  await kept.settled();

  expect(await redis.get('a')).toBe('written');
});

it('repeats writes however long Redis was silent before its connection closed', async () => {
  const kept = await start();
  await write(kept, 'a');
  const { port, pid } = server;
  process.kill(pid, 'SIGSTOP');
  await until(() => !kept.isSettled(), 'Redis is silent');
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + 20_000);
  kept.remember(async () => {});

  await server.kill();
  server = await startRedis({ port, folder: server.folder, extraArgs: ['--appendonly', 'no'] });
  await kept.settled();

  expect(await redis.get('a')).toBe('written');
});

it('repeats a repeated write again if Redis comes back older once more, long after it was first written', async () => {
  const kept = await start();
  await write(kept, 'a');
  const now = performance.now.bind(performance);
  const later = vi.spyOn(performance, 'now');
  later.mockImplementation(() => now() + 10_000);
  await restart();
  await kept.settled();
  expect(await redis.get('a')).toBe('written');

  later.mockImplementation(() => now() + 20_000);
  await restart();
  await kept.settled();

  expect(await redis.get('a')).toBe('written');
});

it('waits for other processes that still repeat writes', async () => {
  const kept = await start();
  await write(kept, 'a');
  const slow = connectPatient({ urls: [server.url], log, name: 'slow' });
  await whenReady(slow, 5000);
  const other = createRedo(slow, log);
  await slow.ping();
  let isWritten = false;
  let isHeld = true;
  other.remember(async () => {
    await until(() => !isHeld, 'it may continue');
    isWritten = true;
  });

  await restart();
  await until(async () => (await redis.get('a')) === 'written', 'the first process has repeated its writes');
  await new Promise((resolve) => setTimeout(resolve, 1500));
  expect(kept.isSettled(), 'the other process has not finished').toBe(false);
  isHeld = false;
  await kept.settled();

  expect(isWritten).toBe(true);
  other.stop();
  slow.disconnect();
});

it('continues after a write that cannot be repeated', async () => {
  const kept = await start();
  kept.remember(async () => {
    throw new Error('does not fit any more');
  });
  await write(kept, 'a');

  await restart();
  await kept.settled();

  expect(await redis.get('a')).toBe('written');
});

it('repeats nothing if only the connection was lost', async () => {
  const kept = await start();
  let repeated = 0;
  kept.remember(async () => {
    repeated += 1;
  });

  redis.disconnect(true);
  await until(() => redis.status === 'ready', 'it is connected again');
  await kept.settled();

  expect([repeated, losses]).toEqual([0, 0]);
});

it('nothing continues while Redis is down', async () => {
  const kept = await start();
  const { port } = server;
  await server.kill();
  await until(() => redis.status !== 'ready', 'the connection is lost');
  let isSettled = false;
  const waiting = kept.settled().then(() => {
    isSettled = true;
  });

  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(isSettled).toBe(false);
  server = await startRedis({ port, folder: server.folder });
  await waiting;

  expect(isSettled).toBe(true);
});

it('nothing continues after a stop while Redis is down, because it would work with older data', async () => {
  const kept = await start();
  await server.kill();
  await until(() => !kept.isSettled(), 'Redis is down');
  let isSettled = false;
  void kept.settled().then(() => {
    isSettled = true;
  });

  kept.stop();
  await new Promise((resolve) => setTimeout(resolve, 100));

  expect(isSettled).toBe(false);
});

it('restarts the repetition from the beginning if Redis goes down again', async () => {
  const kept = await start();
  await write(kept, 'a');
  let isFirst = true;
  kept.remember(async () => {
    if (!isFirst) return;
    isFirst = false;
    // Observed when it happens, because it may be reconnected by the end of the restart.
    const lost = new Promise((resolve) => redis.once('close', resolve));
    await restart();
    await lost;
    throw new Error('Connection is closed.');
  });
  await write(kept, 'b');

  await restart();
  await until(async () => !isFirst && kept.isSettled(), 'all writes are repeated');

  expect(await redis.mget('a', 'b')).toEqual(['written', 'written']);
});

it('retries a write that Redis temporarily rejects', async () => {
  const kept = await start();
  let tries = 0;
  kept.remember(async () => {
    tries += 1;
    if (tries < 3) throw new Error('Command timed out');
  });

  await restart();
  await kept.settled();

  expect(tries).toBe(3);
});

it('logs why a write cannot be repeated, also while nothing continues for that reason', async () => {
  const kept = await start();
  const logged = vi.spyOn(log, 'error');
  let isRejected = true;
  kept.remember(async () => {
    if (isRejected) throw new Error('NOREPLICAS Not enough good replicas to write.');
  });

  await restart();
  await until(() => logged.mock.calls.some(([, said]) => said === 'could not repeat a lost write'), 'it is logged');
  expect(kept.isSettled()).toBe(false);
  isRejected = false;
  await kept.settled();
});

it('repeats only the latest of the writes with the same key, in its order', async () => {
  const kept = await start();
  const order: string[] = [];
  const add = (words: string, key?: string): void => kept.remember(async () => void order.push(words), key);
  add('first', 'job');
  add('other');
  add('second', 'job');

  await restart();
  await kept.settled();

  expect(order).toEqual(['other', 'second']);
});

it('remembers a write beside the many small ones of a burst', async () => {
  const kept = await start();
  await write(kept, 'a');
  let repeated = 0;
  const again = async (): Promise<void> => {
    repeated += 1;
  };
  for (let count = 0; count < 50_000; count += 1) kept.remember(again);

  await restart();
  await kept.settled();

  expect(await redis.get('a')).toBe('written');
  expect(repeated).toBe(50_000);
});

it('counts possible losses before it repeats any write', async () => {
  const kept = await start();
  const seen: number[] = [];
  kept.remember(async () => void seen.push(kept.losses()));

  await restart();
  await kept.settled();

  expect([seen, kept.losses()]).toEqual([[1], 1]);
});

describe('a server of a cluster', () => {
  const other = ['--appendonly', 'no', '--cluster-node-timeout', '1000'];

  it.each([
    ['soon', 0],
    ['after longer than writes are remembered for', 20_000],
  ])('that is killed and comes back empty %s gets its data back before anything continues', async (_when, awayMs) => {
    const cluster = await startCluster(3, other);
    // For `afterEach` to stop.
    server = await startRedis();
    redis = connectPatient({ urls: cluster.urls, log, name: 'test' });
    await whenReady(redis, 5000);
    redo = createRedo(redis, log);
    for (const key of ['a', 'b', 'c']) await write(redo, key);
    await until(async () => redo?.isSettled() === true, 'the servers are known');

    const startAgain = await cluster.killOwner('a');
    await until(() => redo?.isSettled() === false, 'the missing server is noticed');
    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + awayMs);
    redo.remember(async () => {});
    await startAgain();
    // On a busy machine a slow server may also count as down, but only briefly.
    await until(() => (redo?.losses() ?? 0) > 0, 'the new server is noticed');
    await redo.settled();

    expect(await Promise.all(['a', 'b', 'c'].map((key) => redis.get(key)))).toEqual(['written', 'written', 'written']);
    await cluster.stop();
  });
});
