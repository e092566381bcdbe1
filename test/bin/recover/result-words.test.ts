import { expect, it } from 'vitest';
import { resultWords } from '../../../bin/recover/result-words.ts';
import { gapOf } from '../../../src/core/gap.ts';

const gap = gapOf(Date.parse('2026-11-20T14:00:00Z'), Date.parse('2026-11-20T16:00:00Z'), 'asked');
const span = 'that may have been due between 2026-11-20T14:00:00.000Z and 2026-11-20T16:00:00.000Z';

it.each([
  [
    'purchases',
    { recovered: 2, unsent: 0, unreadable: 0, statuses: 0 },
    `2 of 5 events ${span} were missed; 2 recovered.\nShipments`,
  ],
  [
    'a purchase, and cards that changed status, which are no events that the service returned',
    { recovered: 3, unsent: 0, unreadable: 0, statuses: 2 },
    `1 of 5 events ${span} was missed; 1 recovered.\n2 cards changed status without a webhook.\nShipments`,
  ],
  [
    'one that cannot be read',
    { recovered: 1, unsent: 0, unreadable: 1, statuses: 0 },
    `2 of 5 events ${span} were missed; 1 recovered, 1 kept aside (npm run replay -- list).\nShipments`,
  ],
  [
    'purchases of which no webhook is sent',
    { recovered: 2, unsent: 1, unreadable: 0, statuses: 0 },
    `2 of 5 events ${span} were missed; 2 recovered.\n1 of them is of a kind of which no webhook has arrived in 30 days: perhaps it has no address.\nShipments`,
  ],
])('says what was missed: %s', (_what, result, words) => {
  expect(resultWords({ start: null, found: 5, ...result }, gap, false)).toContain(words);
});

it('names the time that the card service was asked about', () => {
  const result = { start: '2026-11-20T15:00:00.000Z', found: 0, recovered: 0, unsent: 0, unreadable: 0, statuses: 0 };

  expect(resultWords(result, gap, false)).toContain('between 2026-11-20T15:00:00.000Z and 2026-11-20T16:00:00.000Z');
});

it('says that nothing was changed by a dry run, which reads no card statuses', () => {
  expect(
    resultWords({ start: null, found: 5, recovered: 2, unsent: 0, unreadable: 0, statuses: 0 }, gap, true),
  ).toContain(`2 of 5 events ${span} were missed. Nothing was changed.\nCard statuses are not counted. Shipments`);
});
