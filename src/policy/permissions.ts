import { randomUUID } from 'node:crypto';
import type { PolicyOnRecord } from '../audit/audit-record.ts';
import { within } from '../core/deadline.ts';
import { stateKey } from '../core/keys.ts';
import type { Log } from '../core/log.ts';
import { formatCents } from '../core/money.ts';
import type { RedisClient } from '../core/redis.ts';
import { aloneCents } from './approval-policy.ts';
import { mayAsk, type Permission, type Role, withoutHolder } from './decide-action.ts';
import {
  type Delegation,
  delegationsAt,
  mentionedAs,
  type People,
  type Policy,
  permittedTo,
  standsInFor,
  withNamedDelegates,
} from './policy.ts';
import { createSlackAnswers, type HowOld, PERSON_KNOWN_FOR_MS } from './slack-answers.ts';

/**
 * Who may do what, in one line for the record, with the policy's hash.
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
  const alone = aloneCents(standard.approval);
  const own = groups.map(({ cardGroups }) => cardGroups.join(', ')).join('; ');
  const words = [
    `operators (${who(standard.operators)}): ${may('operator')}`,
    `approvers (${who(standard.approvers)}): these and ${may('approver')}`,
    `holders, their own card: ${verbsWhere(({ role, holderMay }) => role === 'holder' || holderMay === true)}`,
    `two approvers for ${alone === null ? 'a change without an amount' : `a raise above ${formatCents(alone)}`}`,
    ...(own === '' ? [] : [`other rules for cards in ${own}`]),
    `from ${source}`,
  ].join('; ');
  return { version: `pol_${hash}`, words };
}

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

export interface RolesAsked extends HowOld {
  /** Someone who may not do something has no delegate who may. */
  readonly mayNot?: (userId: string) => Promise<boolean>;
}

/** For deciding what to show to whom. Alerts come in bursts, and within this time none of them calls Slack again. */
export const forDisplay: HowOld = { knownForMs: 60_000, silentForMs: 30_000 };

export type Permissions = ReturnType<typeof createPermissions>;
export type WhoMay = ReturnType<typeof createWhoMay>;

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

interface PermissionDeps {
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
export function createPermissions(deps: PermissionDeps, elapsed: () => number = () => performance.now()) {
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
function createHoldersAmong({ slack, rolesVersion, log }: PermissionDeps, elapsed: () => number) {
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

/**
 * Whom to mention as able to do it for a card of a group: user ids and user group ids, but nobody whose account is
 * deactivated. A member of a mentioned user group may also have a delegate whom the group does not include.
 */
export function createWhoMay(deps: Pick<PermissionDeps, 'policy' | 'namedDelegates'> & WhoMayDeps) {
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

/** The policy in force, plus the delegates that approvers have named, where it permits that. */
async function policyNow({ policy, namedDelegates }: Pick<PermissionDeps, 'policy' | 'namedDelegates'>) {
  const inForce = policy();
  return inForce.ownDelegates.length === 0 ? inForce : withNamedDelegates(inForce, await namedDelegates());
}

interface WhoMayDeps {
  /** For display only. */
  readonly rolesOf: Permissions['rolesOf'];
  /** For display only, like the roles. */
  readonly person: Person;
  /** How long to wait for Slack: then everybody whom the policy names is mentioned. Absent: until it answers. */
  readonly withinMs?: number;
  readonly now: () => Date;
}

interface RolesForCardDeps {
  readonly rolesOf: Permissions['rolesOf'];
  /** The card's group, as the card service names it. Undefined: unknown. */
  readonly groupOfCard: (acctId: number, isLooser: boolean) => Promise<string | null | undefined>;
  readonly links: { isHeldBy(userId: string, acctId: number): Promise<boolean> };
}

/**
 * A person's roles for one card: those of its group, and holder only for their own card. If its group is not known, those
 * for any card.
 *
 * @param isLooser whether this decides if the card is loosened: its group is then read again.
 */
export function createRolesForCard({ rolesOf, groupOfCard, links }: RolesForCardDeps) {
  return async function rolesForCard(userId: string, acctId: number, asked: RolesAsked = {}, isLooser = false) {
    const group = await groupOfCard(acctId, isLooser);
    const isGroupKnown = group !== undefined;
    const { roles, ...known } = await rolesOf(userId, { ...asked, ...(isGroupKnown && { group }) });
    const isHolder = await links.isHeldBy(userId, acctId);
    const own: Role[] = isHolder ? ['holder'] : [];
    return { ...known, roles: [...withoutHolder(roles), ...own], isGroupKnown };
  };
}

interface CardsForDeps extends Pick<RolesForCardDeps, 'rolesOf'> {
  readonly links: { accountsOf(userId: string): Promise<readonly number[]> };
  /** The group that a card is in. Null: none, or the policy has no card groups; undefined: not known. */
  readonly groupOf: (card: OfGroup) => Promise<string | null | undefined>;
}

/** A card, with its group as far as that is known. */
export interface OfGroup {
  readonly acctId: number | null;
  readonly group: string | null | undefined;
}

/** Filters cards to those for which someone's role is enough. Nobody sees a card of another whose group is not known. */
export type CardsFor = <C extends OfGroup>(
  userId: string,
  permission: Permission,
  cards: readonly C[],
  howOld?: HowOld,
) => Promise<C[]>;

/** One lookup per card group and one for the person's own cards, no matter how many cards there are. */
export function createCardsFor({ rolesOf, links, groupOf }: CardsForDeps): CardsFor {
  return async function cardsFor(userId, permission, cards, howOld = {}) {
    const own = new Set(await links.accountsOf(userId));
    const groupsOfCards = await Promise.all(cards.map(groupOf));
    const groups = new Set<string | null | undefined>();
    for (const group of new Set(groupsOfCards)) {
      if (group === undefined) continue;
      const { roles } = await rolesOf(userId, { ...howOld, group });
      if (mayAsk(permission, withoutHolder(roles))) groups.add(group);
    }
    const isOwn = (acctId: number | null) => acctId !== null && own.has(acctId) && mayAsk(permission, ['holder']);
    return cards.filter(({ acctId }, at) => groups.has(groupsOfCards[at]) || isOwn(acctId));
  };
}
