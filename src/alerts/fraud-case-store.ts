import { batched } from '../core/batched.ts';
import { stateKey } from '../core/keys.ts';
import type { RedisClient } from '../core/redis.ts';
import { firstWithin } from '../core/time-window.ts';
import { ALERT_TTL_SECONDS } from './alert-store.ts';

export type FraudCases = ReturnType<typeof createFraudCases>;

/** The open case of an account, and the alert that opened it. */
interface OpenCase {
  readonly caseId: string;
  readonly alertId: string;
}

function readOpen(text: string | null): OpenCase | null {
  const [caseId, alertId] = text?.split(' ') ?? [];
  return caseId === undefined || alertId === undefined ? null : { caseId, alertId };
}

/** The open fraud case of each card account, and the alerts it is about. The case itself is an alert. */
export function createFraudCases(redis: RedisClient) {
  const openKey = (acctId: number): string => stateKey(`fraud-case:${acctId}`);
  const ofAlertKey = (alertId: string): string => stateKey(`fraud-case-of:${alertId}`);
  const channelsKey = (caseId: string): string => stateKey(`fraud-case-in:${caseId}`);
  const openText = batched((accounts: readonly number[]) => redis.mget(accounts.map(openKey)));
  const openOf = async (acctId: number): Promise<string | null> => readOpen(await openText(acctId))?.caseId ?? null;
  return {
    /** An account has one open case at a time. @returns the open case: this one, or the earlier one. */
    async open(acctId: number, caseId: string, alertId: string): Promise<OpenCase> {
      const text = await firstWithin(redis, ALERT_TTL_SECONDS * 1000, openKey(acctId), `${caseId} ${alertId}`);
      const open = readOpen(text) ?? { caseId, alertId };
      await redis.set(ofAlertKey(alertId), open.caseId, 'EX', ALERT_TTL_SECONDS);
      return open;
    },
    /** Null: the account has no open case. */
    openOf,
    async addChannel(caseId: string, channel: string): Promise<void> {
      const key = channelsKey(caseId);
      await redis.multi().sadd(key, channel).expire(key, ALERT_TTL_SECONDS).exec();
    },
    /** The channels that have the message of a case. Empty until it is announced. */
    channels: (caseId: string): Promise<string[]> => redis.smembers(channelsKey(caseId)),
    /** The case that was opened from an alert, or that the alert joined; null when there is none. */
    ofAlert: (alertId: string): Promise<string | null> => redis.get(ofAlertKey(alertId)),
    /** Stops collecting later events. Idempotent. */
    async close(acctId: number, caseId: string): Promise<void> {
      if ((await openOf(acctId)) === caseId) await redis.del(openKey(acctId));
    },
  };
}
