import { within } from '../core/deadline.ts';
import type { Role } from './decide-action.ts';
import { delegationsAt, mentionedAs, type Policy, permittedTo } from './policy.ts';
import { policyNow, type Roles, type RolesDeps } from './roles.ts';

export type WhoMay = ReturnType<typeof createWhoMay>;

interface WhoMayDeps {
  /** For display only. */
  readonly rolesOf: Roles['rolesOf'];
  /** For display only, like the roles. */
  readonly person: Person;
  /** How long to wait for Slack: then everybody whom the policy names is mentioned. Absent: until it answers. */
  readonly withinMs?: number;
  readonly now: () => Date;
}

/**
 * Whom to mention as able to do it for a card of a group: user ids and user group ids, but nobody whose account is
 * deactivated. A member of a mentioned user group may also have a delegate whom the group does not include.
 */
export function createWhoMay(deps: Pick<RolesDeps, 'policy' | 'namedDelegates'> & WhoMayDeps) {
  const { rolesOf, person, now, withinMs } = deps;
  return async function whoMay(role: Role, group?: string | null): Promise<readonly string[]> {
    const inForce = await policyNow(deps);
    const all = mentionedAs(inForce, role, now(), group);
    const active = activeOf(inForce, role, group, all);
    return withinMs === undefined ? await active : await within(withinMs, active, () => all);
  };

  async function activeOf(inForce: Policy, role: Role, group: string | null | undefined, all: readonly string[]) {
    // Only the members of a user group may have other delegates.
    const delegations = all.some(isUserGroup) ? delegationsAt(inForce, now()) : [];
    const people = [...new Set([...all, ...delegations.flatMap(({ for: whom, to }) => [whom, to])])];
    const left = await Promise.all(
      people.map(async (id) => !isUserGroup(id) && (await isKnownDeactivated(id, person))),
    );
    const isActive = (id: string) => left[people.indexOf(id)] !== true;
    const mentioned = new Set(mentionedAs(inForce, role, now(), group, isActive));
    for (const { for: whom, to } of delegations) {
      if (permittedTo(inForce, role, group).includes(whom) || !isActive(whom) || !isActive(to)) continue;
      const { roles } = await rolesOf(whom, group === undefined ? {} : { group });
      if (roles.includes(role)) mentioned.add(to);
    }
    return [...mentioned];
  }
}

const isUserGroup = (id: string): boolean => id.startsWith('S');

/** A person's Slack profile; null if Slack returns none. */
type Person = (userId: string) => Promise<{ readonly isDeactivated: boolean } | null>;

/** Whether an account is deactivated. False if Slack does not say: for what need not wait for it. */
export function isKnownDeactivated(userId: string, person: Person): Promise<boolean> {
  return person(userId).then(
    (known) => known?.isDeactivated === true,
    () => false,
  );
}
