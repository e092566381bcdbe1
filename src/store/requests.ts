import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import { CardFacts } from '../alert/alert.ts';
import { Action } from '../authority/action.ts';
import { stateKey } from '../keys.ts';

const KEPT_SECONDS = 30 * 24 * 3600;

/** A raise that needs a second approver. */
export const LimitRequest = z.strictObject({
  id: z.string(),
  action: Action,
  acctId: z.int(),
  card: CardFacts,
  fromCents: z.int().nullable(),
  approvals: z.array(z.strictObject({ by: z.string(), at: z.string() })),
  state: z.enum(['open', 'approved', 'denied', 'expired']),
  decidedBy: z.string().nullable(),
  decidedAt: z.string().nullable().default(null),
  /** Id of the click that decided, so that its job knows itself again after a crash. */
  decision: z.string().nullable().default(null),
  expiresAt: z.string(),
  /** The message that asks, once it is posted. */
  ref: z.strictObject({ channel: z.string(), ts: z.string() }).nullable(),
});
export type LimitRequest = z.infer<typeof LimitRequest>;

export interface Requests {
  save(request: LimitRequest): Promise<void>;
  get(id: string): Promise<LimitRequest | null>;
}

/** Requests by id. Changes happen under the request's lock, so plain reads and writes do. */
export function createRequests(redis: Redis | Cluster): Requests {
  return {
    async save(request) {
      await redis.set(
        stateKey(`request:${request.id}`),
        JSON.stringify(LimitRequest.parse(request)),
        'EX',
        KEPT_SECONDS,
      );
    },
    async get(id) {
      const text = await redis.get(stateKey(`request:${id}`));
      return text === null ? null : LimitRequest.parse(JSON.parse(text));
    },
  };
}
