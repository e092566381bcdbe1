import { expect, it } from 'vitest';
import { virtualOrderForm } from '../../../templates/virtual-cards/order-form.ts';

it('says above which amount a second approver is needed, if there is one', () => {
  const form = (fundMaxCents: number | null): string =>
    JSON.stringify(virtualOrderForm({ privateMetadata: 'p_1', firstName: '', lastName: '', fundMaxCents }));

  expect(form(50_000)).toContain('More than $500.00 within 24 hours needs a second approver.');
  expect(form(null)).not.toContain('second approver');
});
