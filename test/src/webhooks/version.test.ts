import { expect, it } from 'vitest';
import { hasCurrentSigns } from '../../../src/webhooks/transaction.ts';

it.each([
  ['2.0.1.3', true],
  ['2.0.1.4', true],
  ['2.0.1.10', true],
  ['2.0.2', true],
  ['2.1', true],
  ['3', true],
  [' 2.0.1.3 ', true],
  ['2.0.1.3.0', true],
  ['2.0.1.2', false],
  ['2.0.1', false],
  ['2.0', false],
  ['2', false],
  ['1.9.9.9', false],
])('version %s writes debits as negative amounts: %s', (version, isCurrent) => {
  expect(hasCurrentSigns(version)).toBe(isCurrent);
});

it.each([undefined, '', 'v2', '2.0.x', '-1', '2..0', '9999999999'])(
  'an unreadable version %j counts as today’s',
  (version) => {
    expect(hasCurrentSigns(version)).toBe(true);
  },
);
