import { z } from 'zod';
import { contentId } from '../core/content-id.ts';
import { stateKey } from '../core/keys.ts';
import { recordFormat } from '../core/record-store.ts';
import type { RedisClient } from '../core/redis.ts';
import { HomePages, HomeTurn, turnValue } from './home-page.ts';

/** App Home is kept up to date for this long after it was last opened. The next opening renders it again. */
export const VIEWER_TTL_MS = 24 * 3_600_000;

/** Openings by the same user within this time share one rendering. */
const COALESCE_MS = 2000;

/** A user opened App Home or turned a page, or their roles changed: their page must be rendered. */
export const HomeOpened = z.strictObject({
  /** The same for openings in quick succession, so that one rendering serves them all. */
  id: z.string(),
  userId: z.string(),
  /** False when only the roles changed: the page is then rendered only if it was opened before. */
  isOpening: z.boolean(),
  /** The page that the user turned to; null: an opening, which starts with the first pages. */
  turn: HomeTurn.nullable(),
});
export type HomeOpened = z.infer<typeof HomeOpened>;

export function homeOpened(opened: Omit<HomeOpened, 'id'>, nowMs: number): HomeOpened {
  const { userId, isOpening, turn } = opened;
  const what =
    turn === null ? [isOpening ? 'opened' : 'changed', Math.floor(nowMs / COALESCE_MS)] : [turnValue(turn), nowMs];
  return HomeOpened.parse({ id: contentId('home_', [userId, ...what]), ...opened });
}

/** Who opened App Home within the last day, and the pages they turned to. */
export type HomeViewers = ReturnType<typeof createHomeViewers>;

export function createHomeViewers(redis: RedisClient, now: () => Date) {
  const viewersKey = stateKey('home-viewers');
  const pagesKey = stateKey('home-pages');
  const format = recordFormat(HomePages);
  /** Null when the user is not a current viewer. `openedMs`: when they last opened App Home or turned a page. */
  async function viewer(userId: string): Promise<{ readonly pages: HomePages; readonly openedMs: number } | null> {
    const openedMs = Number((await redis.zscore(viewersKey, userId)) ?? 0);
    if (openedMs <= now().getTime() - VIEWER_TTL_MS) return null;
    return { pages: format.readOrNull(await redis.hget(pagesKey, userId)) ?? {}, openedMs };
  }

  return {
    async see({ userId, turn }: Pick<HomeOpened, 'userId' | 'turn'>): Promise<void> {
      const pages = turn === null ? {} : { ...(await viewer(userId))?.pages, [turn.list]: turn.page };
      const change = redis.multi().hset(pagesKey, userId, format.write(pages));
      await change.zadd(viewersKey, now().getTime(), userId).exec();
    },
    viewer,
    /** Latest first. */
    async all(): Promise<string[]> {
      const old = await redis.zrangebyscore(viewersKey, '-inf', now().getTime() - VIEWER_TTL_MS);
      if (old.length > 0) {
        const change = redis.multi().hdel(pagesKey, ...old);
        await change.zrem(viewersKey, ...old).exec();
      }
      return await redis.zrevrange(viewersKey, 0, -1);
    },
  };
}
