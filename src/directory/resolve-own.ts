import type { Action } from '../actions/action.ts';
import type { ActionDeps } from '../actions/deps.ts';
import { refuse } from '../actions/record-refusal.ts';
import type { Resolved } from './resolve-card.ts';

/**
 * The only card that the person holds.
 *
 * @returns null when there is none, or more than one; the person has then been told.
 */
export async function resolveOwn(action: Action, deps: ActionDeps): Promise<Resolved | null> {
  const [only, ...others] = await deps.links.ofUser(action.actor.userId);
  if (only !== undefined && others.length === 0) return { action, acctId: only.acctId, cardId: null };
  const why = only === undefined ? 'No card is linked to you.' : 'You have more than one card.';
  const whoCan =
    only === undefined
      ? 'Say which one you hold with `/card link` and the last four digits.'
      : 'Write the last four digits of the one that you mean.';
  await refuse(action, { what: 'That', why, whoCan }, deps);
  return null;
}
