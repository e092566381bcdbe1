import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import { LimitPeriod } from '../alert/alert.ts';
import { stateKey } from '../keys.ts';

/** A limit that ends by itself: what it was before, and what we set. */
export const Lease = z.strictObject({
  id: z.string(),
  acctId: z.int(),
  period: LimitPeriod,
  categoryId: z.int().nullable(),
  /** Whole cents; null: no limit. */
  beforeCents: z.int().nullable(),
  setCents: z.int().nullable(),
  by: z.strictObject({ userId: z.string(), teamId: z.string() }),
  /** UTC ISO 8601. */
  endsAt: z.string(),
});
export type Lease = z.infer<typeof Lease>;

export interface Leases {
  open(lease: Lease): Promise<void>;
  get(id: string): Promise<Lease | null>;
  close(id: string): Promise<void>;
  /** Every open lease, soonest end first: read at start-up, so that none outlives a lost timer. */
  all(): Promise<Lease[]>;
}

export function createLeases(redis: Redis | Cluster): Leases {
  const key = stateKey('leases');
  return {
    async open(lease) {
      await redis.hset(key, lease.id, JSON.stringify(Lease.parse(lease)));
    },
    async get(id) {
      const text = await redis.hget(key, id);
      return text === null ? null : Lease.parse(JSON.parse(text));
    },
    async close(id) {
      await redis.hdel(key, id);
    },
    async all() {
      const leases = Object.values(await redis.hgetall(key)).map((text) => Lease.parse(JSON.parse(text)));
      return leases.toSorted((one, other) => one.endsAt.localeCompare(other.endsAt));
    },
  };
}
