import { batched } from '../core/batched.ts';
import { contentId } from '../core/content-id.ts';
import { stateKey } from '../core/keys.ts';
import { createOwnedKey } from '../core/lock.ts';
import type { RedisClient } from '../core/redis.ts';
import { defineScript, readScript } from '../core/redis-script.ts';
import { ALERT_TTL_SECONDS } from './alert.ts';

export type FraudCases = ReturnType<typeof createFraudCases>;

/** A case, and the alert that opened it. */
interface OpenCase {
  readonly caseId: string;
  readonly alertId: string;
}

/** The alert of a purchase that was added to an open case. */
export function addedCaseId(caseId: string, alertId: string): string {
  return contentId('evt_', ['fraud-case', caseId, alertId]);
}

const openSource = readScript(new URL('./open-fraud-case.lua', import.meta.url));

function readOpen(text: string | null): OpenCase | null {
  const [caseId, alertId] = text?.split(' ') ?? [];
  return caseId === undefined || alertId === undefined ? null : { caseId, alertId };
}

/** The open fraud case of each card account, and the alerts it is about. The case itself is an alert. */
export function createFraudCases(redis: RedisClient) {
  const openKey = (acctId: number): string => stateKey(`fraud-case:${acctId}`);
  const script = defineScript(redis, openSource);
  const openCase = createOwnedKey(redis);
  const ofAlertKey = (alertId: string): string => stateKey(`fraud-case-of:${alertId}`);
  const ofReportKey = (reportId: string): string => stateKey(`fraud-case-by:${reportId}`);
  const channelsKey = (caseId: string): string => stateKey(`fraud-case-in:${caseId}`);
  const openText = batched((accounts: readonly number[]) => redis.mget(accounts.map(openKey)));
  const openOf = async (acctId: number): Promise<string | null> => readOpen(await openText(acctId))?.caseId ?? null;
  return {
    /**
     * An account has one open case at a time, which lasts until it is closed, at most 30 days after the last report. A
     * report that has its case keeps it, so a closed case is not opened again.
     *
     * @param reportId the report, and the case that it opens if none is open.
     * @returns the case of the report: its own, or the one that was open.
     */
    async open(acctId: number, reportId: string, alertId: string): Promise<OpenCase> {
      const keys = [openKey(acctId), ofAlertKey(alertId), ofReportKey(reportId)];
      const text = (await script.run(keys, [`${reportId} ${alertId}`, ALERT_TTL_SECONDS])) as string;
      return readOpen(text) ?? { caseId: reportId, alertId };
    },
    /** The case that a report opened or joined, even if it was closed since; null when the report has none yet. */
    ofReport: async (reportId: string): Promise<OpenCase | null> => readOpen(await redis.get(ofReportKey(reportId))),
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
      const text = await openText(acctId);
      if (text !== null && readOpen(text)?.caseId === caseId) await openCase.free(openKey(acctId), text);
    },
  };
}
