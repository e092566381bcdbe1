import { isOwnCardOf } from '../limits/raise-amount.ts';
import { decide } from '../policy/decide.ts';
import type { Resolved } from './action.ts';
import { changeStatus } from './change-status.ts';
import type { ActionDeps } from './deps.ts';
import { refuse } from './record-refusal.ts';
import { statusVerbs } from './verbs.ts';

/**
 * Unblocks, unless it is the own card: then another approver has to.
 *
 * @throws CardApiError when the job should run again.
 */
export async function unblock(resolved: Resolved, deps: ActionDeps): Promise<void> {
  const { action, acctId } = resolved;
  const isOwnCard = await isOwnCardOf(action.actor.userId, acctId, deps);
  const decision = decide(statusVerbs.unblock.permission, { roles: action.roles, isOwnCard }, deps);
  if (decision.kind !== 'refused') return await changeStatus('unblock', resolved, deps);
  const others = (await deps.whoMay('approver')).filter((id) => id.startsWith('U') && id !== action.actor.userId);
  const whoCan = { text: 'Ask another approver.', userIds: others };
  await refuse(action, { what: 'Unblocking the card', why: decision.why, whoCan }, deps, { acctId });
}
