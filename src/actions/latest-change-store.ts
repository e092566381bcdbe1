import type { Cluster, Redis } from 'ioredis';
import { ruleKeys } from '../card-api/rule-change.ts';
import { stateKey } from '../core/keys.ts';
import type { Expected } from './action-state.ts';

/** Longer than anything waits for its confirmation. */
const KEPT_SECONDS = 3600;

/** Which action changed a card's status, or a rule of it, last. */
export interface LatestChanges {
  /** `id` changed it last: what was sent before can no longer be seen. */
  changed(acctId: number, expected: Expected, id: string): Promise<void>;
  /** The actions that changed it last, or parts of it; none: nobody lately. */
  changedBy(acctId: number, expected: Expected): Promise<readonly string[]>;
  /**
   * True when something else changed the same since.
   *
   * @param followed what had changed it before; `id` may have been killed before it could note its own change.
   */
  isSuperseded(acctId: number, expected: Expected, id: string, followed?: readonly string[]): Promise<boolean>;
}

export function createLatestChanges(redis: Redis | Cluster): LatestChanges {
  const keysOf = (acctId: number, expected: Expected): string[] => {
    const subjects = expected.kind === 'status' ? ['status'] : ruleKeys(expected.changes);
    return subjects.map((subject) => stateKey(`changed:${acctId}:${subject}`));
  };
  const changedBy = async (acctId: number, expected: Expected): Promise<string[]> =>
    (await redis.mget(keysOf(acctId, expected))).filter((id) => id !== null);
  return {
    async changed(acctId, expected, id) {
      const change = redis.multi();
      for (const key of keysOf(acctId, expected)) change.set(key, id, 'EX', KEPT_SECONDS);
      await change.exec();
    },
    changedBy,
    async isSuperseded(acctId, expected, id, followed = []) {
      const latest = await changedBy(acctId, expected);
      return latest.some((changer) => changer !== id && !followed.includes(changer));
    },
  };
}
