import { z } from 'zod';
import { contentId } from '../core/content-id.ts';

/** Somebody opened App Home, or may do other things than before: theirs is to be drawn. */
export const HomeOpened = z.strictObject({
  /** Equal for openings that follow one another at once: one drawing is enough for them. */
  id: z.string(),
  userId: z.string(),
  /** What they may do, looked up now. */
  roles: z.array(z.enum(['operator', 'approver', 'holder'])),
  /** False when only the roles changed: then it is drawn for who opened it before. */
  isOpening: z.boolean(),
});
export type HomeOpened = z.infer<typeof HomeOpened>;

/** Somebody who goes back and forth between tabs is drawn for once in this time. */
const COALESCE_MS = 2000;

export function homeOpened(userId: string, roles: HomeOpened['roles'], isOpening: boolean, nowMs: number): HomeOpened {
  const turn = Math.floor(nowMs / COALESCE_MS);
  return { id: contentId('home_', [userId, isOpening ? 'opened' : 'changed', turn]), userId, roles, isOpening };
}
