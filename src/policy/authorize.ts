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
} from './decide.ts';
import type { RecordedDecision } from './decision-store.ts';
import type { Permissions, RolesAsked } from './permissions.ts';
import type { createRolesForCard } from './roles-for-card.ts';
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
  /** Slack user who held the card at another moment that counts. */
  readonly heldBy?: string | null;
  /** People whose delegates do not count: who asked for it, and who has approved it. */
  readonly notInPlaceOf?: readonly string[];
  /** Of an order, whose card does not exist yet: how many have to approve how much. It follows the main part of the policy. */
  readonly bands?: readonly Band[];
}

export interface Authorization {
  /**
   * Reads what is true now, and decides by it. The roles that an action carries are those of the click and prove nothing.
   *
   * @throws RolesUnreadError when Slack does not say who may: asking again can help, and nobody is let through on a guess.
   */
  authorize(asked: Asked, about?: Case): Promise<Decision>;
  /**
   * The roles that a person has now, as far as they are certain; of the click where Slack is silent.
   *
   * @param acctId of the card in question; left out: the roles for any card.
   */
  rolesNow(asked: Pick<Asked, 'actor' | 'roles'>, acctId?: number): Promise<Role[]>;
  /**
   * Whether who approved a change of a card a while ago is an approver of it at this moment; null: an order, whose card does
   * not exist yet.
   *
   * @param notInPlaceOf people in whose place they cannot be.
   * @throws RolesUnreadError
   */
  isApprover(userId: string, acctId: number | null, notInPlaceOf: readonly string[]): Promise<boolean>;
}

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

export function createAuthorization(deps: AuthorizationDeps): Authorization {
  return {
    async authorize(asked, { acctId, heldBy = null, bands, notInPlaceOf = [], ...about } = {}) {
      const permission = deps.permissionOf(asked.verb);
      const isLooser = loosens(permission, about);
      const except = isLooser || asksWhoseCard(permission) ? { notInPlaceOf } : {};
      const of = bands === undefined ? acctId : null;
      const { roles, isComplete } = await readRoles(asked, isLooser, of, except);
      if (!isComplete && !mayAsk(permission, roles)) throw new RolesUnreadError();
      const isHolder = acctId !== undefined && roles.includes('holder');
      const isOwnCard = isHolder || heldBy === asked.actor.userId || (await looksOwn(permission, asked, acctId));
      const holding = acctId === undefined && bands === undefined ? {} : { isHolder, isOwnCard };
      const waitedMs = deps.now().getTime() - Date.parse(asked.askedAt);
      const policy = acctId === undefined ? { bands: bands ?? [] } : await deps.policyOfCard(acctId);
      const facts = { ...about, ...holding, roles, waitedMs };
      const decision = decide(permission, facts, policy);
      await deps.remember(decisionOf(asked, facts, decision), acctId);
      return decision;
    },
    rolesNow: async (asked, acctId) => [...(await readRoles(asked, false, acctId)).roles],
    async isApprover(userId, acctId, notInPlaceOf) {
      const asked = { actor: { userId }, roles: [] };
      const { roles, isComplete } = await readRoles(asked, true, acctId, { notInPlaceOf });
      if (!isComplete && !roles.includes('approver')) throw new RolesUnreadError();
      return roles.includes('approver');
    },
  };

  /** An older answer will do for what makes a card safer, never for what loosens it. */
  async function readRoles(
    { actor, roles: atClick }: Pick<Asked, 'actor' | 'roles'>,
    isLooser: boolean,
    acctId?: number | null,
    except: Pick<RolesAsked, 'notInPlaceOf'> = {},
  ) {
    // Slack leaves a deactivated account in its groups for a while, and nobody takes its id out of a file at once.
    if (isLooser && (await deps.person(actor.userId))?.isDeactivated === true) return { roles: [], isComplete: true };
    const stillGoodMs = isLooser ? 0 : Number.POSITIVE_INFINITY;
    const howOld = { knownForMs: KNOWN_FOR_MS, stillGoodMs, ...except };
    const { roles, isComplete, isGroupKnown } =
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
    return { roles: isComplete || isLooser ? roles : [...new Set([...roles, ...byRole])], isComplete };
  }

  /** Asks Slack only where it matters: a block must not wait for it. */
  async function looksOwn(permission: Permission, { actor }: Asked, acctId: number | undefined): Promise<boolean> {
    if (acctId === undefined || !asksWhoseCard(permission)) return false;
    return await deps.isOwnCard(actor.userId, acctId);
  }
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
