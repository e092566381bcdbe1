import type { Action } from '../actions/action.ts';
import { BusyError } from '../core/errors.ts';
import { isBlocking } from './verbs.ts';

/** Actions of one person that a worker performs at once. A block may come on top, but not from everywhere at once. */
const AT_ONCE = 4;
const WITH_BLOCKS = 8;

type TakeTurn = (action: Pick<Action, 'verb' | 'actor'>, perform: () => Promise<void>) => Promise<void>;

/**
 * Limits how many actions of one person run at once. Many of them can wait for the same card or for the card service, and
 * would leave no room for anybody's block.
 *
 * @throws BusyError at once when it is not the action's turn yet. Nothing of it was done, so this is not a failed attempt.
 */
export function createTakeTurn(): TakeTurn {
  const running = new Map<string, number>();
  return async function takeTurn({ verb, actor: { userId } }, perform) {
    const count = running.get(userId) ?? 0;
    if (count >= (isBlocking(verb) ? WITH_BLOCKS : AT_ONCE))
      throw new BusyError('the person’s earlier requests are still running');
    running.set(userId, count + 1);
    try {
      await perform();
    } finally {
      const left = (running.get(userId) ?? 1) - 1;
      if (left > 0) running.set(userId, left);
      else running.delete(userId);
    }
  };
}
