import { UNDO_MS } from '../policy/decide.ts';
import { alertIdOf, type Resolved } from './action.ts';
import type { ActionDeps } from './deps.ts';
import type { Result } from './result.ts';

/**
 * A block that was just made can be undone for a minute by who made it.
 *
 * Only where the card was active before: nothing makes a card new again.
 */
export async function offerUndo(
  { action, acctId, cardId }: Resolved,
  before: string | null,
  deps: ActionDeps,
): Promise<Pick<Result, 'control'>> {
  if (action.verb !== 'block' || before !== 'active' || action.roles.length === 0) return {};
  const at = deps.now();
  const until = new Date(at.getTime() + UNDO_MS);
  const alertId = alertIdOf(action);
  await deps.blocks.keep(action.id, { acctId, cardId, alertId, by: action.actor.userId, at: at.toISOString() });
  if (alertId !== null) await deps.scheduleUndoEnd(action.id, until.getTime());
  return { control: { kind: 'undo', id: action.id, until: until.toISOString() } };
}
