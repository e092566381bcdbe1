import type { Policy as PolicyOnRecord } from '../audit/audit.ts';
import { SlackError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { formatCents } from '../core/money.ts';
import { aloneCents } from './approval-policy.ts';
import type { Permission, Role } from './decide.ts';
import { mentionedAs, type People, type Policy, permittedTo, standsInFor } from './policy.ts';

/**
 * Who may do what, in one line for the record, with the hash of the policy.
 *
 * @param verbs the verb table.
 */
export function policyOnRecord(
  verbs: Readonly<Record<string, { readonly permission: Permission }>>,
  { hash, source, standard, groups }: Policy,
): PolicyOnRecord {
  const verbsWhere = (fits: (permission: Permission) => boolean): string =>
    Object.entries(verbs)
      .filter(([, { permission }]) => fits(permission))
      .map(([verb]) => verb)
      .join(', ');
  const may = (needed: Role): string => verbsWhere(({ role }) => role === needed);
  const who = ({ permitted }: People): string => (permitted.length === 0 ? 'nobody' : permitted.toSorted().join(' '));
  const own = groups.map(({ cardGroups }) => cardGroups.join(', ')).join('; ');
  const words = [
    `operators (${who(standard.operators)}): ${may('operator')}`,
    `approvers (${who(standard.approvers)}): these and ${may('approver')}`,
    `holders, their own card: ${verbsWhere(({ role, holderMay }) => role === 'holder' || holderMay === true)}`,
    `two approvers for a raise above ${formatCents(aloneCents(standard.approval))}`,
    ...(own === '' ? [] : [`other rules for cards in ${own}`]),
    `from ${source}`,
  ].join('; ');
  return { version: `pol_${hash}`, words };
}

/** The roles that are certain. Nobody gets one on a guess, and no group that does not matter keeps anybody out. */
export interface KnownRoles {
  readonly roles: Role[];
  /** False when a user group could not be read: there may be more roles. */
  readonly isComplete: boolean;
}

/** How old Slack's answer about a user group may be. */
export interface HowOld {
  /** It is not asked again for so long. 0 by default: Slack limits how often it may be asked. */
  readonly knownForMs?: number;
  /** An answer of this age still counts when Slack gives no newer one. By default only when it limits how often it is asked. */
  readonly stillGoodMs?: number;
}

export type Permissions = ReturnType<typeof createPermissions>;

/**
 * Slack allows 20 of these calls a minute. Only when it refuses one does an answer of the last minute count again, unless
 * an event of Slack's has said since that the group changed.
 */
const STILL_GOOD_MS = 60_000;

interface PermissionDeps {
  /** In force at this moment. */
  readonly policy: () => Policy;
  readonly groupMembers: (groupId: string) => Promise<readonly string[]>;
  /** Whether a card account is linked to a Slack user. */
  readonly isHolder: (userId: string) => Promise<boolean>;
  /** How old an answer about a group may be where nothing else is said. */
  readonly knownForMs?: number;
  readonly log: Log;
  readonly now?: () => number;
}

/**
 * Who has which role: decided by Slack user id at the moment of the click, by asking Slack who is in a group now. Names
 * and channel membership prove nothing.
 */
export function createPermissions(deps: PermissionDeps) {
  const { isHolder, log, now = Date.now } = deps;
  const groups = createGroups(deps);

  return {
    /**
     * The roles of a person right now, as far as they are certain.
     *
     * @param options.group of the card, as the card service calls it; left out: the roles for any card.
     */
    async rolesOf(
      userId: string,
      { group, ...given }: HowOld & { readonly group?: string | null } = {},
    ): Promise<KnownRoles> {
      const howOld = { knownForMs: deps.knownForMs ?? 0, ...given };
      const policy = deps.policy();
      const roles: Role[] = [];
      let isComplete = true;
      const people = [userId, ...standsInFor(policy, userId, new Date(now()))];
      for (const role of ['approver', 'operator'] as const) {
        const allowed = permittedTo(policy, role, group);
        const held = await Promise.all(people.map((person) => isAmong(person, allowed, howOld)));
        if (held.includes(true)) roles.push(role);
        else if (held.includes(null)) isComplete = false;
      }
      try {
        if (await isHolder(userId)) roles.push('holder');
      } catch (error) {
        log.error({ err: error }, 'the cards linked to a person could not be read');
        isComplete = false;
      }
      return { roles, isComplete };
    },
    /** Whom to mention who could do it: user ids and user group ids. */
    whoMay: (role: Role): readonly string[] => mentionedAs(deps.policy(), role),
    /** To be called when a user group changed. */
    forgetGroup: groups.forget,
  };

  /** Null when a group that could decide it cannot be read. */
  async function isAmong(userId: string, allowed: readonly string[], howOld: HowOld): Promise<boolean | null> {
    if (allowed.includes(userId)) return true;
    let isSure = true;
    for (const groupId of allowed.filter((id) => id.startsWith('S'))) {
      try {
        if ((await groups.membersOf(groupId, howOld)).includes(userId)) return true;
      } catch (error) {
        log.error({ err: error, groupId }, 'a user group could not be read');
        isSure = false;
      }
    }
    return isSure ? false : null;
  }
}

/** Who is in the user groups that the configuration names. */
function createGroups({ groupMembers, log, now = Date.now }: PermissionDeps) {
  const groups = new Map<string, { members: readonly string[]; readAt: number }>();
  const asking = new Map<string, Promise<readonly string[]>>();
  /** People who ask at the same time share one request. */
  const ask = (groupId: string): Promise<readonly string[]> => {
    const asked = asking.get(groupId);
    if (asked !== undefined) return asked;
    const answer = groupMembers(groupId)
      .then((members) => {
        // Unless the group changed meanwhile: then this answer may be the old one.
        if (asking.get(groupId) === answer) groups.set(groupId, { members, readAt: now() });
        return members;
      })
      .finally(() => {
        if (asking.get(groupId) === answer) asking.delete(groupId);
      });
    asking.set(groupId, answer);
    return answer;
  };
  return {
    forget(groupId: string): void {
      groups.delete(groupId);
      asking.delete(groupId);
    },
    async membersOf(groupId: string, { knownForMs = 0, stillGoodMs }: HowOld): Promise<readonly string[]> {
      const known = groups.get(groupId);
      if (known !== undefined && now() - known.readAt < knownForMs) return known.members;
      try {
        return await ask(groupId);
      } catch (error) {
        const isRateLimited = error instanceof SlackError && error.code === 'rate_limited';
        const goodForMs = stillGoodMs ?? (isRateLimited ? STILL_GOOD_MS : 0);
        if (known === undefined || now() - known.readAt > goodForMs) throw error;
        log.warn({ groupId }, 'Slack does not say who is in a user group, its last members still count');
        return known.members;
      }
    },
  };
}
