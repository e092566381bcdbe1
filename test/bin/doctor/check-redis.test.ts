import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkRedis } from '../../../bin/doctor/check-redis.ts';
import { createReport } from '../../../bin/doctor/report.ts';
import { type LocalRedis, startRedis } from '../../../local/redis.ts';
import { stateKey, webKeys } from '../../../src/core/keys.ts';
import { createWorkers } from '../../../src/ops/health.ts';

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

/** Web and a worker that have just reported. */
async function beat(): Promise<void> {
  await admin.set(webKeys.alive, Date.now());
  await createWorkers(admin).beat('one', { isCardApiAway: false });
}

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
  await beat();
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

describe('which processes use this Redis', () => {
  beforeEach(async () => {
    await admin.flushall();
    await beat();
  });

  it('names those that run', async () => {
    const found = await findings(recommended);

    expect(found).toContain('ok: web uses this Redis');
    expect(found).toContain('ok: 1 worker on this Redis');
  });

  it('is to be fixed when no worker runs, and what waits is posted once one does', async () => {
    await admin.del(stateKey('workers'));

    expect(await findings(recommended)).toEqual(
      expect.arrayContaining([
        'ok: web uses this Redis',
        'fix: no worker uses this Redis: alerts are not posted, and commands and clicks do nothing',
        'ok: once a worker runs, what waits is posted at once',
      ]),
    );
  });

  it.each([
    ['has never run', null],
    ['was killed a minute ago', 60_000],
  ])('is to be fixed when web %s', async (_when, agoMs) => {
    if (agoMs === null) await admin.del(webKeys.alive);
    else await admin.set(webKeys.alive, Date.now() - agoMs);

    expect(await findings(recommended)).toContain(
      'fix: no web process uses this Redis: webhooks, commands and clicks do not arrive',
    );
  });

  it('cannot be told when Redis takes no writes, as the beats are writes', async () => {
    await admin.flushall();
    await admin.config('SET', 'min-replicas-to-write', '1');

    const found = await findings(recommended);
    await admin.config('SET', 'min-replicas-to-write', '0');

    expect(found.filter((text) => text.startsWith('fix'))).toEqual(['fix: Redis accepts no writes']);
  });

  it('cannot be told when Redis is full, and only its memory is to be fixed', async () => {
    await admin.flushall();
    await admin.config('SET', 'maxmemory', '1mb');

    const found = await findings(recommended);
    await admin.config('SET', 'maxmemory', '0');

    expect(found.filter((text) => text.startsWith('fix'))).toEqual([
      expect.stringMatching(/^fix: uses \d+ MB of 1 MB$/),
      expect.stringMatching(/^fix: will use \d+ MB when all that waits is stored/),
    ]);
  });
});
