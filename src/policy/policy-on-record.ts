import type { PolicyOnRecord } from '../audit/audit-record.ts';
import { formatCents } from '../core/money.ts';
import { aloneCents, approvalsAbove } from './approval-policy.ts';
import type { Permission, Role } from './decide-action.ts';
import type { People, Policy } from './policy.ts';

/**
 * Who may do what, in one line for the record, with the policy's hash.
 *
 * @param verbs the verb table.
 */
export function policyOnRecord(
  verbs: Readonly<Record<string, { readonly permission: Permission }>>,
  { hash, source, standard, groups }: Policy,
): PolicyOnRecord {
  const verbsWhere = (fits: (permission: Permission) => boolean): string =>
    Object.entries(verbs)
      .filter(([, { permission }]) => fits(permission))
      .map(([verb]) => verb)
      .join(', ');
  const may = (needed: Role): string => verbsWhere(({ role }) => role === needed);
  const who = ({ permitted }: People): string => (permitted.length === 0 ? 'nobody' : permitted.toSorted().join(' '));
  const alone = aloneCents(standard.approval);
  const own = groups.map(({ cardGroups }) => cardGroups.join(', ')).join('; ');
  const words = [
    `operators (${who(standard.operators)}): ${may('operator')}`,
    `approvers (${who(standard.approvers)}): these and ${may('approver')}`,
    `holders, their own card: ${verbsWhere(({ role, holderMay }) => role === 'holder' || holderMay === true)}`,
    `${approvalsAbove(standard.approval)} approvers for ${alone === null ? 'a change without an amount' : `a raise above ${formatCents(alone)}`}`,
    ...(own === '' ? [] : [`other rules for cards in ${own}`]),
    `from ${source}`,
  ].join('; ');
  return { version: `pol_${hash}`, words };
}
