import { expect, it } from 'vitest';
import type { Band } from '../../../src/policy/approval-policy.ts';
import { virtualOrderForm } from '../../../templates/virtual-cards/order-form.ts';

it('says above which amount a second approver is needed, if there is one', () => {
  const form = (...bands: Band[]): string =>
    JSON.stringify(virtualOrderForm({ privateMetadata: 'p_1', firstName: '', lastName: '', bands }));
  const alone = { upToCents: 50_000, approvals: 1 };

  expect(form(alone, { upToCents: null, approvals: 2 })).toContain(
    'More than $500.00 within 24 hours needs a second approver.',
  );
  expect(form(alone, { upToCents: null, approvals: 3 })).toContain(
    'More than $500.00 within 24 hours needs 3 approvers.',
  );
  expect(form({ upToCents: null, approvals: 1 })).not.toContain('within 24 hours');
});
