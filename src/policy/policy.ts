import { hash } from 'node:crypto';
import { z } from 'zod';
import { localDate } from '../core/service-time.ts';
import { type ApprovalPolicy, approvalPolicyOf } from './approval-policy.ts';
import type { Role } from './decide-action.ts';

/** Slack user ids (`U…`) and user group ids (`S…`). */
export interface People {
  /** People who have the role. */
  readonly permitted: readonly string[];
  /** People named in messages. Others may also act but are not notified. */
  readonly mentioned: readonly string[];
}

/** The rules for some of the cards. */
export interface PolicySection {
  /** The card service's names for these card groups. Empty: every card that is in no other section. */
  readonly cardGroups: readonly string[];
  readonly approvers: People;
  readonly operators: People;
  readonly approval: ApprovalPolicy;
  /** Where requests are posted; null: in `ALERTS_CHANNEL_APPROVALS`. */
  readonly approvalsChannel: string | null;
}

/** A delegate for another person, from the first to the last day inclusive. */
export const Delegation = z.strictObject({
  for: z.string(),
  to: z.string(),
  /** `YYYY-MM-DD`, in the card service's time zone. */
  from: z.iso.date(),
  until: z.iso.date(),
});
export type Delegation = Readonly<z.infer<typeof Delegation>>;

/** Finance's rules: who may do what, alone or with whom. */
export interface Policy {
  /** SHA-256 of the file's exact content. On record with every entry. */
  readonly hash: string;
  /** The source, for people. */
  readonly source: string;
  readonly standard: PolicySection;
  readonly groups: readonly PolicySection[];
  readonly delegations: readonly Delegation[];
  /** Slack user ids that approvers may name as their delegates. */
  readonly ownDelegates: readonly string[];
  readonly zone: string;
}

/** The policy settings from the environment variables. */
export interface PolicyVariables {
  readonly operators: readonly string[];
  readonly approvers: readonly string[];
  readonly twoPersonAboveCents: number;
  readonly serviceZone: string;
}

/** The policy without a file. */
export function policyOfVariables(variables: PolicyVariables): Policy {
  const { operators, approvers, twoPersonAboveCents, serviceZone } = variables;
  const all = (ids: readonly string[]): People => ({ permitted: ids, mentioned: ids });
  return {
    hash: hash('sha256', JSON.stringify([operators.toSorted(), approvers.toSorted(), twoPersonAboveCents])),
    source: 'OPERATORS, APPROVERS and TWO_PERSON_ABOVE',
    standard: {
      cardGroups: [],
      operators: all(operators),
      approvers: all(approvers),
      approval: approvalPolicyOf({ twoPersonAboveCents }),
      approvalsChannel: null,
    },
    groups: [],
    delegations: [],
    ownDelegates: [],
    zone: serviceZone,
  };
}

/** The section for a card. @param group as the card service names it; null: none, or unknown. */
export function sectionOf({ standard, groups }: Policy, group: string | null): PolicySection {
  const wanted = fold(group);
  return groups.find(({ cardGroups }) => cardGroups.some((name) => fold(name) === wanted)) ?? standard;
}

/** Card group names are compared ignoring case and surrounding spaces. */
export function fold(group: string | null): string {
  return (group ?? '').trim().toLowerCase();
}

/** Everyone who has a role for a card. @param group undefined: for any card. */
export function permittedTo(policy: Policy, role: Role, group?: string | null): readonly string[] {
  return namesIn(policy, role, 'permitted', group);
}

/**
 * Whom to mention, plus their current delegates. Approvers may do everything that operators may.
 *
 * @param isActive false for a person who can do nothing: not mentioned, and neither are their delegates.
 */
export function mentionedAs(
  policy: Policy,
  role: Role,
  now: Date,
  group?: string | null,
  isActive: (userId: string) => boolean = () => true,
): readonly string[] {
  if (role === 'holder') return [];
  const approvers = namesIn(policy, 'approver', 'mentioned', group);
  const operators = role === 'approver' ? [] : namesIn(policy, 'operator', 'mentioned', group);
  const named = [...operators, ...approvers].filter(isActive);
  const delegates = delegationsAt(policy, now).filter((delegation) => named.includes(delegation.for));
  return [...new Set([...named, ...delegates.map(({ to }) => to).filter(isActive)])];
}

function namesIn(policy: Policy, role: Role, which: keyof People, group: string | null | undefined): readonly string[] {
  if (role === 'holder') return [];
  const sections = group === undefined ? [policy.standard, ...policy.groups] : [sectionOf(policy, group)];
  const lists = sections.map((section) => (role === 'approver' ? section.approvers : section.operators)[which]);
  return [...new Set(lists.flat())];
}

/** Whom a person acts for as a delegate at a given time. Delegated roles cannot be delegated further. */
export function standsInFor(policy: Policy, userId: string, now: Date): readonly string[] {
  return delegationsAt(policy, now).flatMap(({ for: whom, to }) => (to === userId ? [whom] : []));
}

/** The policy with the delegates that approvers have named. People it no longer lists are not delegates. */
export function withNamedDelegates(policy: Policy, named: readonly Delegation[]): Policy {
  const allowed = named.filter(({ to }) => policy.ownDelegates.includes(to));
  return allowed.length === 0 ? policy : { ...policy, delegations: [...policy.delegations, ...allowed] };
}

/** A person's delegates, today or later. */
export function delegatesOf({ delegations, zone }: Policy, userId: string, now: Date): readonly Delegation[] {
  const today = localDate(now, zone);
  return delegations.filter((one) => one.for === userId && one.until >= today);
}

/** The delegate that somebody has named. Null: it is over, or the policy no longer lists that person. */
export function delegateInForce(policy: Policy, named: Delegation, now: Date): Delegation | null {
  const own = withNamedDelegates({ ...policy, delegations: [] }, [named]);
  return delegatesOf(own, named.for, now)[0] ?? null;
}

/** The delegations of that day. */
export function delegationsAt({ delegations, zone }: Policy, now: Date): readonly Delegation[] {
  if (delegations.length === 0) return [];
  const day = localDate(now, zone);
  return delegations.filter(({ from, until }) => from <= day && day <= until);
}
