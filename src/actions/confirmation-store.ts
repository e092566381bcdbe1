import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import { ruleKeys } from '../card-api/rule-change.ts';
import { stateKey } from '../core/keys.ts';
import { Action } from './action.ts';
import { type Expected, Result } from './result.ts';

/** Longer than anything waits for its confirmation. */
const LATEST_TTL_SECONDS = 3600;

/** What was seen, or that nothing was: written down first, so that whoever takes over after a crash says the same. */
export const Verdict = z.strictObject({
  confirmation: z.enum(['confirmed', 'unconfirmed', 'superseded']),
  /** What showed it; null when nothing did. */
  by: z.enum(['webhook', 'read-back']).nullable(),
  eventId: z.string().nullable(),
});
export type Verdict = z.infer<typeof Verdict>;

/** A change that the card API accepted, or may have, and that nothing has shown yet. */
export const AwaitedConfirmation = z.strictObject({
  action: Action,
  verb: z.enum(['block', 'unblock', 'activate', 'limit', 'allow']),
  acctId: z.int(),
  /** Id under which the alert shows it. */
  outcomeOf: z.string(),
  result: Result,
  /** UTC ISO 8601. */
  sentAt: z.string(),
  verdict: Verdict.nullable(),
});
export type AwaitedConfirmation = z.infer<typeof AwaitedConfirmation>;

export interface Confirmations {
  /** Waits for it, unless it does so already. */
  open(awaited: AwaitedConfirmation): Promise<void>;
  get(actionId: string): Promise<AwaitedConfirmation | null>;
  /** Keeps what was seen until everybody is told. */
  decide(actionId: string, verdict: Verdict): Promise<void>;
  close(actionId: string): Promise<void>;
  /** Everything that still waits: read at start-up, so that none outlives a lost timer. */
  all(): Promise<AwaitedConfirmation[]>;
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

/** Changes that wait for their confirmation, by action id. */
export function createConfirmations(redis: Redis | Cluster): Confirmations {
  const key = stateKey('confirmations');
  const get = async (actionId: string): Promise<AwaitedConfirmation | null> => {
    const text = await redis.hget(key, actionId);
    return text === null ? null : AwaitedConfirmation.parse(JSON.parse(text));
  };
  const latestKeys = (acctId: number, expected: Expected): string[] => {
    const subjects = expected.kind === 'status' ? ['status'] : ruleKeys(expected.changes);
    return subjects.map((subject) => stateKey(`changed:${acctId}:${subject}`));
  };

  return {
    get,
    async open(awaited) {
      await redis.hsetnx(key, awaited.action.id, JSON.stringify(AwaitedConfirmation.parse(awaited)));
    },
    async decide(actionId, verdict) {
      const awaited = await get(actionId);
      if (awaited === null) return;
      await redis.hset(key, actionId, JSON.stringify(AwaitedConfirmation.parse({ ...awaited, verdict })));
    },
    async close(actionId) {
      await redis.hdel(key, actionId);
    },
    async all() {
      return Object.values(await redis.hgetall(key)).map((text) => AwaitedConfirmation.parse(JSON.parse(text)));
    },
    async changed(acctId, expected, id) {
      const change = redis.multi();
      for (const key of latestKeys(acctId, expected)) change.set(key, id, 'EX', LATEST_TTL_SECONDS);
      await change.exec();
    },
    async changedBy(acctId, expected) {
      const latest = await redis.mget(latestKeys(acctId, expected));
      return latest.filter((id) => id !== null);
    },
    async isSuperseded(acctId, expected, id, followed = []) {
      const latest = await redis.mget(latestKeys(acctId, expected));
      return latest.some((one) => one !== null && one !== id && !followed.includes(one));
    },
  };
}
