import { expect, it } from 'vitest';
import { Outcome } from '../../../src/actions/action-state.ts';
import { withFields, withoutFields } from '../../../src/alerts/alert-fields.ts';
import { recordFormat } from '../../../src/core/record-store.ts';
import {
  change,
  outcome,
  shippingAlert,
  statusAlert,
  transactionAlert,
  virtualAlert,
} from '../../templates/fixtures.ts';

const first = outcome({ at: '2026-11-20T14:00:00.000Z' });
const second = outcome({ at: '2026-11-20T15:00:00.000Z', verb: 'unblock' });
const fields = {
  'outcome:act_2': recordFormat(Outcome).write(second),
  'outcome:act_1': recordFormat(Outcome).write(first),
};

it.each([
  ['transaction', transactionAlert()],
  ['card-status', statusAlert([change()])],
  ['card-shipping', shippingAlert()],
  ['virtual-card', virtualAlert()],
] as const)('of a %s alert replace what was stored with it', (_kind, alert) => {
  const acted = { ...alert, outcomes: [outcome({ state: 'failed' })] };

  expect(withoutFields(acted).outcomes).toEqual([]);
  expect(withFields(acted, fields).outcomes, 'oldest first').toEqual([first, second]);
  expect(withFields(acted, {}).outcomes).toEqual([]);
});

it('hold the repeats of a decline by channel', () => {
  const alert = withFields(transactionAlert(), {
    'repeats:C1': '3 100 250 2026-11-20T14:00:00Z 2026-11-20T14:05:00Z',
  });

  expect(alert).toMatchObject({
    repeats: {
      C1: {
        count: 3,
        minCents: 100,
        maxCents: 250,
        firstAt: '2026-11-20T14:00:00Z',
        lastAt: '2026-11-20T14:05:00Z',
      },
    },
  });
});
