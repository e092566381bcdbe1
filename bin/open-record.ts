import { inForce } from '../src/app/compose-audit.ts';
import type { auditConfig } from '../src/app/config.ts';
import { createAudit, createRecordSigner, nobody, type Statement } from '../src/audit/audit.ts';
import type { RedisClient } from '../src/core/redis.ts';
import { readPolicy } from '../src/policy/policy-source.ts';
import { orExit } from './reach-redis.ts';

/** What somebody does at a terminal of ours: the machine says no more of them. */
type AtTerminal = Pick<Statement, 'event' | 'verb' | 'actionId'> & Partial<Pick<Statement, 'reason' | 'detail'>>;

/** Puts on record what is done at a terminal; null where the worker's key to sign it is not there. */
export function openRecord(redis: RedisClient, config: ReturnType<typeof auditConfig>) {
  const { secrets } = config.audit;
  if (secrets.length === 0) return null;
  const policy = orExit(() => readPolicy(config));
  const { sign } = createRecordSigner(secrets);
  const { append } = createAudit({ redis, sign, inForce: () => inForce(policy) });
  return (done: AtTerminal): Promise<void> => append({ ...nobody, ...done, at: new Date().toISOString() });
}
