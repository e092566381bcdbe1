import type { SpendRules } from '../../src/card-api/spend-rules.ts';
import type { TemporaryChange } from '../../src/limits/temporary-change-store.ts';
import { limitChange } from './limit-goals.ts';
import { acctId } from './perform-world.ts';

export const openedAt = '2026-11-20T15:00:00.000Z';

/** A daily limit of $450 for an hour, then $400 again. */
export function temporaryChangeOf(over: Partial<TemporaryChange> = {}): TemporaryChange {
  return {
    id: 'act_1',
    acctId,
    changes: [limitChange('daily', 40_000, 45_000)],
    term: { kind: 'duration', ms: 3_600_000 },
    by: { userId: 'U0ANA', teamId: 'T1' },
    openedAt,
    endsAt: '2026-11-20T16:00:00.000Z',
    purchase: null,
    alertId: null,
    requestId: null,
    rulesetId: null,
    certainty: 'pending',
    state: 'open',
    meanwhile: null,
    closedAt: null,
    closedBy: null,
    closingActionId: null,
    ...over,
  };
}

/** The rules of a card with only these limits, in whole cents. */
export function rulesOf(limits: Partial<SpendRules['limits']>): SpendRules {
  return {
    limits: { daily: null, weekly: null, monthly: null, yearly: null, lifetime: null, ...limits },
    categories: [],
    apartCents: 0,
    isEveryCategoryAllowed: true,
    isInternationalAllowed: true,
    isCardNotPresentAllowed: true,
    usesBusinessBalance: null,
  };
}
