import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import { contentId } from '../core/content-id.ts';
import { stateKey } from '../core/keys.ts';
import { recordFormat } from '../core/record-store.ts';

/** App Home is kept up to date for this long after it was last opened; the next opening renders it afresh. */
const VIEWER_TTL_MS = 24 * 3_600_000;

/** Openings of the same user within this time of each other are rendered once. */
const COALESCE_MS = 2000;

const Roles = z.array(z.enum(['operator', 'approver', 'holder']));
type Roles = z.infer<typeof Roles>;

/** A user opened App Home, or their roles changed: their page has to be rendered. */
export const HomeOpened = z.strictObject({
  /** The same for openings in quick succession, so one rendering serves them all. */
  id: z.string(),
  userId: z.string(),
  /** Looked up just now. */
  roles: Roles,
  /** False when only the roles changed: the page is then rendered only if it was opened before. */
  isOpening: z.boolean(),
});
export type HomeOpened = z.infer<typeof HomeOpened>;

export function homeOpened(userId: string, roles: Roles, isOpening: boolean, nowMs: number): HomeOpened {
  const slot = Math.floor(nowMs / COALESCE_MS);
  return { id: contentId('home_', [userId, isOpening ? 'opened' : 'changed', slot]), userId, roles, isOpening };
}

/** Who opened App Home within the last day, and which roles they had then. */
export type HomeViewers = ReturnType<typeof createHomeViewers>;

export function createHomeViewers(redis: Redis | Cluster, now: () => number = Date.now) {
  const viewersKey = stateKey('home-viewers');
  const rolesKey = stateKey('home-roles');
  const format = recordFormat(Roles);
  const isViewer = async (userId: string): Promise<boolean> =>
    Number((await redis.zscore(viewersKey, userId)) ?? 0) > now() - VIEWER_TTL_MS;

  return {
    /** @param isOpening false: updates the roles of a current viewer, and does nothing for anybody else. */
    async see(userId: string, roles: Roles, isOpening: boolean): Promise<void> {
      if (!isOpening && !(await isViewer(userId))) return;
      const change = redis.multi().hset(rolesKey, userId, format.write(roles));
      if (isOpening) change.zadd(viewersKey, now(), userId);
      await change.exec();
    },
    /** Null when the user is not a current viewer. */
    async rolesOf(userId: string): Promise<Roles | null> {
      return (await isViewer(userId)) ? format.readOrNull(await redis.hget(rolesKey, userId)) : null;
    },
    /** Latest first. */
    async all(): Promise<string[]> {
      const old = await redis.zrangebyscore(viewersKey, '-inf', now() - VIEWER_TTL_MS);
      if (old.length > 0) {
        const change = redis.multi().hdel(rolesKey, ...old);
        await change.zrem(viewersKey, ...old).exec();
      }
      return await redis.zrevrange(viewersKey, 0, -1);
    },
  };
}
