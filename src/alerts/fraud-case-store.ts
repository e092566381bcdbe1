import type { Cluster, Redis } from 'ioredis';
import { stateKey } from '../core/keys.ts';
import { ALERT_TTL_SECONDS } from './alert-store.ts';

export type FraudCases = ReturnType<typeof createFraudCases>;

/** Which fraud case of a card account is open, and about which alert it is. The case itself is an alert. */
export function createFraudCases(redis: Redis | Cluster) {
  const openKey = (acctId: number): string => stateKey(`fraud-case:${acctId}`);
  const ofAlertKey = (alertId: string): string => stateKey(`fraud-case-of:${alertId}`);
  return {
    /** An account has one open case at a time. @returns the open one: this, or the one that is open already. */
    async open(acctId: number, caseId: string, alertId: string): Promise<string> {
      await redis.set(openKey(acctId), caseId, 'EX', ALERT_TTL_SECONDS, 'NX');
      const openId = (await redis.get(openKey(acctId))) ?? caseId;
      await redis.set(ofAlertKey(alertId), openId, 'EX', ALERT_TTL_SECONDS);
      return openId;
    },
    /** Null: the account has no open case. */
    openOf: (acctId: number): Promise<string | null> => redis.get(openKey(acctId)),
    /** The case that somebody opened from an alert, or joined; null: there is none. */
    ofAlert: (alertId: string): Promise<string | null> => redis.get(ofAlertKey(alertId)),
    /** What comes from now on is not collected any more. Safe to repeat. */
    async close(acctId: number, caseId: string): Promise<void> {
      if ((await redis.get(openKey(acctId))) === caseId) await redis.del(openKey(acctId));
    },
  };
}
