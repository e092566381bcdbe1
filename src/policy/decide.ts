import { z } from 'zod';

/** `holder`: a card account is linked to this Slack user. Which one counts is looked up when the card is known. */
export const Role = z.enum(['operator', 'approver', 'holder']);
export type Role = z.infer<typeof Role>;

/** Whoever blocked by mistake takes it back within this time; afterwards unblocking is for approvers. */
export const UNDO_MS = 60_000;
/** After this time without an answer the approvers are reminded, and operators may break the glass. */
export const PATIENCE_MS = 15 * 60_000;
/** A request that nobody decides ends by itself. Never a yes by silence. */
export const REQUEST_MS = 24 * 3_600_000;
/** What was done behind broken glass ends at the latest after this time. */
export const OVERRIDE_AFTER_MS = 3_600_000;
/** Raises of one rule of a card within this time count together; glass is broken once within it. */
export const COUNTED_MS = 24 * 3_600_000;

/** What the policy says of one verb: a column of the verb table. Every `why` is a sentence for who is refused. */
export interface Permission {
  /** Needed to ask for it; null: everybody of the company. An approver may do all that an operator may. */
  readonly role: Role | null;
  /** Behind "Only approvers may": `unblock cards`. */
  readonly doing: string;
  /** Of a role that is missing when it is done, where that is not told as "Only … may …". */
  readonly whyRole?: string;
  /** The card's holder may do it as well, with the own card. */
  readonly holderMay?: boolean;
  /** Nobody does it with the own card. */
  readonly notOwnCard?: { readonly why: string };
  /** Nobody does it with what they asked for or said yes to before. */
  readonly notOwnAction?: { readonly why: string };
  /** Only who did it before does it. */
  readonly onlyOwnAction?: { readonly why: string };
  /** Until so long after, and not until so long after. */
  readonly within?: { readonly ms: number; readonly why: string };
  readonly after?: { readonly ms: number; readonly why: string };
  /**
   * What lets a card spend more. `much`: others have to say yes to a raise above the configured amount, and to any raise
   * of the own card. `always`: others have to say yes to any.
   */
  readonly needsOthers?: 'much' | 'always';
}

/** Who asks, and what is known of the case by now. What is not given does not matter to the verb. */
export interface Question {
  readonly roles: readonly Role[];
  /** The person is linked to the card's account as its holder. */
  readonly isOwnCard: boolean;
  /** The person did it, asked for it, or said yes to it before. */
  readonly isOwnAction?: boolean;
  /** Since the block, or since the request. */
  readonly ageMs?: number;
  /**
   * Whole cents that the card may spend more, with what the last 24 hours added to the same rule by one person's yes.
   * Infinity where no amount says how much; 0 or absent: it spends no more.
   */
  readonly raiseCents?: number;
}

export type Decision =
  | { readonly kind: 'allowed' }
  /** Not alone: it becomes a request. `others` approvers have to say yes besides the person who asks. */
  | { readonly kind: 'request'; readonly others: 1 | 2 }
  /** `who` can do it: a role; null: nobody any more. */
  | { readonly kind: 'refused'; readonly why: string; readonly who: Role | null };

/** True when one of `roles` is enough to ask; for a holder only with the own card, see {@link isForOwnCard}. */
export function mayAsk({ role, holderMay }: Permission, roles: readonly Role[]): boolean {
  if (role === null) return true;
  if (role !== 'holder' && (roles.includes('approver') || roles.includes(role))) return true;
  return roles.includes('holder') && (role === 'holder' || holderMay === true);
}

/** True when somebody may do it as the card's holder only: then it has to be the own card. */
export function isForOwnCard(permission: Permission, roles: readonly Role[]): boolean {
  const others = roles.filter((role) => role !== 'holder');
  return mayAsk(permission, roles) && !mayAsk(permission, others);
}

const whoWords: Readonly<Record<Role, string>> = {
  approver: 'approvers',
  operator: 'operators and approvers',
  holder: 'the card’s holder',
};

/**
 * Who may do what. Pure: roles are looked up at the click, everything else when it is done.
 *
 * What makes a card safer is easy, what makes it spend more is not: one click of an operator blocks, but two different
 * approvers raise by much, and nobody says yes to a change request of their own.
 *
 * @param rules.twoPersonAboveCents a raise above this takes two approvers.
 */
export function decide(
  permission: Permission,
  question: Question,
  rules: { readonly twoPersonAboveCents: number },
): Decision {
  const why = whyNot(permission, question);
  if (why !== null) return { kind: 'refused', ...why };
  const { needsOthers } = permission;
  const { raiseCents = 0, isOwnCard } = question;
  if (needsOthers === undefined || (needsOthers === 'much' && raiseCents <= 0)) return { kind: 'allowed' };
  const isMuch = raiseCents > rules.twoPersonAboveCents;
  // The yes of an approver who holds the card counts for nothing.
  if (isOwnCard || needsOthers === 'always') return { kind: 'request', others: isMuch ? 2 : 1 };
  return isMuch ? { kind: 'request', others: 1 } : { kind: 'allowed' };
}

function whyNot(permission: Permission, question: Question): { why: string; who: Role | null } | null {
  const { role, notOwnCard, notOwnAction, onlyOwnAction, within, after } = permission;
  const { roles, isOwnCard, isOwnAction = false, ageMs = 0 } = question;
  const byRole = mayAsk(
    permission,
    roles.filter((one) => one !== 'holder'),
  );
  const asHolder = isOwnCard && (role === 'holder' || permission.holderMay === true);
  if (!byRole && !asHolder) {
    const why = permission.whyRole ?? `Only ${whoWords[role ?? 'operator']} may ${permission.doing}.`;
    return { why: onlyOwnAction?.why ?? why, who: role };
  }
  if (onlyOwnAction !== undefined && !isOwnAction) return { why: onlyOwnAction.why, who: 'approver' };
  if (within !== undefined && ageMs > within.ms) return { why: within.why, who: 'approver' };
  if (notOwnCard !== undefined && isOwnCard) return { why: notOwnCard.why, who: role };
  if (notOwnAction !== undefined && isOwnAction) return { why: notOwnAction.why, who: role };
  if (after !== undefined && ageMs < after.ms) return { why: after.why, who: 'approver' };
  return null;
}
