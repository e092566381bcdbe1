import type { Log } from './log.ts';
import { createPermissions, type Role } from './permissions.ts';
import type { WhosWho } from './store/whos-who.ts';

/** Slack counts how often a group is read; what it said within this time counts, so that many may be looked up. */
const KNOWN_FOR_MS = 60_000;

/**
 * The roles of a person by now, as the worker can tell: for what it shows and to whom, never to permit anything.
 *
 * What is not certain is left out: nobody is shown what a group that cannot be read might allow.
 */
export function createRolesNow(deps: {
  readonly whosWho: Pick<WhosWho, 'whoMay'>;
  readonly groupMembers: (groupId: string) => Promise<readonly string[]>;
  readonly isHolder: (userId: string) => Promise<boolean>;
  readonly log: Log;
  readonly now?: () => number;
}): (userId: string) => Promise<Role[]> {
  const now = deps.now ?? Date.now;
  const groups = new Map<string, { members: readonly string[]; readAt: number }>();
  const groupMembers = async (groupId: string): Promise<readonly string[]> => {
    const known = groups.get(groupId);
    if (known !== undefined && now() - known.readAt < KNOWN_FOR_MS) return known.members;
    const members = await deps.groupMembers(groupId);
    groups.set(groupId, { members, readAt: now() });
    return members;
  };
  return async function rolesNow(userId) {
    const [operators, approvers] = await Promise.all([
      deps.whosWho.whoMay('operator'),
      deps.whosWho.whoMay('approver'),
    ]);
    const { isHolder, log } = deps;
    return (await createPermissions({ operators, approvers, groupMembers, isHolder, log }).rolesOf(userId)).roles;
  };
}
