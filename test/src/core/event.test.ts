import { expect, it } from 'vitest';
import { declineCode } from '../../../src/core/event.ts';

it.each([
  ['decline.rule.velocity', 'decline.rule.velocity'],
  [' Decline.Rule.VELOCITY ', 'decline.rule.velocity'],
])('compares the code %j as %j', (code, compared) => {
  expect(declineCode({ code })).toBe(compared);
});

it('has no code where nothing was declined', () => {
  expect(declineCode(null)).toBe('');
  expect(declineCode(undefined)).toBe('');
});
