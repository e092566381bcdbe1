import type { storeConfig } from '../../src/app/config.ts';
import { readFormat, whyNotShards, whyUnreadable } from '../../src/app/stored-format.ts';
import { within } from '../../src/core/deadline.ts';
import { ConfigError } from '../../src/core/errors.ts';
import { createLog } from '../../src/core/log.ts';
import { connectPatient, type RedisClient, requireFittingAddress, whyUnusable } from '../../src/core/redis.ts';
import { isRefused } from '../../src/core/redis-refused.ts';
import { checkedDiskWait, problemsOf, readSettings } from '../../src/intake/durability.ts';
import { readyUnlessRefused } from '../reach-redis.ts';
import { checkArchive } from './check-archive.ts';
import { checkProcesses } from './check-processes.ts';
import { checkWaiting } from './check-waiting.ts';
import { checkWebhooks } from './check-webhooks.ts';
import type { Report } from './report.ts';

/** Allowed difference between the clocks. Waits and expiry times use Redis' clock. */
const CLOCK_DIFFERENCE_MAX_MS = 5000;
/** The oldest version that the tests run against. */
const OLDEST_MAJOR = 7;

type StoreConfig = ReturnType<typeof storeConfig>;

type Given = Pick<StoreConfig, 'redis' | 'redisShards' | 'redisDurability' | 'redisFullAt'> & {
  /** `AUDIT_ARCHIVE` of the worker. Null when it has none, absent when its variables are not set here. */
  readonly auditArchive: string | null | undefined;
  readonly isRoot: boolean;
};

type InTime = <T>(work: Promise<T>) => Promise<T>;

/** Redis' version, memory, persistence and clock, whether this build can read the stored data, and which processes use it. */
export async function checkRedis(
  { redis: target, redisShards, redisDurability, redisFullAt, auditArchive, isRoot }: Given,
  report: Report,
  timeoutMs: number,
): Promise<void> {
  const redis = connectPatient({ ...target, log: createLog({ level: 'silent', process: 'doctor' }), name: 'doctor' });
  const inTime: InTime = async (work) =>
    await within(timeoutMs, work, () => {
      throw new Error('no answer in time');
    });
  // What ioredis prints about missing rights is for programmers. The report says what to do.
  console.warn = () => {};
  try {
    await readyUnlessRefused(redis, timeoutMs);
    if (redis.status !== 'ready') throw new Error('no answer in time');
    await inTime(requireFittingAddress(redis));
    const server = await inTime(redis.info('server'));
    checkVersion(/redis_version:(\S+)/.exec(server)?.[1] ?? '', report);
    checkMemory(await inTime(redis.info('memory')), report);
    await checkSettings(redis, { redisDurability, inTime }, report);
    checkClock(await inTime(redis.time()), Date.now(), report);
    const unusable = await whyUnusable(redis);
    const why = whyUnreadable(await inTime(readFormat(redis)));
    const whyShards = why === null ? await inTime(whyNotShards(redis, redisShards)) : null;
    if (why !== null) report.fix('this version cannot read the stored data', why);
    else if (whyShards !== null) report.fix('the stored data has a different number of shards', whyShards);
    else {
      // Where nothing can be written, no process can report that it runs.
      const isWritable = unusable !== 'redis accepts no writes' && unusable !== 'redis is full';
      const hasWorker = !isWritable || (await inTime(checkProcesses(redis, report)));
      await checkWaiting(redis, { shards: redisShards, fullAt: redisFullAt, hasWorker, inTime }, report);
      await checkWebhooks(redis, { shards: redisShards, inTime }, report);
      if (auditArchive !== undefined) await checkArchive(redis, { folder: auditArchive, isRoot, inTime }, report);
    }
    if (unusable === 'redis refuses this user') reportRefused();
    if (unusable === 'redis accepts no writes')
      report.fix('Redis accepts no writes', 'let REDIS_URL be the primary, and check its replicas and disk');
  } catch (error) {
    if (error instanceof ConfigError) report.fix('REDIS_URL does not fit this Redis', error.message);
    else if (isRefused(error)) reportRefused();
    else report.fix('Redis does not answer', 'start Redis, or correct REDIS_URL');
  } finally {
    redis.disconnect();
  }

  function reportRefused(): void {
    report.fix(
      'Redis refuses this user or password',
      `use ${auditArchive === undefined ? "web's" : "the worker's"} REDIS_URL; docs/install/README.md explains the two users`,
    );
  }
}

function checkVersion(version: string, report: Report): void {
  if (Number.parseInt(version, 10) >= OLDEST_MAJOR) report.ok(`answers, version ${version}`);
  else report.fix(`version ${version || 'unknown'} is too old`, `run Redis ${OLDEST_MAJOR} or newer`);
}

function checkMemory(info: string, report: Report): void {
  const field = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  const megabytes = (bytes: number): string => `${Math.round(bytes / 1_048_576)} MB`;
  const [used, max] = [field('used_memory'), field('maxmemory')];
  if (max === 0) report.note(`uses ${megabytes(used)}; without maxmemory the machine's memory is its limit`);
  else if (used < max * 0.7) report.ok(`uses ${megabytes(used)} of ${megabytes(max)}`);
  else
    report.fix(
      `uses ${megabytes(used)} of ${megabytes(max)}`,
      'raise maxmemory; Cardbell refuses webhooks before Redis is full',
    );
}

/** What the processes check at startup. */
async function checkSettings(
  redis: RedisClient,
  { redisDurability, inTime }: Pick<Given, 'redisDurability'> & { readonly inTime: InTime },
  report: Report,
): Promise<void> {
  const settings = await inTime(readSettings(redis));
  const problems = problemsOf(settings);
  for (const { isCertain, what, todo } of problems) {
    if (isCertain) report.fix(what, todo);
    else report.note(`${what}: ${todo}`);
  }
  const fsync = [...new Set(settings.map((of) => of.fsync ?? 'unknown'))].join(', ');
  if (problems.length === 0) report.ok(`maxmemory-policy is noeviction, appendonly is on, appendfsync is ${fsync}`);
  try {
    await inTime(checkedDiskWait(redis, redisDurability, settings));
    if (redisDurability === 'disk') report.ok('REDIS_DURABILITY=disk is possible');
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    report.fix('REDIS_DURABILITY=disk is not possible: web does not start', error.problems.join('; '));
  }
}

function checkClock(time: readonly (number | string)[], nowMs: number, report: Report): void {
  const [seconds = 0, microseconds = 0] = time.map(Number);
  const difference = Math.round(seconds * 1000 + microseconds / 1000 - nowMs);
  if (Math.abs(difference) <= CLOCK_DIFFERENCE_MAX_MS) report.ok('its clock agrees with the clock of this machine');
  else
    report.fix(
      `its clock is ${Math.abs(Math.round(difference / 1000))} s ${difference > 0 ? 'ahead of' : 'behind'} this machine`,
      'synchronize both clocks (NTP)',
    );
}
