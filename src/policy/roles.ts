import { randomUUID } from 'node:crypto';
import { stateKey } from '../core/keys.ts';
import type { Log } from '../core/log.ts';
import type { RedisClient } from '../core/redis.ts';
import type { Role } from './decide-action.ts';
import { type Delegation, type Policy, permittedTo, standsInFor, withNamedDelegates } from './policy.ts';
import { createSlackAnswers, type HowOld, PERSON_KNOWN_FOR_MS } from './slack-answers.ts';

/** A person's certain roles. Nobody gets a role without proof, and an irrelevant group does not lock anyone out. */
export interface KnownRoles {
  readonly roles: Role[];
  /** False when a user group, or the account of a person they stand in for, could not be read: there may be more roles. */
  readonly isComplete: boolean;
  /**
   * The people they act for as a delegate: as approver, or else as operator, if they do not have that role themselves.
   */
  readonly inPlaceOf?: readonly string[];
}

/** False for approvers, whatever is not known: they may do everything that others may. */
export function mayHaveMoreRoles({ roles, isComplete }: KnownRoles): boolean {
  return !isComplete && !roles.includes('approver');
}

export interface RolesAsked extends HowOld {
  /** Someone who may not do something has no delegate who may. */
  readonly mayNot?: (userId: string) => Promise<boolean>;
}

/** For deciding what to show to whom. Alerts come in bursts, and within this time none of them calls Slack again. */
export const forDisplay: HowOld = { knownForMs: 60_000, silentForMs: 30_000 };

export type Roles = ReturnType<typeof createRoles>;

/**
 * A new random value after each change of user groups or people that Slack reports. A counter could repeat after Redis
 * is restored.
 */
const rolesVersionKey = stateKey('roles-version');

/** Slack's reports about user groups and people: no process uses an answer from before the last report. */
export function createRolesVersion(redis: RedisClient) {
  return {
    read: (): Promise<string | null> => redis.get(rolesVersionKey),
    changed: async (): Promise<void> => void (await redis.set(rolesVersionKey, randomUUID())),
  };
}

export interface RolesDeps {
  readonly policy: () => Policy;
  /** The delegates that approvers have named themselves. */
  readonly namedDelegates: () => Promise<readonly Delegation[]>;
  readonly slack: {
    readonly groupMembers: (groupId: string) => Promise<readonly string[]>;
    /** Answers about people, shared with whoever else asks. Null: Slack returns no profile. */
    readonly people: {
      readonly of: (userId: string, howOld: HowOld) => Promise<{ readonly isDeactivated: boolean } | null>;
    };
  };
  /** From {@link createRolesVersion}. */
  readonly rolesVersion: () => Promise<string | null>;
  /** Whether a card account is linked to a Slack user. */
  readonly isHolder: (userId: string) => Promise<boolean>;
  /** The maximum age of an answer about a group, unless the caller specifies another. */
  readonly knownForMs?: number;
  readonly now: () => Date;
  readonly log: Log;
}

/**
 * Who has which role: decided by Slack user id at the click, by asking Slack for the current group members. Names and
 * channel membership prove nothing.
 *
 * @param elapsed milliseconds on a clock that never jumps, for the age of Slack's answers.
 */
export function createRoles(deps: RolesDeps, elapsed: () => number = () => performance.now()) {
  const { isHolder, now, log } = deps;
  const holdersAmong = createHoldersAmong(deps, elapsed);

  return {
    /**
     * A person's current roles, as far as they are certain.
     *
     * @param options.group the card's group, as the card service names it; null: all cards, or a card that is in no group. Absent:
     * the roles for any card.
     * @param options.mayNot people whose roles a delegate does not get in this case.
     */
    async rolesOf(
      userId: string,
      { group, mayNot = async () => false, ...given }: RolesAsked & { readonly group?: string | null | undefined } = {},
    ): Promise<KnownRoles> {
      const howOld = { knownForMs: deps.knownForMs ?? 0, ...given };
      const policy = await policyNow(deps);
      const roles: Role[] = [];
      let isComplete = true;
      const others = standsInFor(policy, userId, now());
      const barred = await Promise.all(others.map(mayNot));
      const people = [userId, ...others.filter((_whom, index) => barred[index] !== true)];
      let inPlaceOf: string[] = [];
      for (const role of ['approver', 'operator'] as const) {
        const allowed = permittedTo(policy, role, group);
        const held = await holdersAmong(people, allowed, howOld);
        if (held.includes(true)) roles.push(role);
        else if (held.includes(null)) isComplete = false;
        // For an approver it does not matter for whom they also act as operator.
        if (held[0] !== true && (role === 'approver' || !roles.includes('approver')))
          inPlaceOf = people.filter((_whom, index) => held[index] === true);
      }
      try {
        if (await isHolder(userId)) roles.push('holder');
      } catch (error) {
        log.error({ err: error }, 'could not read the cards linked to a person');
        isComplete = false;
      }
      return { roles, isComplete, ...(inPlaceOf.length > 0 && { inPlaceOf }) };
    },
  };
}

/** Who of some people has a role. */
function createHoldersAmong({ slack, rolesVersion, log }: RolesDeps, elapsed: () => number) {
  const ask = slack.groupMembers;
  const groups = createSlackAnswers({
    what: 'user group',
    ask,
    version: rolesVersion,
    log,
    now: elapsed,
  });
  return holdersAmong;

  /**
   * Whether a person has the role, followed by the people they stand in for. A deactivated account lends no role: its id may
   * stay in the policy file, and its delegate could use the role for as long. Null: not certain.
   */
  async function holdersAmong(people: readonly string[], allowed: readonly string[], howOld: HowOld) {
    const [own, ...others] = await Promise.all(people.map((person) => isAmong(person, allowed, howOld)));
    // Those who have the role themselves need nobody else, so Slack is not asked about anyone.
    if (own === true) return [own];
    const lent = others.map(async (held, index) => {
      const isActive = held === false ? false : await mayLend(people[index + 1] ?? '', howOld);
      return isActive === true ? held : isActive;
    });
    return [own, ...(await Promise.all(lent))];
  }

  /** Whether a person's account is active. Null when Slack does not say. */
  async function mayLend(userId: string, howOld: HowOld): Promise<boolean | null> {
    const knownForMs = Math.max(PERSON_KNOWN_FOR_MS, howOld.knownForMs ?? 0);
    try {
      return (await slack.people.of(userId, { ...howOld, knownForMs }))?.isDeactivated !== true;
    } catch (error) {
      log.error(
        { err: error, userId },
        'could not read whether the account of a person with a delegate is deactivated',
      );
      return null;
    }
  }

  /** Null when a group that could decide this cannot be read. */
  async function isAmong(userId: string, allowed: readonly string[], howOld: HowOld): Promise<boolean | null> {
    if (allowed.includes(userId)) return true;
    let isSure = true;
    for (const groupId of allowed.filter((id) => id.startsWith('S'))) {
      try {
        if ((await groups.of(groupId, howOld)).includes(userId)) return true;
      } catch (error) {
        log.error({ err: error, groupId }, 'could not read a user group');
        isSure = false;
      }
    }
    return isSure ? false : null;
  }
}

/** The policy in force, plus the delegates that approvers have named, where it permits that. */
export async function policyNow({ policy, namedDelegates }: Pick<RolesDeps, 'policy' | 'namedDelegates'>) {
  const inForce = policy();
  return inForce.ownDelegates.length === 0 ? inForce : withNamedDelegates(inForce, await namedDelegates());
}
