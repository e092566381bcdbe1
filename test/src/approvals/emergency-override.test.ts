import { expect, it } from 'vitest';
import { createCapChange } from '../../../src/approvals/emergency-override.ts';
import type { RuleChange } from '../../../src/card-api/rule-change.ts';
import { serviceDays } from '../../../src/core/service-time.ts';
import { approvalPolicyOf } from '../../../src/policy/approval-policy.ts';
import { openRequestOf, raiseDaily } from '../../support/limit-requests.ts';

const hour = { kind: 'duration', ms: 3_600_000 } as const;
const online: RuleChange = { rule: { kind: 'card_not_present' }, from: false, to: true };

const capChange = (purchaseCents: number | null) =>
  createCapChange({
    purchaseOf: async () => (purchaseCents === null ? null : { amountCents: purchaseCents }),
    serviceDays: serviceDays('America/New_York'),
    policyOfCard: async () => approvalPolicyOf({ twoPersonAboveCents: 100_000 }),
    now: () => new Date('2026-11-20T15:00:00.000Z'),
  });

it('leaves a small raise for an hour as it was asked for', async () => {
  expect(await capChange(null)(openRequestOf())).toEqual({ changes: [raiseDaily], term: hour });
});

it('lowers a raise to what one approver could allow, and cuts its time to an hour', async () => {
  const request = openRequestOf({ changes: [{ ...raiseDaily, to: 500_000 }], term: { kind: 'permanent' } });

  expect(await capChange(null)(request)).toEqual({ changes: [{ ...raiseDaily, to: 140_000 }], term: hour });
});

it('lowers a limit that should go to an amount', async () => {
  const request = openRequestOf({ changes: [{ ...raiseDaily, to: null }] });

  expect((await capChange(null)(request))?.changes).toEqual([{ ...raiseDaily, to: 140_000 }]);
});

it.each<[string, number | null, boolean]>([
  ['a small purchase', 100_000, true],
  ['a larger purchase', 100_001, false],
  ['no purchase at all', null, false],
])('opens a rule for %s (%s cents), and for that purchase only: %s', async (_what, cents, isAllowed) => {
  const capped = await capChange(cents)(openRequestOf({ changes: [online] }));

  expect(capped).toEqual(isAllowed ? { changes: [online], term: { kind: 'purchase' } } : null);
});
