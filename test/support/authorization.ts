import { permissionOf } from '../../src/dispatch/verbs.ts';
import { type ApprovalPolicy, approvalPolicyOf } from '../../src/policy/approval-policy.ts';
import { type Authorization, createAuthorization } from '../../src/policy/authorize.ts';
import type { Role } from '../../src/policy/decide-action.ts';
import { createRolesForCard } from '../../src/policy/roles-for-card.ts';

/** The worker's authorization for a person with these roles, at the time of {@link ask}. */
export function authorizationOf({
  roles = ['operator', 'approver'],
  holder = null,
  policy = approvalPolicyOf({ twoPersonAboveCents: 100_000 }),
}: {
  readonly roles?: Role[];
  readonly holder?: string | null;
  readonly policy?: ApprovalPolicy;
} = {}): Authorization {
  const rolesOf = async () => ({ roles, isComplete: true });
  return createAuthorization({
    rolesOf,
    person: async () => null,
    rolesForCard: createRolesForCard({
      rolesOf,
      groupOfCard: async () => null,
      links: { isHeldBy: async (userId) => userId === holder },
    }),
    isOwnCard: async (userId) => userId === holder,
    policyOfCard: async () => policy,
    permissionOf,
    remember: async () => {},
    now: () => new Date('2026-11-20T15:00:00.000Z'),
  });
}
