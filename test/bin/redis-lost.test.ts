import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { listen } from '../../local/port.ts';
import { claimFormat } from '../../src/app/stored-format.ts';
import { stateKey } from '../../src/core/keys.ts';
import { urlOf, useRedis } from '../support/on-redis.ts';
import { until } from '../support/until.ts';

const redis = useRedis();
let folder = '';
const ended: (() => void)[] = [];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cardbell-lost-'));
  await claimFormat(redis());
  for (let n = 0; n < 20; n += 1) await redis().set(stateKey(`alert:${n}`), randomBytes(100_000));
});
afterEach(() => {
  for (const end of ended.splice(0)) end();
  rmSync(folder, { recursive: true });
});

/** Passes everything on to Redis until it has answered with this many bytes. Then Redis is gone, or says no more. */
async function relay(bytes: number, then: 'gone' | 'silent'): Promise<string> {
  const port = Number(new URL(await urlOf(redis())).port);
  const sockets = new Set<Socket>();
  let passed = 0;
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => {}));
    client.pipe(upstream);
    upstream.on('data', (part: Buffer) => {
      passed += part.length;
      if (passed < bytes) client.write(part);
      else if (then === 'gone') stop();
    });
  });
  function stop(): void {
    server.close();
    for (const socket of sockets) socket.destroy();
  }
  ended.push(stop);
  return `redis://127.0.0.1:${await listen(server)}`;
}

function backUp(REDIS_URL: string) {
  const env = { PATH: process.env['PATH'], REDIS_URL };
  const child = spawn(process.execPath, ['dist/bin/backup.js', join(folder, 'one.backup')], { env });
  ended.push(() => child.kill('SIGKILL'));
  return { child, closed: once(child, 'close'), err: text(child.stderr) };
}

it('a backup during which Redis dies ends with 69, says so, and leaves no file', async () => {
  const { closed, err } = backUp(await relay(1_000_000, 'gone'));
  const [code] = await closed;

  expect(code).toBe(69);
  expect(await err).toMatch(/^Redis no longer answers\. .*again.*\n$/);
  expect(readdirSync(folder)).toEqual([]);
});

it.each(['SIGINT', 'SIGTERM'] as const)('a backup that gets %s leaves no file', async (signal) => {
  const { child, closed } = backUp(await relay(1_000_000, 'silent'));
  await until(() => readdirSync(folder).length > 0, 'the file is begun');
  child.kill(signal);

  expect(await closed).toEqual([null, signal]);
  expect(readdirSync(folder)).toEqual([]);
});
