import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import { stateKey } from '../core/keys.ts';
import type { Log } from '../core/log.ts';
import type { Role } from './decide.ts';
import { createPermissions, type KnownRoles } from './permissions.ts';

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
  readonly configuredRoles: Pick<ConfiguredRoles, 'whoMay'>;
  readonly groupMembers: (groupId: string) => Promise<readonly string[]>;
  readonly isHolder: (userId: string) => Promise<boolean>;
  readonly log: Log;
  readonly now?: () => number;
}): (userId: string) => Promise<KnownRoles> {
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
  return async function currentRoles(userId) {
    const [operators, approvers] = await Promise.all([
      deps.configuredRoles.whoMay('operator'),
      deps.configuredRoles.whoMay('approver'),
    ]);
    const { isHolder, log } = deps;
    return await createPermissions({ operators, approvers, groupMembers, isHolder, log }).rolesOf(userId);
  };
}

const Names = z.object({ operators: z.array(z.string()), approvers: z.array(z.string()) });

/** Who may what, as the web process was last started with: for mentions and for what is shown, never for a permission. */
export interface ConfiguredRoles {
  keep(names: { operators: readonly string[]; approvers: readonly string[] }): Promise<void>;
  /** User ids and user group ids. Empty when no web process has started yet. */
  whoMay(role: Role): Promise<string[]>;
}

/** The worker does not know the variables of the web process; this is how it knows whom to mention. */
export function createConfiguredRoles(redis: Redis | Cluster): ConfiguredRoles {
  const key = stateKey('configured-roles');
  return {
    async keep(names) {
      await redis.set(key, JSON.stringify(Names.parse(names)));
    },
    async whoMay(role) {
      const text = await redis.get(key);
      if (text === null) return [];
      const { operators, approvers } = Names.parse(JSON.parse(text));
      return role === 'approver' ? approvers : [...new Set([...operators, ...approvers])];
    },
  };
}
