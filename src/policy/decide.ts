import type { Role } from './permissions.ts';

/** What can be done to a card or a request, as the policy sees it. */
export const policyVerbs = [
  'show',
  'acknowledge',
  'activate',
  'block',
  'undo_block',
  'unblock',
  'lower',
  'raise',
  'take_back',
  'settle_lease',
  'ask',
  'approve',
  'deny',
  'break_glass',
] as const;
export type PolicyVerb = (typeof policyVerbs)[number];

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

export interface Case {
  readonly verb: PolicyVerb;
  readonly roles: readonly Role[];
  /** The person is linked to the card's account as its holder. */
  readonly isOwnCard: boolean;
  /**
   * For raises: whole cents that the card may spend more, with what the last 24 hours added to the same rule by one
   * person's yes. Infinity where no amount says how much.
   */
  readonly amountCents?: number;
  /** For `undo_block`: the person blocked it. For `approve` and `break_glass`: the person asked for it or said yes before. */
  readonly isOwnAction?: boolean;
  /** Since the block, or since the request. */
  readonly ageMs?: number;
}

export type Verdict =
  | { readonly kind: 'allowed' }
  /** Not alone: it becomes a request. `others` approvers have to say yes besides the person who asks. */
  | { readonly kind: 'request'; readonly others: 1 | 2 }
  /** `who` can do it: the card's holder, or a role; null: nobody any more. */
  | { readonly kind: 'refused'; readonly why: string; readonly who: Role | 'holder' | null };

const allowed: Verdict = { kind: 'allowed' };
const refused = (why: string, who: Role | 'holder' | null): Verdict => ({ kind: 'refused', why, who });

/**
 * Who may do what. Pure: roles are looked up at the click, everything else when it is done.
 *
 * What makes a card safer is easy, what makes it spend more is not: one click of an operator blocks, but two different
 * approvers raise by much, and nobody says yes to a wish of their own.
 */
export function judge(one: Case, rules: { readonly twoPersonAboveCents: number }): Verdict {
  const isApprover = one.roles.includes('approver');
  const isOperator = isApprover || one.roles.includes('operator');
  const isMuch = (one.amountCents ?? 0) > rules.twoPersonAboveCents;
  const age = one.ageMs ?? 0;

  switch (one.verb) {
    case 'show':
    case 'acknowledge':
    case 'activate':
    case 'take_back':
      return isOperator ? allowed : refused('Only operators and approvers may do that.', 'operator');

    case 'block':
      // A stolen card must not wait for anybody: its holder may block it, too.
      return isOperator || one.isOwnCard
        ? allowed
        : refused('Only operators, approvers and the card’s holder may block it.', 'operator');

    case 'undo_block':
      if (!isOperator || one.isOwnAction !== true) return refused('Only who blocked it can undo that.', 'approver');
      return age <= UNDO_MS ? allowed : refused('That can be undone for a minute only.', 'approver');

    case 'unblock':
      if (!isApprover) return refused('Only approvers may unblock cards.', 'approver');
      return one.isOwnCard ? refused('Nobody unblocks the own card: it takes another approver.', 'approver') : allowed;

    case 'lower':
      return isApprover ? allowed : refused('Only approvers may change limits.', 'approver');

    case 'raise':
      if (!isApprover) return refused('Only approvers may change limits.', 'approver');
      // The yes of an approver who holds the card counts for nothing.
      if (one.isOwnCard) return { kind: 'request', others: isMuch ? 2 : 1 };
      return isMuch ? { kind: 'request', others: 1 } : allowed;

    case 'ask':
      return one.isOwnCard
        ? { kind: 'request', others: isMuch ? 2 : 1 }
        : refused('Only the card’s holder can ask for more.', 'holder');

    case 'settle_lease':
      if (!isApprover) return refused('Only approvers may decide that.', 'approver');
      return one.isOwnCard
        ? refused('Nobody decides about the own card: it takes another approver.', 'approver')
        : allowed;

    case 'approve':
      if (!isApprover) return refused('Only approvers may decide requests.', 'approver');
      if (one.isOwnCard) return refused('It is your own card: it takes another approver.', 'approver');
      if (one.isOwnAction === true)
        return refused('You have approved it already: it takes a different approver.', 'approver');
      return allowed;

    case 'deny':
      return isApprover ? allowed : refused('Only approvers may decide requests.', 'approver');

    case 'break_glass':
      if (!isOperator) return refused('Only operators may break the glass.', 'operator');
      if (one.isOwnCard || one.isOwnAction === true) {
        return refused('Nobody breaks the glass for a wish of their own.', 'operator');
      }
      return age >= PATIENCE_MS
        ? allowed
        : refused('The approvers have 15 minutes to answer before the glass may be broken.', 'approver');
  }
}
