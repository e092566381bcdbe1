import { permissionOf } from '../../src/dispatch/verbs.ts';
import { approvalPolicyOf } from '../../src/policy/approval-policy.ts';
import { type Authorization, createAuthorization } from '../../src/policy/authorize.ts';
import type { Role } from '../../src/policy/decide.ts';

/** The policy as the worker asks it, for somebody with these roles, at the time of {@link ask}. */
export function authorizationOf({
  roles = ['operator', 'approver'],
  holder = null,
}: {
  readonly roles?: Role[];
  readonly holder?: string | null;
} = {}): Authorization {
  return createAuthorization({
    rolesOf: async () => ({ roles, isComplete: true }),
    links: { ofAccount: async () => (holder === null ? null : { userId: holder }) },
    isOwnCard: async (userId) => userId === holder,
    policyOfCard: async () => approvalPolicyOf({ twoPersonAboveCents: 100_000 }),
    groupOfCard: async () => null,
    permissionOf,
    now: () => new Date('2026-11-20T15:00:00.000Z'),
  });
}
