import { RolesUnreadError } from '../core/errors.ts';
import type { ApprovalPolicy, Band } from './approval-policy.ts';
import {
  asksWhoseCard,
  type Decision,
  decide,
  type Facts,
  loosens,
  mayAsk,
  type Permission,
  type Role,
} from './decide-action.ts';
import type { RecordedDecision } from './decision-store.ts';
import type { createRolesForCard, KnownRoles, Permissions, RolesAsked } from './permissions.ts';
import { KNOWN_FOR_MS } from './slack-answers.ts';

/** What somebody asked for, as far as the policy looks at it. */
export interface Asked {
  readonly id: string;
  readonly verb: string;
  readonly actor: { readonly userId: string };
  /** Those of the click: an older answer, which will do for what makes a card safer. */
  readonly roles: readonly Role[];
  /** UTC ISO 8601. */
  readonly askedAt: string;
}

/** What is known of the case by whoever asks the policy. Everything else is read. */
export interface Case extends Pick<Facts, 'isOwnAction' | 'ageMs' | 'raiseCents' | 'isOverCap' | 'lastsMs'> {
  /** Left out until it is known which card is meant. */
  readonly acctId?: number;
  /** Whether the card is somebody's own also for another reason: they held it when it counted, or it is ordered for them. */
  readonly isOwn?: (userId: string) => Promise<boolean>;
  /** People whose delegates do not count: who asked for it, and who has approved it. */
  readonly notInPlaceOf?: readonly string[];
  /** Of an order, whose card does not exist yet: how many have to approve how much. It follows the main part of the policy. */
  readonly bands?: readonly Band[];
}

export type Authorization = ReturnType<typeof createAuthorization>;

export interface AuthorizationDeps {
  readonly rolesOf: Permissions['rolesOf'];
  /** What Slack knows of somebody; null: nothing. */
  readonly person: (userId: string) => Promise<{ readonly isDeactivated: boolean } | null>;
  readonly rolesForCard: ReturnType<typeof createRolesForCard>;
  /** Whether a card counts as somebody's own. */
  readonly isOwnCard: (userId: string, acctId: number) => Promise<boolean>;
  readonly policyOfCard: (acctId: number) => Promise<ApprovalPolicy>;
  readonly permissionOf: (verb: string) => Permission;
  /** Keeps what was decided, so that another policy can be tried on it. */
  readonly remember: (
    decision: Omit<RecordedDecision, 'acctId' | 'group'>,
    acctId: number | undefined,
  ) => Promise<void>;
  readonly now: () => Date;
}

const noRoles: KnownRoles = { roles: [], isComplete: true };

export function createAuthorization(deps: AuthorizationDeps) {
  return {
    /**
     * Reads what is true now, and decides by it. The roles that an action carries are those of the click and prove nothing.
     *
     * @throws RolesUnreadError when Slack does not say who may: asking again can help, and nobody is let through on a guess.
     */
    async authorize(asked: Asked, { acctId, bands, notInPlaceOf = [], isOwn: isOwnToo, ...about }: Case = {}) {
      const permission = deps.permissionOf(asked.verb);
      const isLooser = loosens(permission, about);
      // Slack is asked only where it matters: a block must not wait for it.
      const asksWhose = asksWhoseCard(permission);
      const isOwn = createIsOwn(deps, acctId, isOwnToo);
      const isNotFor = isLooser || asksWhose ? createMayNot(notInPlaceOf, isOwn) : {};
      const { roles, isComplete } = await readRoles(asked, isLooser, bands === undefined ? acctId : null, isNotFor);
      if (!isComplete && !mayAsk(permission, roles)) throw new RolesUnreadError();
      const isHolder = acctId !== undefined && roles.includes('holder');
      const isOwnCard = isHolder || (asksWhose && (await isOwn(asked.actor.userId)));
      const holding = acctId === undefined && bands === undefined ? {} : { isHolder, isOwnCard };
      const waitedMs = deps.now().getTime() - Date.parse(asked.askedAt);
      const policy = acctId === undefined ? { bands: bands ?? [] } : await deps.policyOfCard(acctId);
      const facts = { ...about, ...holding, roles, waitedMs };
      const decision = decide(permission, facts, policy);
      await deps.remember(decisionOf(asked, facts, decision), acctId);
      return decision;
    },
    /**
     * The roles that a person has now, as far as they are certain; of the click where Slack is silent.
     *
     * @param acctId of the card in question; left out: the roles for any card.
     */
    rolesNow: async (asked: Pick<Asked, 'actor' | 'roles'>, acctId?: number): Promise<Role[]> => [
      ...(await readRoles(asked, false, acctId)).roles,
    ],
    /**
     * Whose allowance somebody uses up by what they allow alone: their own, and that of those in whose place they are. Where
     * Slack is silent, as far as it is known: what it is asked for is refused then.
     *
     * @param acctId null: of an order, whose card does not exist yet.
     */
    async actsFor(userId: string, acctId: number | null): Promise<readonly string[]> {
      const { inPlaceOf = [] } = await readRoles({ actor: { userId }, roles: [] }, false, acctId);
      return [userId, ...inPlaceOf];
    },
    /**
     * Whose approval it is by now that somebody gave a while ago: their own, or that of those in whose place they are. Null:
     * nobody's, they are no approver of the card any more.
     *
     * @param acctId null: of an order, whose card does not exist yet.
     * @param notInPlaceOf people in whose place they cannot be.
     * @throws RolesUnreadError
     */
    async approvesFor(userId: string, acctId: number | null, notInPlaceOf: readonly string[]) {
      const asked = { actor: { userId }, roles: [] };
      const mayNot = createMayNot(notInPlaceOf, createIsOwn(deps, acctId));
      const { roles, isComplete, inPlaceOf = [userId] } = await readRoles(asked, true, acctId, mayNot);
      if (roles.includes('approver')) return inPlaceOf;
      if (!isComplete) throw new RolesUnreadError();
      return null;
    },
  };

  /** An older answer will do for what makes a card safer, never for what loosens it. */
  async function readRoles(
    { actor, roles: atClick }: Pick<Asked, 'actor' | 'roles'>,
    isLooser: boolean,
    acctId?: number | null,
    isNotFor: Pick<RolesAsked, 'mayNot'> = {},
  ): Promise<KnownRoles> {
    // Slack leaves a deactivated account in its groups for a while, and nobody takes its id out of a file at once.
    if (isLooser && (await deps.person(actor.userId))?.isDeactivated === true) return noRoles;
    const stillGoodMs = isLooser ? 0 : Number.POSITIVE_INFINITY;
    const howOld = { knownForMs: KNOWN_FOR_MS, stillGoodMs, ...isNotFor };
    const { roles, isComplete, isGroupKnown, inPlaceOf } =
      acctId == null
        ? {
            ...(await deps.rolesOf(actor.userId, acctId === null ? { ...howOld, group: null } : howOld)),
            isGroupKnown: true,
          }
        : await deps.rolesForCard(actor.userId, acctId, howOld);
    // Whoever may make any card safer may make this one safer; what loosens it waits.
    if (!isGroupKnown && isLooser) throw new RolesUnreadError('the card service does not say in which group a card is');
    // Whose card it is, nobody but ourselves has to say.
    const byRole = atClick.filter((role) => role !== 'holder');
    const certain = isComplete || isLooser ? roles : [...new Set([...roles, ...byRole])];
    return { roles: certain, isComplete, ...(inPlaceOf && { inPlaceOf }) };
  }
}

/** Whether a card is somebody's own: now, until lately, or by what is said of the case. */
function createIsOwn(
  { isOwnCard }: Pick<AuthorizationDeps, 'isOwnCard'>,
  acctId: number | null = null,
  isOwnToo: Case['isOwn'] = async () => false,
) {
  return async (userId: string): Promise<boolean> =>
    (await isOwnToo(userId)) || (acctId !== null && (await isOwnCard(userId, acctId)));
}

/** Nobody does in somebody's place what these may not do themselves. */
function createMayNot(notInPlaceOf: readonly string[], isOwn: (userId: string) => Promise<boolean>) {
  return { mayNot: async (userId: string) => notInPlaceOf.includes(userId) || (await isOwn(userId)) };
}

function decisionOf(
  { id, verb, actor }: Asked,
  facts: Facts,
  decision: Decision,
): Omit<RecordedDecision, 'acctId' | 'group'> {
  const { roles, isOwnCard = null, isHolder = null, isOwnAction = null, ageMs = null, isOverCap = false } = facts;
  const { raiseCents = null, lastsMs = null } = facts;
  return {
    actionId: id,
    verb,
    userId: actor.userId,
    roles: [...roles],
    isOwnCard,
    isHolder,
    isOwnAction,
    ageMs,
    raiseCents: raiseCents === Number.POSITIVE_INFINITY ? 'no amount' : raiseCents,
    isOverCap,
    lastsMs: lastsMs === Number.POSITIVE_INFINITY ? 'stays' : lastsMs,
    kind: decision.kind,
    others: decision.kind === 'request' ? decision.others : 0,
  };
}
