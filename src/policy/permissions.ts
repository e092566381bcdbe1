import type { Policy } from '../audit/audit.ts';
import { contentId } from '../core/content-id.ts';
import { SlackError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { formatCents } from '../core/money.ts';
import type { Permission, Role } from './decide.ts';

/**
 * Who may do what, in one line for the record, with a mark that changes when the rules do.
 *
 * @param verbs the verb table.
 * @param twoPersonAboveCents above this raise two approvers are needed.
 */
export function policyOf(
  verbs: Readonly<Record<string, { readonly permission: Permission }>>,
  people: { readonly operators: readonly string[]; readonly approvers: readonly string[] },
  twoPersonAboveCents: number,
): Policy {
  const verbsWhere = (fits: (permission: Permission) => boolean): string =>
    Object.entries(verbs)
      .filter(([, { permission }]) => fits(permission))
      .map(([verb]) => verb)
      .join(', ');
  const may = (needed: Role): string => verbsWhere(({ role }) => role === needed);
  const who = (ids: readonly string[]): string => (ids.length === 0 ? 'nobody' : ids.toSorted().join(' '));
  const words = [
    `operators (${who(people.operators)}): ${may('operator')}`,
    `approvers (${who(people.approvers)}): these and ${may('approver')}`,
    `holders, their own card: ${verbsWhere(({ role, holderMay }) => role === 'holder' || holderMay === true)}`,
    `two approvers for a raise above ${formatCents(twoPersonAboveCents)}`,
  ].join('; ');
  return { version: contentId('pol_', [words]).slice(0, 12), words };
}

/** What is certain. Nobody is let through on a guess, and nobody is kept out for a group that does not matter. */
export interface KnownRoles {
  readonly roles: Role[];
  /** False when a user group could not be read: there may be more roles. */
  readonly isComplete: boolean;
}

export interface Permissions {
  /**
   * The roles of a person right now, as far as they are certain.
   *
   * @param options.knownForMs who was in a group this long ago still is. Only for looking, while somebody types: Slack
   * would not answer as often.
   */
  rolesOf(userId: string, options?: { knownForMs?: number }): Promise<KnownRoles>;
  /** Who could do it: user ids and user group ids, as configured. */
  whoMay(role: Role): readonly string[];
  /** A user group changed: what was known of it counts no more. */
  forgetGroup(groupId: string): void;
}

/**
 * Slack counts these calls (20 a minute). Only when it says that they were too many does an answer of the last minute
 * count again; Slack's own change events take it away.
 */
const STILL_GOOD_MS = 60_000;

/**
 * Who may do what: decided by Slack user id, at the moment of the click, by asking Slack who is in a group now. Names and
 * channel membership prove nothing.
 *
 * @param options.operators user ids (`U…`) and user group ids (`S…`), likewise `approvers`.
 * @param options.isHolder whether a card account is linked to a Slack user.
 */
export function createPermissions(options: {
  operators: readonly string[];
  approvers: readonly string[];
  groupMembers: (groupId: string) => Promise<readonly string[]>;
  isHolder: (userId: string) => Promise<boolean>;
  log: Log;
  now?: () => number;
}): Permissions {
  const now = options.now ?? Date.now;
  const groups = new Map<string, { members: readonly string[]; readAt: number }>();

  return {
    async rolesOf(userId, { knownForMs = 0 } = {}) {
      const roles: Role[] = [];
      let isComplete = true;
      for (const [role, allowed] of [
        ['approver', options.approvers] as const,
        ['operator', options.operators] as const,
      ]) {
        const isHeld = await isAmong(userId, allowed, knownForMs);
        if (isHeld === true) roles.push(role);
        if (isHeld === null) isComplete = false;
      }
      try {
        if (await options.isHolder(userId)) roles.push('holder');
      } catch (error) {
        options.log.error({ err: error }, 'links between people and cards could not be read');
        isComplete = false;
      }
      return { roles, isComplete };
    },
    whoMay(role) {
      if (role === 'holder') return [];
      return role === 'approver' ? options.approvers : [...new Set([...options.operators, ...options.approvers])];
    },
    forgetGroup(groupId) {
      groups.delete(groupId);
    },
  };

  /** Null when a group that could decide it cannot be read. */
  async function isAmong(userId: string, allowed: readonly string[], knownForMs: number): Promise<boolean | null> {
    if (allowed.includes(userId)) return true;
    let isSure = true;
    for (const id of allowed.filter((one) => one.startsWith('S'))) {
      try {
        if ((await membersOf(id, knownForMs)).includes(userId)) return true;
      } catch (error) {
        options.log.error({ err: error, groupId: id }, 'user group could not be read');
        isSure = false;
      }
    }
    return isSure ? false : null;
  }

  async function membersOf(groupId: string, knownForMs: number): Promise<readonly string[]> {
    const known = groups.get(groupId);
    if (known !== undefined && now() - known.readAt < knownForMs) return known.members;
    try {
      const members = await options.groupMembers(groupId);
      groups.set(groupId, { members, readAt: now() });
      return members;
    } catch (error) {
      const isCounted = error instanceof SlackError && error.code === 'rate_limited';
      if (!isCounted || known === undefined || now() - known.readAt > STILL_GOOD_MS) throw error;
      options.log.warn({ groupId }, 'asked for a user group too often, what was known a moment ago still counts');
      return known.members;
    }
  }
}
