import type { Action } from '../actions/action.ts';
import { isBlocking } from './verbs.ts';

/** Actions of one person that a worker performs at once. A block may come on top, but not from everywhere at once. */
const AT_ONCE = 4;
const WITH_BLOCKS = 8;
const AGAIN_MS = 500;

/** Performs an action, or returns milliseconds until it should be tried again. */
type TakeTurn = (action: Pick<Action, 'verb' | 'actor'>, perform: () => Promise<void>) => Promise<number | null>;

/**
 * Limits how many actions of one person run at once. Many of them can wait for the same card or for the card service, and
 * would leave no room for anybody's block.
 */
export function createTakeTurn(): TakeTurn {
  const running = new Map<string, number>();
  return async function takeTurn({ verb, actor: { userId } }, perform) {
    const count = running.get(userId) ?? 0;
    if (count >= (isBlocking(verb) ? WITH_BLOCKS : AT_ONCE)) return AGAIN_MS;
    running.set(userId, count + 1);
    try {
      await perform();
      return null;
    } finally {
      const left = (running.get(userId) ?? 1) - 1;
      if (left > 0) running.set(userId, left);
      else running.delete(userId);
    }
  };
}
