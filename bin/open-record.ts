import type { auditConfig } from '../src/app/config.ts';
import { ArchiveError, openArchive } from '../src/audit/archive.ts';
import { createAudit, createAuditReader, createRecordSigner, readArchived, readLatest } from '../src/audit/audit.ts';
import { nobody, type Statement } from '../src/audit/audit-record.ts';
import { redisNow } from '../src/core/clock.ts';
import { ConfigError } from '../src/core/errors.ts';
import type { RedisClient } from '../src/core/redis.ts';
import { orExit } from './reach-redis.ts';

/** Something done at one of our terminals. The machine knows nothing more about the person. */
type AtTerminal = Pick<Statement, 'event' | 'verb' | 'actionId'> & Partial<Pick<Statement, 'reason' | 'detail'>>;

type RecordConfig = Pick<ReturnType<typeof auditConfig>, 'audit' | 'program'>;

/** No policy decides who may use a terminal, which may not even have the worker's. */
const noPolicy = { twoPersonAboveCents: null, policy: null };

/** Other records than the worker's may be among the last ones: forged, or of a terminal with another key. */
const LATEST = 50;

/**
 * Records what is done at a terminal. Null when the worker's signing key is not available here. Ends the process when
 * none of the last records was signed with the given key, or none can be read: a record signed with another key would look
 * forged forever. The first record of all cannot be compared.
 */
export async function openRecord(redis: RedisClient, config: RecordConfig) {
  const { secrets } = config.audit;
  if (secrets.length === 0) return null;
  const { sign, verify } = createRecordSigner(secrets);
  const { append } = createAudit({ redis, sign, inForce: () => noPolicy });
  const latest = await readLast(redis, config.audit.archive).catch((error: unknown) =>
    orExit(() => unreadable(error), config.program),
  );
  const isOfWorker = latest.length === 0 || latest.some(({ hash, signature }) => verify(hash, signature));
  if (!isOfWorker) orExit(otherKey, config.program);
  return async (done: AtTerminal): Promise<void> =>
    append({ ...nobody, ...done, at: new Date(await redisNow(redis)).toISOString() });
}

/** The last records: those in Redis, or if it has none, those in files. @throws ConfigError, ArchiveError */
async function readLast(redis: RedisClient, folder: string | null) {
  const inRedis = await readLatest(redis, LATEST);
  const { count } = await readArchived(redis);
  if (inRedis.length > 0 || count === 0) return inRedis;
  const { read } = createAuditReader(redis, folder === null ? null : openArchive(folder));
  const inFiles: typeof inRedis = [];
  for await (const entry of read({ from: Math.max(1, count - LATEST + 1) })) inFiles.push(entry);
  return inFiles;
}

function unreadable(error: unknown): never {
  throw error instanceof ArchiveError
    ? new ConfigError([`AUDIT_ARCHIVE: ${error.message}. Nothing was changed.`])
    : error;
}

function otherKey(): never {
  throw new ConfigError([
    'AUDIT_KEY: expected the keys that the worker signs the record with (its CARD_API_TOKEN if it has no AUDIT_KEY). Nothing was changed.',
  ]);
}
