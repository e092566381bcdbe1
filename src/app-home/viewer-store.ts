import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import { stateKey } from '../core/keys.ts';

/** Who has not looked for a day is not drawn for any more; the next opening draws anew. */
const KEPT_MS = 24 * 3_600_000;

const Roles = z.array(z.enum(['operator', 'approver', 'holder']));

/** Who opened App Home within the last day, and what they may do. */
export interface HomeViewers {
  /** @param isOpening false: only for who has opened it already. */
  see(userId: string, roles: z.infer<typeof Roles>, isOpening: boolean): Promise<void>;
  /** Roles of a viewer; null when they have not opened it lately. */
  rolesOf(userId: string): Promise<z.infer<typeof Roles> | null>;
  /** Latest first. */
  all(): Promise<string[]>;
}

export function createHomeViewers(redis: Redis | Cluster, now: () => number = Date.now): HomeViewers {
  const seen = stateKey('home-viewers');
  const roles = stateKey('home-roles');
  const isViewer = async (userId: string): Promise<boolean> =>
    Number((await redis.zscore(seen, userId)) ?? 0) > now() - KEPT_MS;

  return {
    async see(userId, held, isOpening) {
      if (!isOpening && !(await isViewer(userId))) return;
      const change = redis.multi().hset(roles, userId, JSON.stringify(Roles.parse(held)));
      if (isOpening) change.zadd(seen, now(), userId);
      await change.exec();
    },
    async rolesOf(userId) {
      if (!(await isViewer(userId))) return null;
      const text = await redis.hget(roles, userId);
      return text === null ? null : Roles.parse(JSON.parse(text));
    },
    async all() {
      const old = await redis.zrangebyscore(seen, '-inf', now() - KEPT_MS);
      if (old.length > 0)
        await redis
          .multi()
          .hdel(roles, ...old)
          .zrem(seen, ...old)
          .exec();
      return await redis.zrevrange(seen, 0, -1);
    },
  };
}
