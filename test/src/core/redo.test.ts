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

/** A Redis that keeps nothing: whenever it is restarted, it has lost everything. */
async function start(): Promise<Redo> {
  losses = 0;
  server = await startRedis({ extraArgs: ['--appendonly', 'no'] });
  redis = connectPatient({ urls: [server.url], log, name: 'test' });
  await whenReady(redis, 5000);
  redo = createRedo(redis, log, {
    onLoss: () => {
      losses += 1;
    },
  });
  // It knows its server now.
  await redis.ping();
  return redo;
}

let restarting = Promise.resolve();

/** One restart at a time: a second one would find the server that the first has already killed, and kill nothing. */
function restart(): Promise<void> {
  restarting = restarting.then(async () => {
    const { port } = server;
    await server.kill();
    server = await startRedis({ port, extraArgs: ['--appendonly', 'no'] });
  });
  return restarting;
}

/** A write as the stores make it: remembered once Redis has it. */
async function write(kept: Redo, key: string): Promise<void> {
  const again = (): Promise<unknown> => redis.set(key, 'written', 'NX');
  await again();
  kept.remember(again);
}

it('writes again what a Redis has lost that was restarted, in order, before anything goes on', async () => {
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

it('writes it again however long Redis took to come back', async () => {
  const kept = await start();
  await write(kept, 'a');
  const { port } = server;
  await server.kill();
  await until(() => !kept.isSettled(), 'Redis is away');
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + 20_000);
  kept.remember(async () => {});

  server = await startRedis({ port, extraArgs: ['--appendonly', 'no'] });
  await kept.settled();

  expect(await redis.get('a')).toBe('written');
});

it('waits for whoever has more to write again', async () => {
  const kept = await start();
  await write(kept, 'a');
  const slow = connectPatient({ urls: [server.url], log, name: 'slow' });
  await whenReady(slow, 5000);
  const other = createRedo(slow, log);
  await slow.ping();
  let isWritten = false;
  let isHeld = true;
  other.remember(async () => {
    await until(() => !isHeld, 'it may go on');
    isWritten = true;
  });

  await restart();
  await until(async () => (await redis.get('a')) === 'written', 'one has written its own again');
  await new Promise((resolve) => setTimeout(resolve, 1500));
  expect(kept.isSettled(), 'the other one has not').toBe(false);
  isHeld = false;
  await kept.settled();

  expect(isWritten).toBe(true);
  other.stop();
  slow.disconnect();
});

it('goes on after a write that cannot be repeated', async () => {
  const kept = await start();
  kept.remember(async () => {
    throw new Error('does not fit any more');
  });
  await write(kept, 'a');

  await restart();
  await kept.settled();

  expect(await redis.get('a')).toBe('written');
});

it('writes nothing again when only the connection was lost', async () => {
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

it('nothing goes on while Redis is away', async () => {
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
  server = await startRedis({ port });
  await waiting;

  expect(isSettled).toBe(true);
});

it('what Redis interrupts by going away again is written again from the start', async () => {
  const kept = await start();
  await write(kept, 'a');
  let isFirst = true;
  kept.remember(async () => {
    if (!isFirst) return;
    isFirst = false;
    // Seen as it happens: by the end of the restart it may be connected again.
    const lost = new Promise((resolve) => redis.once('close', resolve));
    await restart();
    await lost;
    throw new Error('Connection is closed.');
  });
  await write(kept, 'b');

  await restart();
  await until(async () => !isFirst && kept.isSettled(), 'it is all written');

  expect(await redis.mget('a', 'b')).toEqual(['written', 'written']);
});

it('a write that Redis does not take for a moment is tried again', async () => {
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

it('of writes with the same key the latest is repeated, in its place', async () => {
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

it('says how often something may have been lost, from before anything is written again', async () => {
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
  ])('that is killed and comes back empty %s gets what it had: nothing goes on meanwhile', async (_when, awayMs) => {
    const cluster = await startCluster(3, other);
    // For what `afterEach` stops.
    server = await startRedis();
    redis = connectPatient({ urls: cluster.urls, log, name: 'test' });
    await whenReady(redis, 5000);
    redo = createRedo(redis, log);
    for (const key of ['a', 'b', 'c']) await write(redo, key);
    await until(async () => redo?.isSettled() === true, 'it knows its servers');

    const startAgain = await cluster.killOwner('a');
    await until(() => redo?.isSettled() === false, 'it is noticed that a server is away');
    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + awayMs);
    redo.remember(async () => {});
    await startAgain();
    // On a busy machine a server that is only slow counts as away as well, and that is over at once.
    await until(() => (redo?.losses() ?? 0) > 0, 'it is noticed that the server is another one');
    await redo.settled();

    expect(await Promise.all(['a', 'b', 'c'].map((key) => redis.get(key)))).toEqual(['written', 'written', 'written']);
    await cluster.stop();
  });
});
