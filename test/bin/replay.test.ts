import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { type LocalRedis, startRedis } from '../../local/redis.ts';
import { QuarantinedWebhook } from '../../src/core/event.ts';
import { createQuarantineStore } from '../../src/webhooks/quarantine.ts';

const webhook = QuarantinedWebhook.parse({
  id: 'q_1',
  path: 'decline',
  issues: ['does not fit'],
  body: {},
  version: null,
  receivedAt: new Date().toISOString(),
});

/** Kills Redis and starts it again with its files of an earlier time. */
async function rewind(redis: LocalRedis, older: string): Promise<LocalRedis> {
  const files = join(redis.folder, 'appendonlydir');
  await redis.kill();
  await rm(files, { recursive: true });
  await cp(older, files, { recursive: true });
  return await startRedis({ port: redis.port, folder: redis.folder });
}

it('what was discarded stays discarded and on record if Redis comes back from before that', async () => {
  const redis = await startRedis({ extraArgs: ['--appendfsync', 'always'] });
  const store = new Redis(redis.url, { retryStrategy: () => 50 });
  store.on('error', () => {
    // Redis is killed on purpose.
  });
  const quarantine = createQuarantineStore(store);
  await quarantine.keep(webhook);
  const older = join(redis.folder, 'older');
  await cp(join(redis.folder, 'appendonlydir'), older, { recursive: true });

  const env = { REDIS_URL: redis.url, CARD_API_TOKEN: 'a-token-that-is-long-enough', ALERTS_CHANNEL: 'C0ALERTS' };
  const command = ['dist/bin/replay.js', 'discard', 'q_1', '--reason', 'a test'];
  const replay = spawn(process.execPath, command, { env: { PATH: process.env.PATH, ...env } });
  const ended = once(replay, 'close');
  const [said] = await once(replay.stdout, 'data');
  expect(String(said)).toContain('discarded');
  const again = await rewind(redis, older);
  const [code] = await ended;

  expect(code).toBe(0);
  expect(await quarantine.get('q_1')).toBeNull();
  expect(await quarantine.count()).toBe(0);
  expect(await store.lrange('{cardbell:audit}:chain', 0, -1)).toEqual([expect.stringContaining('"discard"')]);
  store.disconnect();
  await again.stop();
});
