import { formatCents } from '../../src/core/money.ts';
import { approvalsFor, type Band } from '../../src/policy/approval-policy.ts';
import { type People, type Policy, type PolicySection, permittedTo } from '../../src/policy/policy.ts';
import { countOf } from '../../templates/core/blocks.ts';

/** What a valid policy says, one sentence each, and which approvals it makes impossible. */
export function checkWords(policy: Policy): string[] {
  const { standard, groups } = policy;
  const names = groups.map(({ cardGroups }) => cardGroups.join(', '));
  return [
    `Approvers: ${namedWords(permittedTo(policy, 'approver'))}. Operators: ${namedWords(permittedTo(policy, 'operator'))}.`,
    ...(names.length === 0 ? [] : [`Rules of their own: ${names.join('; ')}.`]),
    ...impossible(groups.length === 0 ? 'Raises' : 'Other cards: raises', standard.approvers, raisesIn(standard)),
    ...impossible('Orders', standard.approvers, standard.approval.orderBands.map(toNeed)),
    ...groups.flatMap((group) =>
      impossible(`Cards of ${group.cardGroups.join(', ')}: raises`, group.approvers, raisesIn(group)),
    ),
  ];
}

/** What needs this many approvers. */
interface Need {
  readonly which: string;
  readonly approvals: number;
}

function raisesIn({ approval }: PolicySection): Need[] {
  const withoutAmount = { which: ' without an amount', approvals: approvalsFor(approval, Number.POSITIVE_INFINITY) };
  return [...approval.bands.map(toNeed), withoutAmount];
}

function toNeed({ approvals }: Band, index: number, bands: readonly Band[]): Need {
  const above = bands[index - 1]?.upToCents ?? null;
  return { which: above === null ? '' : ` above ${formatCents(above)}`, approvals };
}

const isUserGroup = (id: string): boolean => id.startsWith('S');

function namedWords(ids: readonly string[]): string {
  const groups = ids.filter(isUserGroup).length;
  const people = ids.length - groups;
  if (ids.length === 0) return 'nobody';
  return [
    ...(people === 0 ? [] : [people === 1 ? '1 person' : `${people} people`]),
    ...(groups === 0 ? [] : [countOf(groups, 'user group')]),
  ].join(' and ');
}

/** Delegates do not help: they count together with whom they act for. A user group may have any number of members. */
function impossible(what: string, { permitted }: People, needs: readonly Need[]): string[] {
  if (permitted.some(isUserGroup)) return [];
  const need = needs.find(({ approvals }) => approvals > permitted.length);
  if (need === undefined) return [];
  const named = ['nobody is', 'only 1 is'][permitted.length] ?? `only ${permitted.length} are`;
  const approvers = countOf(need.approvals, 'approver');
  return [`${what}${need.which} need ${approvers}, and ${named} named: nobody can get them approved.`];
}
