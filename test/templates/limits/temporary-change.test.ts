import { expect, it } from 'vitest';
import { TemporaryChange } from '../../../src/limits/temporary-change-store.ts';
import { temporaryChange, temporaryChangeEnded } from '../../../templates/limits/temporary-change.ts';
import { card } from '../fixtures.ts';
import { shown } from '../shown.ts';

const given = {
  id: 'act_1',
  acctId: 7378,
  change: { kind: 'limit', period: 'daily', category: null, limitCents: 45_000 },
  before: 40_000,
  term: { kind: 'duration', ms: 3_600_000 },
  by: { userId: 'U1', teamId: 'T1' },
  openedAt: '2026-11-20T14:14:00Z',
  endsAt: '2026-11-20T15:14:00Z',
  purchase: null,
  alertId: null,
  requestId: null,
  closedBy: 'U2',
};
const several = {
  change: {
    kind: 'limits',
    limits: [
      { period: 'transaction', category: { id: 9, name: 'Restaurants' }, limitCents: 5_000 },
      { period: 'daily', category: null, limitCents: 45_000 },
    ],
  },
  before: [2_500, 40_000],
};
const of = 'limit for a single purchase at Restaurants';

it.each<[TemporaryChange['state'], object, string]>([
  ['open', {}, 'Goes back to $400.00 '],
  ['asking', { found: 50_000 }, 'it is $500.00 now. Shall it go back to $400.00?'],
  ['ended', {}, 'Back at $400.00, put back by <@U2>'],
  ['left', { found: null }, 'It stays at no limit, decided by <@U2>'],
  ['refused', {}, 'refuses to put it back to $400.00, so it is still $450.00.'],
  ['replaced', {}, 'nothing is put back by itself'],
  ['open', several, `Goes back to ${of} $25.00 and daily limit $400.00 `],
  [
    'asking',
    { ...several, found: [2_500, 50_000] },
    `Now: ${of} $25.00 and daily limit $500.00. Shall they go back to ${of} $25.00 and daily limit $400.00?`,
  ],
  ['ended', several, `Put back by <@U2>: ${of} $25.00 and daily limit $400.00.`],
  ['left', { ...several, found: [2_500, null] }, `decided by <@U2>: ${of} $25.00 and daily limit none.`],
  [
    'refused',
    several,
    `to put them back to ${of} $25.00 and daily limit $400.00, so they stay: ${of} $50.00 and daily limit $450.00.`,
  ],
  ['replaced', several, 'nothing is put back by itself'],
])('a temporary change that is %s says so: %j', (state, over, words) => {
  const one = TemporaryChange.parse({ ...given, ...over, state });

  expect(temporaryChange(one, card).text).toContain(words);
  expect(temporaryChangeEnded(one, card).text).toContain(words);
});

it('of several limits names each, from what to what, and asks about all of them', () => {
  const one = TemporaryChange.parse({ ...given, ...several, state: 'asking', found: [2_500, 50_000] });

  const { text, blocks } = temporaryChange(one, card);

  expect(text).toContain(`Put back?: ${of} and daily limit of Jane Doe’s card ending 1212.`);
  expect(shown(blocks)).toContain(
    '*Limit for a single purchase at Restaurants $25.00 → $50.00; daily limit $400.00 → $450.00*',
  );
  expect(JSON.stringify(blocks)).toMatch(/Put them back.*Leave them/);
  expect(blocks[0]).toMatchObject({ text: { text: 'Put back?: 2 limits of Jane Doe’s card ending 1212' } });
});
