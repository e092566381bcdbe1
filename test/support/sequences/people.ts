/** Who may act, in the model: by the words of `docs/policy.md`. Shares no code with `src/policy`. */

interface Cap {
  readonly dayCents: number | null;
  readonly monthCents: number | null;
}

export type Bands = readonly { readonly upToCents: number | null; readonly approvals: number }[];

/** The rules for the cards of a group. */
export interface Rules {
  readonly bands: Bands;
  readonly orderBands: Bands;
  readonly caps: Readonly<Record<'person' | 'card' | 'program', Cap>>;
  readonly durations: { readonly longestMs: number | null; readonly mayStay: boolean };
}

export type ModelRole = 'approver' | 'operator';

/** Current facts about people and the policy. `acctId` null: a card that is still being ordered. */
export interface Standing {
  readonly now: number;
  rulesOf(acctId: number | null): Rules;
  /** The policy itself gives them the role for this card. */
  isNamed(role: ModelRole, userId: string, acctId: number | null): boolean;
  /** Those of today. */
  readonly delegations: readonly { readonly for: string; readonly to: string }[];
  /** Whether the email address matches. Links are in the facts. */
  hasAddressOf(userId: string, acctId: number): boolean;
}

/** In whose place nobody may act: those who asked, or whose card it is. */
export type BarredFrom = (userId: string) => boolean;

/**
 * In whose name a person has a role for a card: in their own, or else of those they stand in for. Delegated roles are not
 * passed on. Empty: they do not have it.
 */
export function namesOf(
  role: ModelRole,
  userId: string,
  acctId: number | null,
  { isNamed, delegations }: Standing,
  isBarred: BarredFrom = () => false,
): readonly string[] {
  if (isNamed(role, userId, acctId)) return [userId];
  return delegations
    .filter(({ for: whom, to }) => to === userId && isNamed(role, whom, acctId) && !isBarred(whom))
    .map(({ for: whom }) => whom);
}

/**
 * How many approvals these people are together: a person and all their delegates are one.
 *
 * @param names in whose name each of them may approve.
 */
export function countApprovals(names: readonly (readonly string[])[]): number {
  const [first, ...rest] = names;
  if (first === undefined) return 0;
  const without = (name: string) => rest.map((each) => each.filter((other) => other !== name));
  return Math.max(countApprovals(rest), ...first.map((name) => 1 + countApprovals(without(name))));
}
