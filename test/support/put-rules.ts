import { createPutRules, type PutRules } from '../../src/limits/put-rules.ts';

type Deps = Parameters<typeof createPutRules>[0];

/** Writes rules with these functions. Nothing is remembered of the writes. */
export function putRulesWith(
  applyChanges: Deps['applyChanges'],
  putSpendRules: Deps['card']['putSpendRules'],
): PutRules {
  const ruleWrites = { begin: async () => [], made: async () => [], notMade: async () => [] };
  return createPutRules({ card: { putSpendRules }, applyChanges, ruleWrites, now: () => new Date() });
}
