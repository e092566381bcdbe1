import { z } from 'zod';
import { type ApprovalPolicy, approvalsFor, whyTooLong } from './approval-policy.ts';

/** `holder`: a card account is linked to this Slack user. Whether it is the right card is checked later. */
export const Role = z.enum(['operator', 'approver', 'holder']);
export type Role = z.infer<typeof Role>;

/** A person who blocked by mistake can undo it within this time. After that an approver has to unblock. */
export const UNDO_MS = 60_000;
/** After this time without a decision, approvers are reminded and operators may use the emergency override. */
export const REQUEST_OVERDUE_MS = 15 * 60_000;
/** The number of cards one person may block at once. */
export const BLOCKED_ALONE_MAX = 5;
/** An undecided request expires after this time. Silence never approves. */
export const REQUEST_MS = 24 * 3_600_000;
/** The maximum duration of a change made by an emergency override. */
export const OVERRIDE_MAX_MS = 3_600_000;
/**
 * Raises of one rule of a card within this time are added up. Also the interval for one emergency override per card.
 */
export const RAISES_ADDED_MS = 24 * 3_600_000;
/** The longest period of a cap. */
export const CAPPED_MS = 30 * RAISES_ADDED_MS;

/** Maximum time between the click and a change that lets a card spend more. After that the person is asked again. */
export const LATE_MS = 10 * 60_000;

/** The permission of one verb: a column of the verb table. Every `why` is a sentence for the refused person. */
export interface Permission {
  /** The required role; null: everyone in the company. Approvers may do everything that operators may. */
  readonly role: Role | null;
  /** Completes "Only approvers may …" and "Your request to …": `unblock cards`. */
  readonly doing: string;
  /** Replaces the sentence "Only … may …". */
  readonly whyRole?: string;
  /**
   * Concerns the cards of all groups, or a card that is in none yet: a role for the cards of some groups is not enough.
   */
  readonly ofAllCards?: true;
  /** The cardholder may also do it. */
  readonly holderMay?: boolean;
  /** Nobody may do it to their own card. */
  readonly notOwnCard?: { readonly why: string };
  /** Nobody may do it to something they asked for or approved themselves. */
  readonly notOwnAction?: { readonly why: string };
  /** Only the person who did it before may do it. */
  readonly onlyOwnAction?: { readonly why: string };
  /** Only within this time after it, and only after this delay. */
  readonly within?: { readonly ms: number; readonly why: string };
  readonly after?: { readonly ms: number; readonly why: string };
  /** Longer durations need an approver. */
  readonly operatorsUpTo?: { readonly ms: number; readonly why: string };
  /**
   * For actions that let a card spend more. `much`: others must approve a raise above the configured amount, and any
   * raise of one's own card; with `loosens`, also one of $0. `always`: others must approve any raise.
   */
  readonly needsOthers?: 'much' | 'always';
  /** Always loosens the card, whatever its state. For other verbs the facts decide. */
  readonly loosens?: true;
  /**
   * Waits for nobody who knows the card's group. `card`: unless the facts say otherwise, the card is safer with it, so it is
   * done even if the person is deactivated meanwhile. `alerts`: it concerns only the card's alerts.
   */
  readonly restricts?: 'card' | 'alerts';
}

/**
 * The facts at the time of the decision: read now, never taken from data stored at the click. Facts that are unknown
 * because the card is not settled yet are absent and checked once it is.
 */
export interface Facts {
  readonly roles: readonly Role[];
  /** Counts as the person's own card: linked to them now or until recently. */
  readonly isOwnCard?: boolean;
  /** The person is linked to the card's account now. Defaults to `isOwnCard`. */
  readonly isHolder?: boolean;
  /** The person has the role only as the delegate of somebody who may not do this themselves. */
  readonly isBarredDelegate?: boolean;
  /** The person did it, asked for it, or approved it before. */
  readonly isOwnAction?: boolean;
  /** Since the block or the request. */
  readonly ageMs?: number;
  /** Since the click. */
  readonly waitedMs?: number;
  /**
   * How much more the card may spend than the card service allows now, in whole cents, including what one person's
   * approvals added to the same rule in the last 24 hours. Infinity if no amount is known; 0: no more; absent: not read
   * yet, or no more.
   */
  readonly raiseCents?: number;
  /** The raise and earlier loosening exceed a cap. */
  readonly isOverCap?: boolean;
  /** How long it lasts; Infinity: permanently. */
  readonly lastsMs?: number;
}

/** The parts of the policy that apply to the case. */
type ForCase = Pick<ApprovalPolicy, 'bands'> & Partial<Pick<ApprovalPolicy, 'durations'>>;

export type Decision =
  | { readonly kind: 'allowed' }
  /** Becomes a request that needs `others` approvers besides the person who asks. */
  | { readonly kind: 'request'; readonly others: number }
  /** It waited too long: the person who asked has to confirm it again. */
  | { readonly kind: 'late' }
  /** `who` could do it instead; null: nobody any more. */
  | { readonly kind: 'refused'; readonly why: string; readonly who: Role | null };

/** True when one of `roles` is enough. Holders may act only on their own card, see {@link isForOwnCard}. */
export function mayAsk({ role, holderMay }: Permission, roles: readonly Role[]): boolean {
  if (role === null) return true;
  if (role !== 'holder' && (roles.includes('approver') || roles.includes(role))) return true;
  return roles.includes('holder') && (role === 'holder' || holderMay === true);
}

/** The group whose roles count before a card is known. Undefined: the roles for any card. */
export function groupAsked({ ofAllCards }: Permission): null | undefined {
  return ofAllCards === true ? null : undefined;
}

/** They have the role, but only for the cards of some groups. @param ofAnyCard their roles for any card. */
export function isForSomeCards(permission: Permission, ofAnyCard: readonly Role[]): boolean {
  return permission.ofAllCards === true && mayAsk(permission, ofAnyCard);
}

/** The roles that someone has whoever holds the card. */
export function withoutHolder(roles: readonly Role[]): Role[] {
  return roles.filter((role) => role !== 'holder');
}

/** True when someone may do it only as the cardholder, so it must be their own card. */
export function isForOwnCard(permission: Permission, roles: readonly Role[]): boolean {
  return mayAsk(permission, roles) && !mayAsk(permission, withoutHolder(roles));
}

/** True when it matters whether the card is the person's own. */
export function asksWhoseCard({ notOwnCard, needsOthers }: Permission): boolean {
  return notOwnCard !== undefined || needsOthers !== undefined;
}

const whoWords: Readonly<Record<Role, string>> = {
  approver: 'approvers',
  operator: 'operators and approvers',
  holder: 'the card’s holder',
};

/** True when it lets the card do more than it may now. */
export function loosens(permission: Permission, { raiseCents = 0 }: Pick<Facts, 'raiseCents'>): boolean {
  return permission.loosens === true || raiseCents > 0;
}

/**
 * Who may do what. Pure: all inputs are passed in, read at that moment. The worker calls it before each verb, again
 * immediately before calling the card service, and at each approval.
 *
 * Restricting a card is easy, letting it spend more is not: an operator blocks with one click, but a large raise needs
 * two different approvers, and nobody approves their own request.
 *
 * @param policy how many people must approve which amount, and the permitted durations.
 */
export function decide(permission: Permission, facts: Facts, policy: ForCase): Decision {
  const why = whyNot(permission, facts);
  if (why !== null) return { kind: 'refused', ...why };
  const tooLong = loosens(permission, facts) ? whyTooLong(policy, facts.lastsMs) : null;
  if (tooLong !== null) return { kind: 'refused', why: tooLong, who: null };
  const { waitedMs = 0 } = facts;
  const others = othersNeeded(permission, facts, policy);
  if (others > 0) return { kind: 'request', others };
  if (waitedMs <= LATE_MS || !loosens(permission, facts)) return { kind: 'allowed' };
  const { within } = permission;
  if (within === undefined) return { kind: 'late' };
  // Asked again, it would be too late: this time counts from what it is about. Once the card is known, so that the
  // refusal names it.
  const isCardKnown = facts.isOwnCard !== undefined;
  return isCardKnown ? { kind: 'refused', why: within.why, who: 'approver' } : { kind: 'allowed' };
}

/** How many different approvers a raise needs, regardless of who asks. */
export function approvalsNeeded(
  { raiseCents = 0, isOverCap = false }: Pick<Facts, 'raiseCents' | 'isOverCap'>,
  policy: Pick<ApprovalPolicy, 'bands'>,
): number {
  return Math.max(approvalsFor(policy, raiseCents), isOverCap ? 2 : 1);
}

/** How many besides the person who asks. An approver who asks counts, except for their own card. */
function othersNeeded(permission: Permission, facts: Facts, policy: Pick<ApprovalPolicy, 'bands'>): number {
  const { needsOthers } = permission;
  const { raiseCents, isOwnCard = false } = facts;
  // A new card without money of its own may still spend the balance of the business.
  const isLooser = raiseCents !== undefined && loosens(permission, facts);
  if (needsOthers === undefined || (needsOthers === 'much' && !isLooser)) return 0;
  const needed = approvalsNeeded(facts, policy);
  return isOwnCard || needsOthers === 'always' ? needed : needed - 1;
}

function whyNot(permission: Permission, facts: Facts): { why: string; who: Role | null } | null {
  const { role, holderMay, notOwnCard, notOwnAction, onlyOwnAction, within, after, operatorsUpTo } = permission;
  const { roles, isOwnCard, isHolder = isOwnCard ?? roles.includes('holder'), isOwnAction, ageMs, lastsMs } = facts;
  const byRole = mayAsk(permission, withoutHolder(roles));
  const asHolder = isHolder && (role === 'holder' || holderMay === true);
  if (!byRole && !asHolder) {
    const only = `Only ${whoWords[role ?? 'operator']} may ${permission.doing}`;
    const barred = 'and the person you stand in for may not do this themselves';
    const why = permission.whyRole ?? (facts.isBarredDelegate === true ? `${only}, ${barred}.` : `${only}.`);
    // Who else may not do it either, but approvers may do the same in another way.
    return onlyOwnAction === undefined ? { why, who: role } : { why: onlyOwnAction.why, who: 'approver' };
  }
  if (onlyOwnAction !== undefined && isOwnAction === false) return { why: onlyOwnAction.why, who: 'approver' };
  if (within !== undefined && ageMs !== undefined && ageMs > within.ms) return { why: within.why, who: 'approver' };
  if (notOwnCard !== undefined && isOwnCard === true) return { why: notOwnCard.why, who: role };
  if (notOwnAction !== undefined && isOwnAction === true) return { why: notOwnAction.why, who: role };
  if (after !== undefined && ageMs !== undefined && ageMs < after.ms) return { why: after.why, who: 'approver' };
  if (operatorsUpTo !== undefined && (lastsMs ?? 0) > operatorsUpTo.ms && !roles.includes('approver'))
    return { why: operatorsUpTo.why, who: 'approver' };
  return null;
}
