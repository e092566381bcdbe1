import { RolesUnreadError } from '../core/errors.ts';
import type { ApprovalPolicy, Band } from './approval-policy.ts';
import {
  asksWhoseCard,
  type Decision,
  decide,
  type Facts,
  groupAsked,
  loosens,
  mayAsk,
  type Permission,
  type Role,
  withoutHolder,
} from './decide-action.ts';
import type { RecordedDecision } from './decision-store.ts';
import { forDisplay, type KnownRoles, type Roles, type RolesAsked } from './roles.ts';
import type { createRolesForCard } from './roles-for-card.ts';
import { type HowOld, KNOWN_FOR_MS } from './slack-answers.ts';
import { isKnownDeactivated } from './who-may.ts';

/** The parts of an action that the policy needs. */
interface Asked {
  readonly id: string;
  readonly verb: string;
  readonly actor: { readonly userId: string };
  /** The roles at the click: an older answer, sufficient for actions that restrict a card. */
  readonly roles: readonly Role[];
  /** UTC ISO 8601. */
  readonly askedAt: string;
}

/** Facts that the caller of the policy provides. All others are read. */
interface Case extends Pick<Facts, 'isOwnAction' | 'ageMs' | 'raiseCents' | 'isOverCap' | 'lastsMs'> {
  /** Absent until the card is known. */
  readonly acctId?: number;
  /** How much of the raise the change adds itself, in whole cents; null: no amount is known. Only put on record. */
  readonly ownCents?: number | null;
  /**
   * Whether the card also counts as someone's own for another reason: they held it at the relevant time, or it is
   * ordered for them.
   */
  readonly isOwn?: (userId: string) => Promise<boolean>;
  /** People whose delegates do not count: the person who asked and those who have approved. */
  readonly notInPlaceOf?: readonly string[];
  /**
   * For an order, whose card does not exist yet: how many people must approve which amount. Orders follow the main part
   * of the policy.
   */
  readonly bands?: readonly Band[];
}

export type Authorization = ReturnType<typeof createAuthorization>;

export interface AuthorizationDeps {
  readonly rolesOf: Roles['rolesOf'];
  /** A person's Slack profile, by default at most seconds old; null if Slack returns none. */
  readonly person: (userId: string, howOld?: HowOld) => Promise<{ readonly isDeactivated: boolean } | null>;
  readonly rolesForCard: ReturnType<typeof createRolesForCard>;
  readonly isOwnCard: (userId: string, acctId: number, isLooser: boolean) => Promise<boolean>;
  readonly policyOfCard: (acctId: number, isLooser: boolean) => Promise<ApprovalPolicy>;
  readonly permissionOf: (verb: string) => Permission;
  /** Stores the decision, so that another policy can be tested on it. */
  readonly remember: (
    decision: Omit<RecordedDecision, 'acctId' | 'group'>,
    acctId: number | undefined,
  ) => Promise<void>;
  readonly now: () => Date;
}

const noRoles: KnownRoles & { readonly isGroupKnown: boolean } = { roles: [], isComplete: true, isGroupKnown: true };

export function createAuthorization(deps: AuthorizationDeps) {
  const readRoles = createReadRoles(deps);
  return {
    /**
     * Reads the current facts, decides, and stores the decision, so that another policy can be tested on it. The roles in
     * an action are those of the click and prove nothing.
     *
     * @throws RolesUnreadError when Slack does not return the user groups, or the card service the card's group. A retry
     * may help; without an answer nobody is permitted.
     */
    async authorize(asked: Asked, { acctId, bands, notInPlaceOf = [], isOwn: isOwnToo, ...about }: Case = {}) {
      const permission = deps.permissionOf(asked.verb);
      const isLooser = loosens(permission, about);
      // Calls Slack only where it matters, because a block must not wait for it.
      const asksWhose = asksWhoseCard(permission);
      const isOwn = async (userId: string): Promise<boolean> =>
        (await isOwnToo?.(userId)) || (acctId !== undefined && (await deps.isOwnCard(userId, acctId, isLooser)));
      // A delegate may not do what the person they act for may not do.
      const mayNot = async (userId: string) => notInPlaceOf.includes(userId) || (await isOwn(userId));
      const isNotFor = isLooser || asksWhose || notInPlaceOf.length > 0 ? { mayNot } : {};
      const ofCard = bands === undefined ? (acctId ?? groupAsked(permission)) : null;
      // What makes one card safer does not wait for Slack. Anything else that loosens no card is done if Slack does not say,
      // so an answer for display is enough: raises need Slack's limit of calls. For the rest, the roles read it.
      const mayBeGone = !isLooser && permission.role !== null && permission.restricts !== 'card';
      const shown = (userId: string) => deps.person(userId, forDisplay);
      const isGone = mayBeGone && (await isKnownDeactivated(asked.actor.userId, shown));
      const { roles, isComplete, isGroupKnown } = isGone ? noRoles : await readRoles(asked, isLooser, ofCard, isNotFor);
      if (!isGroupKnown && waitsForGroup(permission, roles)) throw unreadGroup();
      if (!isComplete && !mayAsk(permission, roles)) throw new RolesUnreadError();
      // They may have the role only as the delegate of somebody who may not do this themselves.
      const mayBeBarred = isNotFor.mayNot !== undefined && !mayAsk(permission, roles);
      const isBarredDelegate = mayBeBarred && mayAsk(permission, (await readRoles(asked, isLooser, ofCard)).roles);
      const isHolder = acctId !== undefined && roles.includes('holder');
      // Whoever may lower a limit may lower their own: that waits for nobody who knows whose card it is.
      const mattersWhose = asksWhose && (isLooser || permission.notOwnCard !== undefined);
      const isOwnCard = isHolder || (mattersWhose && (await isOwn(asked.actor.userId)));
      const holding = acctId === undefined && bands === undefined ? {} : { isHolder, isOwnCard };
      const waitedMs = deps.now().getTime() - Date.parse(asked.askedAt);
      const policy = acctId === undefined ? { bands: bands ?? [] } : await deps.policyOfCard(acctId, isLooser);
      const facts = { ...about, ...holding, roles, isBarredDelegate, waitedMs };
      const decision = decide(permission, facts, policy);
      await deps.remember(decisionOf(asked, facts, decision), acctId);
      return decision;
    },
    /**
     * A person's current roles, as far as they are certain. If Slack does not answer, the roles at the click.
     *
     * @param acctId the card's account. Absent: the roles for any card. Null: all cards, or one that does not exist yet.
     */
    rolesNow: async (asked: Pick<Asked, 'actor' | 'roles'>, acctId?: number | null): Promise<Role[]> =>
      (await readRoles(asked, false, acctId)).roles,
    /**
     * Whether a person's role is sufficient to act on a card. Null: its group, which decides that, is not known.
     *
     * @param acctId null: several cards, or one that does not exist yet.
     */
    async mayAct(asked: Pick<Asked, 'actor' | 'roles' | 'verb'>, acctId: number | null): Promise<boolean | null> {
      const permission = deps.permissionOf(asked.verb);
      const { roles, isGroupKnown } = await readRoles(asked, false, acctId);
      return !isGroupKnown && waitsForGroup(permission, roles) ? null : mayAsk(permission, roles);
    },
    /**
     * Whose allowance a person uses for what they allow alone: their own and that of the people they act for. If Slack
     * does not answer, only the known ones; such actions are refused then anyway.
     *
     * @param acctId null: an order, whose card does not exist yet.
     */
    async actsFor(userId: string, acctId: number | null): Promise<readonly string[]> {
      const { inPlaceOf = [] } = await readRoles({ actor: { userId }, roles: [] }, false, acctId);
      return [userId, ...inPlaceOf];
    },
    /**
     * Whose approval an earlier approval counts as now: the person's own, or that of the people they act for. Empty:
     * they are no longer an approver of the card. The approval of a block counts until Slack says so.
     *
     * @param acctId null: an order, whose card does not exist yet, or several cards.
     * @param isNotFor people whose delegates do not count.
     * @throws RolesUnreadError
     */
    async approvesFor(userId: string, acctId: number | null, isLooser: boolean, isNotFor: Pick<RolesAsked, 'mayNot'>) {
      const asked = { actor: { userId }, roles: [] };
      const { roles, isComplete, inPlaceOf = [userId] } = await readRoles(asked, isLooser, acctId, isNotFor);
      if (roles.includes('approver')) return inPlaceOf;
      if (isLooser && !isComplete) throw new RolesUnreadError();
      return isComplete ? [] : [userId];
    },
  };
}

/** An older answer is sufficient for actions that restrict a card, never for those that loosen it. */
function createReadRoles(deps: Pick<AuthorizationDeps, 'person' | 'rolesOf' | 'rolesForCard'>) {
  return async function readRoles(
    { actor, roles: atClick }: Pick<Asked, 'actor' | 'roles'>,
    isLooser: boolean,
    acctId?: number | null,
    isNotFor: Pick<RolesAsked, 'mayNot'> = {},
  ): Promise<KnownRoles & { readonly isGroupKnown: boolean }> {
    // Slack keeps a deactivated account in its groups for a while, and its id may stay in the policy file.
    if (isLooser && (await deps.person(actor.userId))?.isDeactivated === true) return noRoles;
    const howOld = { knownForMs: KNOWN_FOR_MS, stillGoodMs: isLooser ? 0 : Number.POSITIVE_INFINITY, ...isNotFor };
    const { roles, isComplete, isGroupKnown, inPlaceOf } =
      acctId == null
        ? {
            ...(await deps.rolesOf(actor.userId, acctId === null ? { ...howOld, group: null } : howOld)),
            isGroupKnown: true,
          }
        : await deps.rolesForCard(actor.userId, acctId, howOld, isLooser);
    // A person who may restrict any card may restrict this one too. An action that loosens it waits.
    if (!isGroupKnown && isLooser) throw unreadGroup();
    // Cardbell itself knows who holds a card, so `holder` never comes from the click.
    const certain = isComplete || isLooser ? roles : [...new Set([...roles, ...withoutHolder(atClick)])];
    return { roles: certain, isComplete, isGroupKnown, ...(inPlaceOf && { inPlaceOf }) };
  };
}

/** A card's holder may do what holders may, whatever its group. */
function waitsForGroup({ role, holderMay, restricts }: Permission, roles: readonly Role[]): boolean {
  const isByGroup = role === 'operator' || role === 'approver';
  return restricts === undefined && isByGroup && !(holderMay === true && roles.includes('holder'));
}

export function unreadGroup(): RolesUnreadError {
  return new RolesUnreadError('the card service did not return the group of a card');
}

function decisionOf(
  { id, verb, actor }: Asked,
  facts: Facts & Pick<Case, 'ownCents'>,
  decision: Decision,
): Omit<RecordedDecision, 'acctId' | 'group'> {
  const { roles, isOwnCard = null, isHolder = null, isOwnAction = null, ageMs = null, isOverCap = false } = facts;
  const { raiseCents = null, ownCents = null, lastsMs = null } = facts;
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
    ...(ownCents !== null && { ownCents }),
    isOverCap,
    lastsMs: lastsMs === Number.POSITIVE_INFINITY ? 'stays' : lastsMs,
    kind: decision.kind,
    others: decision.kind === 'request' ? decision.others : 0,
  };
}
