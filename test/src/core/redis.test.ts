import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { resolve } from 'node:path';
import type { Redis } from 'ioredis';
import { expect, it, vi } from 'vitest';
import { freePort, listen } from '../../../local/port.ts';
import { startRedis } from '../../../local/redis.ts';
import { startCluster } from '../../../local/redis-cluster.ts';
import { createLog } from '../../../src/core/log.ts';
import {
  connectFailFast,
  connectPatient,
  isStoreTrouble,
  requireFittingAddress,
  whyUnusable,
} from '../../../src/core/redis.ts';
import { movingAddress } from '../../support/moving-address.ts';
import { until } from '../../support/until.ts';

/** With ioredis' default wait of up to 10 s, eight checks would not fit into the timeout of `until`. */
const ASKED_WHILE_LOADING = 8;

it.each([
  ['web', connectFailFast],
  ['worker', connectPatient],
] as const)(
  '%s reconnects soon after a Redis has loaded its files, whatever its estimate was',
  async (name, connect) => {
    let asked = 0;
    const loading = createServer((socket) => {
      socket.on('error', () => {
        // The client disconnects first.
      });
      socket.on('data', (data) => {
        for (const [, command = ''] of data.toString().matchAll(/\*\d+\r\n\$\d+\r\n(\w+)\r\n/g)) {
          if (command.toLowerCase() !== 'info') {
            socket.write('+OK\r\n');
            continue;
          }
          asked += 1;
          const info = `redis_version:7.0.15\r\nloading:${asked > ASKED_WHILE_LOADING ? 0 : 1}\r\nloading_eta_seconds:600\r\n`;
          socket.write(`$${info.length}\r\n${info}\r\n`);
        }
      });
    });
    await new Promise<void>((resolve) => void loading.listen(0, '127.0.0.1', resolve));
    const { port } = loading.address() as AddressInfo;
    const log = createLog({ level: 'silent', process: 'test' });
    const redis = connect({ urls: [`redis://127.0.0.1:${port}`], log, name });

    await until(() => redis.status === 'ready', 'the connection can be used');

    expect(asked).toBeGreaterThan(ASKED_WHILE_LOADING);
    redis.disconnect();
    loading.close();
  },
);

it.each(['127.0.0.1', 'localhost'])(
  'logs once why Redis cannot be reached at %s, without its password',
  async (host) => {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    const log = createLog({ level: 'error', process: 'test', destination });
    const redis = connectPatient({ urls: [`redis://web:hidden@${host}:1`], log, name: 'web' });
    let tried = 0;
    redis.on('error', () => {
      tried += 1;
    });

    await until(() => tried > 2, 'the connection was retried');

    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ msg: 'redis connection lost', reason: expect.stringContaining('ECONNREFUSED') }),
    ]);
    expect(lines.join()).not.toContain('hidden');
    redis.disconnect();
  },
);

it('sends the writes of one turn together and in order, even after the connection was lost', async () => {
  const log = createLog({ level: 'silent', process: 'test' });
  const server = await startRedis();
  const redis = connectPatient({ urls: [server.url], log, name: 'worker' }) as Redis;
  for (const connection of ['first', 'second']) {
    await until(() => redis.status === 'ready', `the ${connection} connection can be used`);
    const key = `together:${connection}`;
    const written = vi.spyOn(redis.stream, '_writev');

    await Promise.all(Array.from({ length: 50 }, (_, index) => redis.rpush(key, index)));

    expect(
      written.mock.calls.map(([chunks]) => chunks.length),
      `of the ${connection} connection`,
    ).toEqual([50]);
    expect(await redis.lrange(key, 0, -1)).toEqual(Array.from({ length: 50 }, (_, index) => String(index)));
    redis.stream.destroy();
    await until(() => redis.status !== 'ready', 'the connection is lost');
  }
  redis.disconnect();
  await server.stop();
});

it('says that a Redis is full, that one without a primary accepts no writes, and that a number is no database of it', async () => {
  const server = await startRedis();
  const log = createLog({ level: 'silent', process: 'test' });
  const redis = connectFailFast({ urls: [server.url], log, name: 'web' });
  await until(() => redis.status === 'ready', 'the connection can be used');
  expect(await whyUnusable(redis)).toBeNull();
  await requireFittingAddress(redis);

  await redis.config('SET', 'maxmemory', '1');
  expect(await whyUnusable(redis)).toBe('redis is full');
  await redis.config('SET', 'maxmemory', '0');

  await redis.call('REPLICAOF', '127.0.0.1', '1');
  expect(await whyUnusable(redis)).toBe('redis accepts no writes');

  const wrong = connectPatient({ urls: [`${server.url}/999`], log, name: 'web' });
  await expect(requireFittingAddress(wrong)).rejects.toThrow(/REDIS_URL: expected the number of a database/);
  wrong.disconnect();

  await server.stop();
  expect(await whyUnusable(redis)).toMatch(/redis (is not connected|does not answer)/);
  redis.disconnect();
});

it.each([
  ['web', connectFailFast],
  ['worker', connectPatient],
] as const)(
  '%s leaves a primary that became a replica for the new one, also on a copy of its connection, as BullMQ makes it',
  async (name, connect) => {
    const [former, primary] = await Promise.all([startRedis(), startRedis()]);
    const address = await movingAddress(former.port);
    const redis = connect({ urls: [address.url], log: createLog({ level: 'silent', process: 'test' }), name }) as Redis;
    const copy = redis.duplicate({ maxRetriesPerRequest: null });
    await until(() => redis.status === 'ready' && copy.status === 'ready', 'the connections can be used');
    await redis.call('REPLICAOF', '127.0.0.1', '1');
    address.leadTo(primary.port);

    for (const client of [redis, copy]) {
      await expect(client.set('key', 'not sent again')).rejects.toThrow('READONLY');
      await until(async () => (await whyUnusable(client)) === null, 'the new primary accepts writes');
      expect(await client.get('key')).toBeNull();
    }

    for (const client of [redis, copy]) client.disconnect();
    address.close();
    await Promise.all([former.stop(), primary.stop()]);
  },
);

it('a command between the end of a connection and the notice of it meets a Redis that is down', async () => {
  const server = await startRedis();
  const log = createLog({ level: 'silent', process: 'test' });
  const redis = connectFailFast({ urls: [server.url], log, name: 'web' }) as Redis;
  await until(() => redis.status === 'ready', 'the connection can be used');

  redis.stream.destroy();
  const failure: unknown = await redis.info().catch((error: unknown) => error);

  expect([redis.status, isStoreTrouble(failure)]).toEqual(['ready', true]);
  redis.disconnect();
  await server.stop();
});

it('web leaves a server that no longer answers, but not within a pause of three seconds', async () => {
  const [silent, primary] = await Promise.all([startRedis(), startRedis()]);
  const address = await movingAddress(silent.port);
  const log = createLog({ level: 'silent', process: 'test' });
  const redis = connectFailFast({ urls: [address.url], log, name: 'web' }) as Redis;
  await until(() => redis.status === 'ready', 'the connection can be used');
  await redis.set('key', 'of the silent server');
  // Like a host that lost its power: the connection stays open.
  process.kill(silent.pid, 'SIGSTOP');
  address.leadTo(primary.port);

  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const asked = redis.get('key').catch((error: Error) => error.message);
  vi.advanceTimersByTime(3000);
  const stayed = !redis.stream.destroyed;
  vi.advanceTimersByTime(2000);
  vi.useRealTimers();

  expect(stayed).toBe(true);
  await until(async () => (await whyUnusable(redis)) === null, 'the new primary accepts writes');
  expect(await redis.get('key')).toBeNull();
  expect(await asked).toBe('Command timed out');
  redis.disconnect();
  address.close();
  await Promise.all([silent.stop(), primary.stop()]);
});

it('asks the next sentinel when one takes its question and does not answer', async () => {
  const server = await startRedis();
  const silent = createServer((socket) => void socket.on('error', () => {}));
  const answering = createServer((socket) => {
    const address = `*2\r\n$9\r\n127.0.0.1\r\n$${String(server.port).length}\r\n${server.port}\r\n`;
    socket.on('error', () => {});
    socket.on('data', (data) => {
      for (const [, command = ''] of data.toString().matchAll(/\*\d+\r\n\$\d+\r\n(\w+)\r\n/g))
        socket.write(command.toLowerCase() === 'sentinel' ? address : '+OK\r\n');
    });
  });
  const redis = connectPatient({
    urls: [`redis://127.0.0.1:${await listen(silent)}`, `redis://127.0.0.1:${await listen(answering)}`],
    sentinel: { master: 'cardbell', password: undefined },
    log: createLog({ level: 'silent', process: 'test' }),
    name: 'worker',
  });

  await until(() => redis.status === 'ready', 'the connection can be used', 10_000);

  expect(await redis.set('key', 'value')).toBe('OK');
  redis.disconnect();
  silent.close();
  answering.close();
  await server.stop();
});

it('asks for two addresses of a cluster, and works with one that is given twice', async () => {
  const cluster = await startCluster(2);
  const log = createLog({ level: 'silent', process: 'test' });
  const [url = ''] = cluster.urls;
  const alone = connectPatient({ urls: [url], log, name: 'worker' });
  await expect(requireFittingAddress(alone)).rejects.toThrow(
    /REDIS_URL: expected two or more addresses, separated by commas, because this Redis is a cluster/,
  );
  alone.disconnect();

  const twice = connectPatient({ urls: [url, url], log, name: 'worker' });
  await requireFittingAddress(twice);
  const keys = Array.from({ length: 10 }, (_, index) => `key ${index}`);
  for (const key of keys) await twice.set(key, key);

  for (const key of keys) expect(await twice.get(key)).toBe(key);
  twice.disconnect();
  await cluster.stop();
});

it('reaches a cluster over TLS by the names of its servers, for which their certificates are', async () => {
  const port = await freePort();
  const [certificate, key] = ['name-only-cert.pem', 'key.pem'].map((name) => resolve(`test/fixtures/tls/${name}`)) as [
    string,
    string,
  ];
  const files = ['--tls-cert-file', certificate, '--tls-key-file', key, '--tls-ca-cert-file', certificate];
  const tls = ['--tls-port', String(port), ...files, '--tls-cluster', 'yes', '--tls-auth-clients', 'no'];
  const named = ['--cluster-preferred-endpoint-type', 'hostname', '--cluster-announce-hostname', 'localhost'];
  const cluster = await startCluster(1, [...tls, ...named]);
  const url = `rediss://localhost:${port}`;
  const redis = connectFailFast({
    urls: [url, url],
    tls: { ca: readFileSync(certificate, 'utf8'), isInsecure: false },
    log: createLog({ level: 'silent', process: 'test' }),
    name: 'web',
  });

  await until(() => redis.status === 'ready', 'the connection can be used');

  expect(await redis.set('key', 'value')).toBe('OK');
  redis.disconnect();
  await cluster.stop();
});
