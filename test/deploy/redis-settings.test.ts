import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, expect, it } from 'vitest';
import { startRedis } from '../../local/redis.ts';
import { problemsOf, readSettings } from '../../src/intake/durability.ts';

const folder = mkdtempSync(join(tmpdir(), 'cardbell-redis-conf-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('Redis starts with the settings of the installation guide as they are written there', async () => {
  const [, settings = ''] =
    /settings matter:\n\n```\n([^`]+)```/.exec(readFileSync('docs/install/README.md', 'utf8')) ?? [];
  expect(settings).toContain('appendonly');
  const file = join(folder, 'redis.conf');
  writeFileSync(file, settings);

  const server = await startRedis({ extraArgs: ['--appendonly', 'no', '--appendfsync', 'no', '--include', file] });
  const redis = new Redis(server.url);
  const found = await readSettings(redis);
  redis.disconnect();
  await server.stop();

  expect(problemsOf(found)).toEqual([]);
  expect(found.map(({ fsync }) => fsync)).toEqual(['always']);
});
