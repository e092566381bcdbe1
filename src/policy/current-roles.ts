import type { Log } from '../core/log.ts';
import { createPermissions, type Permissions } from './permissions.ts';
import type { Policy } from './policy.ts';

/** Slack limits how often a group is read, so an answer counts for this long. */
const KNOWN_FOR_MS = 60_000;
/** After a failure it is not asked again for this long, so that a storm of alerts does not ask each time. */
const UNKNOWN_FOR_MS = 30_000;

/**
 * The current roles of a person, as far as the worker knows. For what it shows and to whom, never to permit anything.
 *
 * A role that is not certain is left out: nobody is shown what a group that cannot be read might allow.
 */
export function createCurrentRoles(deps: {
  readonly policy: () => Policy;
  readonly groupMembers: (groupId: string) => Promise<readonly string[]>;
  readonly isHolder: (userId: string) => Promise<boolean>;
  readonly log: Log;
  readonly now?: () => number;
}): Permissions['rolesOf'] {
  const now = deps.now ?? Date.now;
  const groups = new Map<string, { members: readonly string[]; readAt: number }>();
  const silent = new Map<string, { error: unknown; since: number }>();
  const asking = new Map<string, Promise<readonly string[]>>();
  /** Alerts at the same time share one request. */
  const ask = (groupId: string): Promise<readonly string[]> => {
    const known = asking.get(groupId);
    if (known !== undefined) return known;
    const answer = deps.groupMembers(groupId).finally(() => asking.delete(groupId));
    asking.set(groupId, answer);
    return answer;
  };
  const groupMembers = async (groupId: string): Promise<readonly string[]> => {
    const known = groups.get(groupId);
    if (known !== undefined && now() - known.readAt < KNOWN_FOR_MS) return known.members;
    const failed = silent.get(groupId);
    if (failed !== undefined && now() - failed.since < UNKNOWN_FOR_MS) throw failed.error;
    try {
      const members = await ask(groupId);
      groups.set(groupId, { members, readAt: now() });
      silent.delete(groupId);
      return members;
    } catch (error) {
      silent.set(groupId, { error, since: now() });
      throw error;
    }
  };
  const { policy, isHolder, log } = deps;
  const permissions = createPermissions({ policy, groupMembers, isHolder, log, now });
  return permissions.rolesOf;
}
