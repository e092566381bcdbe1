import { expect, it } from 'vitest';
import { mayShow } from '../../../src/core/channel-visibility.ts';

it.each([
  ['public', false, false],
  ['private', false, true],
  ['direct', true, true],
  ['shared', false, false],
] as const)('in a %s channel: sensitive reasons %s, balances %s', (place, sensitiveReason, balance) => {
  expect(mayShow('sensitiveReason', place)).toBe(sensitiveReason);
  expect(mayShow('balance', place)).toBe(balance);
});
