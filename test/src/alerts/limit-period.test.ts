import { expect, it } from 'vitest';
import { periodInMessage, untilReset } from '../../../src/alerts/limit-period.ts';

it.each([
  ['Daily limit exceeded', 'daily'],
  ['Over the limit of this week', 'weekly'],
  ['MONTHLY LIMIT', 'monthly'],
  ['annual spending', 'yearly'],
  ['Lifetime limit reached', 'lifetime'],
  ['Birthday limit', null],
  ['', null],
])('the message %j names the period %s', (message, period) => {
  expect(periodInMessage(message)).toBe(period);
});

it('a limit resets on the clock of the card service, and a lifetime limit never does', () => {
  expect(untilReset().daily).toBe('pay a smaller amount, or wait until midnight Eastern time');
  expect(untilReset().lifetime).toContain('never resets');
});
