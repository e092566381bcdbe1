import type { Verb } from './authority/action.ts';
import type { Log } from './log.ts';

export type Role = 'operator' | 'approver';

/** Which role each verb needs. An approver may do all that an operator may. */
export const neededRole: Readonly<Record<Verb, Role>> = {
  show: 'operator',
  activate: 'operator',
  block: 'operator',
  acknowledge: 'operator',
  unblock: 'approver',
  limit: 'approver',
  decide: 'approver',
};

/** True when one of `roles` is enough for `verb`. */
export function isPermitted(verb: Verb, roles: readonly Role[]): boolean {
  return roles.includes('approver') || roles.includes(neededRole[verb]);
}

export interface Permissions {
  /**
   * The roles of a person right now.
   *
   * @throws SlackError when a user group could not be read and nothing recent is known of it: nobody is let through on
   * a guess.
   */
  rolesOf(userId: string): Promise<Role[]>;
  /** Who could do it: user ids and user group ids, as configured. */
  whoMay(role: Role): readonly string[];
  /** A user group changed: read it again the next time. */
  forgetGroup(groupId: string): void;
}

/** Long enough to spare Slack's rate limit, short enough for a leaver. Slack's own change events cut it short. */
const FRESH_MS = 60_000;
/** What was known this recently still counts while Slack does not answer. */
const STALE_MS = 10 * 60_000;

/**
 * Who may do what: decided by Slack user id, at the moment of the click. Names and channel membership prove nothing.
 *
 * @param options.operators user ids (`U…`) and user group ids (`S…`), likewise `approvers`.
 */
export function createPermissions(options: {
  operators: readonly string[];
  approvers: readonly string[];
  groupMembers: (groupId: string) => Promise<readonly string[]>;
  log: Log;
  now?: () => number;
}): Permissions {
  const now = options.now ?? Date.now;
  const groups = new Map<string, { members: readonly string[]; readAt: number }>();

  return {
    async rolesOf(userId) {
      const roles: Role[] = [];
      if (await isAmong(userId, options.approvers)) roles.push('approver');
      if (await isAmong(userId, options.operators)) roles.push('operator');
      return roles;
    },
    whoMay(role) {
      return role === 'approver' ? options.approvers : [...new Set([...options.operators, ...options.approvers])];
    },
    forgetGroup(groupId) {
      groups.delete(groupId);
    },
  };

  async function isAmong(userId: string, allowed: readonly string[]): Promise<boolean> {
    if (allowed.includes(userId)) return true;
    for (const id of allowed) {
      if (id.startsWith('S') && (await membersOf(id)).includes(userId)) return true;
    }
    return false;
  }

  async function membersOf(groupId: string): Promise<readonly string[]> {
    const known = groups.get(groupId);
    if (known !== undefined && now() - known.readAt < FRESH_MS) return known.members;
    try {
      const members = await options.groupMembers(groupId);
      groups.set(groupId, { members, readAt: now() });
      return members;
    } catch (error) {
      if (known === undefined || now() - known.readAt > STALE_MS) throw error;
      options.log.warn({ groupId }, 'user group could not be read, what was known a moment ago still counts');
      return known.members;
    }
  }
}
