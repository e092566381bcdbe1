import { policyOfVariables } from '../../../src/policy/policy.ts';

/** A policy from variables, with a person and a user group for each role. */
export const variables = policyOfVariables({
  operators: ['U1', 'S1'],
  approvers: ['U2', 'S2'],
  twoPersonAboveCents: 100_000,
  serviceZone: 'America/New_York',
});
