import { inForce } from '../src/app/compose-audit.ts';
import type { auditConfig } from '../src/app/config.ts';
import { createAudit, createRecordSigner, readLatest } from '../src/audit/audit.ts';
import { nobody, type Statement } from '../src/audit/audit-record.ts';
import { redisNow } from '../src/core/clock.ts';
import { ConfigError } from '../src/core/errors.ts';
import type { RedisClient } from '../src/core/redis.ts';
import { readPolicy } from '../src/policy/policy-source.ts';
import { orExit } from './reach-redis.ts';

/** Something done at one of our terminals. The machine knows nothing more about the person. */
type AtTerminal = Pick<Statement, 'event' | 'verb' | 'actionId'> & Partial<Pick<Statement, 'reason' | 'detail'>>;

type RecordConfig = Pick<ReturnType<typeof auditConfig>, 'audit' | 'program'> & Parameters<typeof readPolicy>[0];

/** Other records than the worker's may be among the last ones: forged, or of a terminal with another key. */
const LATEST = 50;

/**
 * Records what is done at a terminal. Null when the worker's signing key is not available here. Ends the process when
 * none of the last records was signed with the given key: a record signed with it would look forged forever. The first
 * record of all cannot be compared.
 */
export async function openRecord(redis: RedisClient, config: RecordConfig) {
  const { secrets } = config.audit;
  if (secrets.length === 0) return null;
  const policy = orExit(() => readPolicy(config), config.program);
  const { sign, verify } = createRecordSigner(secrets);
  const { append } = createAudit({ redis, sign, inForce: (statement) => inForce(policy, statement, null) });
  const latest = await readLatest(redis, LATEST);
  const isOfWorker = latest.length === 0 || latest.some(({ hash, signature }) => verify(hash, signature));
  if (!isOfWorker) orExit(otherKey, config.program);
  return async (done: AtTerminal): Promise<void> =>
    append({ ...nobody, ...done, at: new Date(await redisNow(redis)).toISOString() });
}

function otherKey(): never {
  throw new ConfigError([
    'AUDIT_KEY: expected the keys that the worker signs the record with (its CARD_API_TOKEN if it has no AUDIT_KEY). Nothing was changed.',
  ]);
}
