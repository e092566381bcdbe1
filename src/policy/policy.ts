import { hash } from 'node:crypto';
import { type ApprovalPolicy, approvalPolicyOf } from './approval-policy.ts';
import type { Role } from './decide-action.ts';

/** Slack user ids (`U…`) and user group ids (`S…`). */
export interface People {
  /** Who may. */
  readonly permitted: readonly string[];
  /** Whom a message names: others may as well, but are not disturbed. */
  readonly mentioned: readonly string[];
}

/** What holds for some of the cards. */
export interface PolicySection {
  /** What the card service calls the groups of these cards. Empty: every card that is in no other section. */
  readonly cardGroups: readonly string[];
  readonly approvers: People;
  readonly operators: People;
  readonly approval: ApprovalPolicy;
  /** Where requests are posted; null: in `ALERTS_CHANNEL_APPROVALS`. */
  readonly approvalsChannel: string | null;
}

/** Somebody stands in for somebody else, on these days and the days between. */
export interface Delegation {
  readonly for: string;
  readonly to: string;
  /** `YYYY-MM-DD`, in the zone of the card service. */
  readonly from: string;
  readonly until: string;
}

/** What finance decided: who may do what, alone or with whom. */
export interface Policy {
  /** SHA-256, of the file as it is. On record with every entry. */
  readonly hash: string;
  /** Where it comes from, for people. */
  readonly source: string;
  readonly standard: PolicySection;
  readonly groups: readonly PolicySection[];
  readonly delegations: readonly Delegation[];
  /** Slack user ids: whom approvers may name as their delegate by themselves. */
  readonly ownDelegates: readonly string[];
  readonly zone: string;
}

/** What the variables say. */
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

/** What holds for a card. @param group as the card service calls it; null: none, or not known. */
export function sectionOf({ standard, groups }: Policy, group: string | null): PolicySection {
  const wanted = fold(group);
  return groups.find(({ cardGroups }) => cardGroups.some((name) => fold(name) === wanted)) ?? standard;
}

/** Names of card groups are compared without regard to case and spaces around them. */
export function fold(group: string | null): string {
  return (group ?? '').trim().toLowerCase();
}

/** All who have a role for a card. @param group undefined: for any card. */
export function permittedTo(policy: Policy, role: Role, group?: string | null): readonly string[] {
  return namesIn(policy, role, 'permitted', group);
}

/** Whom to mention, and whoever stands in for them by now. Approvers may do everything that operators may. */
export function mentionedAs(policy: Policy, role: Role, now: Date, group?: string | null): readonly string[] {
  if (role === 'holder') return [];
  const approvers = namesIn(policy, 'approver', 'mentioned', group);
  const operators = role === 'approver' ? [] : namesIn(policy, 'operator', 'mentioned', group);
  const named = [...operators, ...approvers];
  const delegates = delegationsAt(policy, now).filter((delegation) => named.includes(delegation.for));
  return [...new Set([...named, ...delegates.map(({ to }) => to)])];
}

function namesIn(policy: Policy, role: Role, which: keyof People, group: string | null | undefined): readonly string[] {
  if (role === 'holder') return [];
  const sections = group === undefined ? [policy.standard, ...policy.groups] : [sectionOf(policy, group)];
  const lists = sections.map((section) => (role === 'approver' ? section.approvers : section.operators)[which]);
  return [...new Set(lists.flat())];
}

/** Whom somebody stands in for at a moment. Nobody passes on what they were given themselves. */
export function standsInFor(policy: Policy, userId: string, now: Date): readonly string[] {
  return delegationsAt(policy, now).flatMap(({ for: whom, to }) => (to === userId ? [whom] : []));
}

/** The policy with the delegates that approvers have named. Whom it does not list any more stands in for nobody. */
export function withNamedDelegates(policy: Policy, named: readonly Delegation[]): Policy {
  const allowed = named.filter(({ to }) => policy.ownDelegates.includes(to));
  return allowed.length === 0 ? policy : { ...policy, delegations: [...policy.delegations, ...allowed] };
}

/** Those of that day. */
export function delegationsAt({ delegations, zone }: Policy, now: Date): readonly Delegation[] {
  const day = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' }).format(now);
  return delegations.filter(({ from, until }) => from <= day && day <= until);
}
