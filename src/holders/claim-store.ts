import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import { Action } from '../actions/action.ts';
import { stateKey } from '../core/keys.ts';
import { readOpen } from '../core/read-open.ts';

const KEPT_SECONDS = 30 * 24 * 3600;
/** Whoever claims more than this in a day is guessing. */
const COUNTED_SECONDS = 24 * 3600;

/** Somebody says to hold a card, and an approver has to say whether that is so. */
export const Claim = z.strictObject({
  id: z.string(),
  /** Who claims, and in which words. */
  action: Action,
  /** Accounts that the words can mean. Empty: none. */
  acctIds: z.array(z.int()),
  state: z.enum(['open', 'confirmed', 'refused', 'expired']),
  /** The account that was confirmed. */
  acctId: z.int().nullable(),
  decidedBy: z.string().nullable(),
  decidedAt: z.string().nullable(),
  /** Id of the click that decided, so that its job knows itself again after a crash. */
  decision: z.string().nullable(),
  /** UTC ISO 8601. */
  expiresAt: z.string(),
  /** The message that asks, once it is posted. */
  ref: z.strictObject({ channel: z.string(), ts: z.string() }).nullable(),
});
export type Claim = z.infer<typeof Claim>;

/** Tells a claim's id from those of other things that approvers decide. */
export function isClaimId(id: string): boolean {
  return id.startsWith('clm_');
}

export interface Claims {
  save(claim: Claim): Promise<void>;
  get(id: string): Promise<Claim | null>;
  /** Those that nobody has decided yet, oldest first. */
  open(): Promise<Claim[]>;
  /** How many cards somebody has claimed within a day, this one included. The same action counts once. */
  count(userId: string, actionId: string): Promise<number>;
}

/** Claims by id. Changes happen under the claim's lock, so plain reads and writes do. */
export function createClaims(redis: Redis | Cluster): Claims {
  const openKey = stateKey('claims-open');
  const keyOf = (id: string): string => stateKey(`claim:${id}`);
  const get = async (id: string): Promise<Claim | null> => {
    const text = await redis.get(keyOf(id));
    return text === null ? null : Claim.parse(JSON.parse(text));
  };
  return {
    async save(claim) {
      const { id, state, action } = claim;
      const change = redis.multi().set(keyOf(id), JSON.stringify(Claim.parse(claim)), 'EX', KEPT_SECONDS);
      if (state === 'open') change.zadd(openKey, Date.parse(action.askedAt), id);
      else change.zrem(openKey, id);
      await change.exec();
    },
    get,
    open: () => readOpen(redis, openKey, get),
    async count(userId, actionId) {
      const key = stateKey(`claims-of:${userId}`);
      const answers = await redis.multi().sadd(key, actionId).expire(key, COUNTED_SECONDS, 'NX').scard(key).exec();
      return Number(answers?.[2]?.[1] ?? 0);
    },
  };
}
