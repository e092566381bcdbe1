import type { RecordedDecision } from '../../src/policy/decision-store.ts';

/** An approver was allowed to raise a limit by $50. */
export function recordedDecision(over: Partial<RecordedDecision> = {}): RecordedDecision {
  return {
    actionId: 'act_1',
    verb: 'limit',
    userId: 'U0ANA',
    roles: ['approver'],
    acctId: 7,
    group: null,
    isOwnCard: false,
    isHolder: false,
    isOwnAction: null,
    ageMs: null,
    raiseCents: 5000,
    isOverCap: false,
    lastsMs: 'stays',
    kind: 'allowed',
    others: 0,
    ...over,
  };
}
