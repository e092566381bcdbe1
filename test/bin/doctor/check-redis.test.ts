import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkRedis } from '../../../bin/doctor/check-redis.ts';
import { createReport } from '../../../bin/doctor/report.ts';
import { type LocalRedis, startRedis } from '../../../local/redis.ts';

let server: LocalRedis;
let admin: Redis;

beforeAll(async () => {
  server = await startRedis();
  admin = new Redis(server.url);
});
afterAll(async () => {
  admin.disconnect();
  await server.stop();
});

/** What the doctor finds with these settings of Redis. */
async function findings(settings: Readonly<Record<string, string>>, redisDurability: 'redis' | 'disk' = 'redis') {
  for (const [name, value] of Object.entries(settings)) await admin.config('SET', name, value);
  const report = createReport(
    () => {},
    (text) => text,
  );
  report.area('Redis');
  const given = { redis: { urls: [server.url] }, redisShards: 1, redisDurability, redisFullAt: 0.85 };
  await checkRedis({ ...given, auditArchive: null, isRoot: false }, report, 5000);
  return report.findings.map(({ level, what }) => `${level}: ${what}`);
}

const recommended = { 'maxmemory-policy': 'noeviction', appendonly: 'yes', appendfsync: 'everysec' };

it('finds nothing to fix with the recommended settings', async () => {
  const found = await findings(recommended);

  expect(found).toContain('ok: maxmemory-policy is noeviction, appendonly is on, appendfsync is everysec');
  expect(found.filter((text) => text.startsWith('fix'))).toEqual([]);
});

it.each([
  [{ 'maxmemory-policy': 'allkeys-lru' }, 'fix: maxmemory-policy is allkeys-lru: events can be evicted'],
  [{ appendonly: 'no' }, 'fix: appendonly is off: a restart of Redis loses events'],
  [{ appendfsync: 'no' }, 'fix: appendfsync is no: a power failure loses up to half a minute'],
])('finds each setting that the processes warn about: %j', async (setting, what) => {
  expect(await findings({ ...recommended, ...setting })).toContainEqual(expect.stringContaining(what));
});

it('finds that web would not start with REDIS_DURABILITY=disk, or that it would', async () => {
  const off = await findings({ ...recommended, appendonly: 'no' }, 'disk');
  const always = await findings({ ...recommended, appendfsync: 'always' }, 'disk');

  expect(off).toContain('fix: REDIS_DURABILITY=disk is not possible: web does not start');
  expect(always).toContain('ok: REDIS_DURABILITY=disk is possible');
});
