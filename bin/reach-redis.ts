import { EX_CONFIG, storeConfig } from '../src/app/config.ts';
import { wordsOf } from '../src/app/programs.ts';
import { EX_UNAVAILABLE } from '../src/app/run-process.ts';
import { MOVING, readFormat, whyUnreadable } from '../src/app/stored-format.ts';
import { ConfigError } from '../src/core/errors.ts';
import { auditKey, webKeys } from '../src/core/keys.ts';
import { createLog } from '../src/core/log.ts';
import { connectPatient, programOf, type RedisClient, requireFittingAddress, whenReady } from '../src/core/redis.ts';
import { isRefused } from '../src/core/redis-refused.ts';
import { workersKey } from '../src/ops/health.ts';

const REMIND_AFTER_MS = 3000;
/** Longer than a failover to a replica usually takes. */
const LOST_AFTER_MS = 5000;

/**
 * The variables that a command needs. If one is unusable, names it and ends the process.
 *
 * @param program the card program whose variables `read` names without their prefix.
 */
export function orExit<Config>(read: () => Config, program = ''): Config {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return end(EX_CONFIG, wordsOf(program, error.message));
  }
}

/** The variables that most commands need. */
export const commandConfig = (): ReturnType<typeof storeConfig> => orExit(() => storeConfig());

type OfCommand = Pick<ReturnType<typeof storeConfig>, 'redis' | 'program' | 'programs'>;

interface Reaching {
  /** Whether the command continues an interrupted move. */
  readonly isMove?: boolean;
  /** What to do if Redis is gone before the command is done. */
  readonly ifLost?: string;
}

/**
 * Redis for a command typed at a terminal. If it does not answer, refuses its user, or holds data that this build cannot
 * read, says so and ends the process. Also if it is gone later, because the connection would wait for it without end.
 */
export async function reachRedis(name: string, config: OfCommand, reaching: Reaching = {}): Promise<RedisClient> {
  const { redis: target } = config;
  const { isMove = false, ifLost = 'Run the command again when it is back.' } = reaching;
  // What ioredis prints about missing rights is for programmers. People read below what to do.
  console.warn = () => {};
  const redis = connectPatient({ ...target, log: createLog({ level: 'silent', process: name }), name });
  try {
    await readyUnlessRefused(redis, REMIND_AFTER_MS);
    if (redis.status !== 'ready')
      end(
        EX_UNAVAILABLE,
        'Redis does not answer. Is it running, and is REDIS_URL the one of the two processes? Nothing was changed.',
      );
    endWhenLost(redis, ifLost);
    await requireFittingAddress(redis);
    // Only the worker's user may read this. With another one, a command would fail halfway.
    await redis.exists(auditKey('head'));
    const stored = await readFormat(redis);
    const why = isMove && stored === MOVING ? null : whyUnreadable(stored);
    if (why !== null) end(EX_CONFIG, why);
  } catch (error) {
    if (isRefused(error)) end(EX_CONFIG, whyRefused(redis));
    if (error instanceof ConfigError) end(EX_CONFIG, error.message);
    throw error;
  }
  sayProgram(config);
  return redis;
}

/**
 * Says so if no process has ever used this Redis and nothing is on record there: with a wrong REDIS_URL, the result of a
 * command would otherwise look like that of the right Redis.
 *
 * @returns whether there is data.
 */
export async function warnIfEmpty(redis: RedisClient): Promise<boolean> {
  const found = await Promise.all([webKeys.since, workersKey, auditKey('head')].map((key) => redis.exists(key)));
  if (found.includes(1)) return true;
  process.stderr.write(
    'This Redis has no data of Cardbell: correct REDIS_URL or PROGRAM, unless no process has run yet.\n',
  );
  return false;
}

/**
 * Resolves like `whenReady`. A connection that Redis refuses tries again and again: only its first error says why.
 *
 * @throws the refusal.
 */
export async function readyUnlessRefused(redis: RedisClient, maxWaitMs: number): Promise<void> {
  const refused = new Promise<never>((_, reject) => {
    redis.on('error', (error: unknown) => {
      if (isRefused(error)) reject(error);
    });
  });
  // It may be refused later: each command says so then.
  refused.catch(() => {});
  await Promise.race([whenReady(redis, maxWaitMs), refused]);
}

/** Whoever forgets PROGRAM would back up, verify or check the first program without noticing. */
export function sayProgram({ program, programs }: Omit<OfCommand, 'redis'>): void {
  if (programs.length < 2) return;
  const which = program === '' ? 'the first one. For another, set PROGRAM to its name.' : `${program}.`;
  process.stderr.write(`Card program: ${which}\n`);
}

function whyRefused(redis: RedisClient): string {
  const program = programOf(redis);
  const ofProgram = program === '' ? '' : ` Its user needs the rights for ${program}, too: docs/programs.md.`;
  return `Redis refuses this user or password. Use the worker's REDIS_URL (docs/install/README.md).${ofProgram} Nothing was changed.`;
}

function endWhenLost(redis: RedisClient, ifLost: string): void {
  let ending: NodeJS.Timeout | undefined;
  let isDone = false;
  const stop = (): void => {
    clearTimeout(ending);
    ending = undefined;
  };
  redis.on('close', () => {
    // Each attempt to connect again ends with this event. A cluster also sends it after its end.
    if (!isDone) ending ??= setTimeout(() => end(EX_UNAVAILABLE, `Redis no longer answers. ${ifLost}`), LOST_AFTER_MS);
  });
  redis.on('ready', stop);
  redis.on('end', () => {
    // The command has disconnected.
    isDone = true;
    stop();
  });
}

function end(code: number, problem: string): never {
  process.stderr.write(`${problem}\n`);
  process.exit(code);
}
