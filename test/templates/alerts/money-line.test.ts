import { expect, it } from 'vitest';
import { renderAlert } from '../../../templates/alerts/alert.ts';
import { transactionAlert } from '../fixtures.ts';
import { shown } from '../shown.ts';

const view = { place: 'public' } as const;

it.each([
  ['authorization', 'debit', 'spent $84.10 at Blue Bottle Coffee'],
  ['authorization', 'credit', 'was refunded $84.10 by Blue Bottle Coffee'],
  ['pin', 'debit', 'spent $84.10 with PIN at Blue Bottle Coffee'],
  ['pin', 'credit', 'was refunded $84.10 by Blue Bottle Coffee'],
  ['settlement', 'debit', 'spent $84.10, now settled, at Blue Bottle Coffee'],
  ['settlement', 'credit', 'got a $84.10 credit from Blue Bottle Coffee'],
  ['reversal', 'credit', 'got $84.10 back, hold released by Blue Bottle Coffee'],
  ['reversal', 'debit', 'was charged $84.10 again, refund reversed by Blue Bottle Coffee'],
])('a %s that is a %s is one quiet line: %s', (kind, direction, words) => {
  const { text, blocks } = renderAlert(transactionAlert({ kind, direction, decline: null }), view);

  expect(text).toBe(`Jane Doe (card ending 1212) ${words}, Austin, TX.`);
  expect(blocks.map(({ type }) => type)).toEqual(['context']);
  expect(shown(blocks)).toContain(words);
  expect(shown(blocks)).not.toMatch(/-\s?\$|\$-|\(\$/);
});

it('says that a line is late', () => {
  const { text, blocks } = renderAlert(transactionAlert({ kind: 'pin', decline: null }, { late: true }), view);

  expect(text).toMatch(/^Late notice: Jane Doe/);
  expect(shown(blocks)).toMatch(/ · arrived late$/);
});
