import { expect, it } from 'vitest';
import { TemporaryChange } from '../../../src/limits/temporary-change-store.ts';
import { temporaryChange, temporaryChangeEnded } from '../../../templates/limits/temporary-change.ts';
import { limitChange, limitGoal } from '../../support/limit-goals.ts';
import { card } from '../fixtures.ts';
import { shown } from '../shown.ts';

const given = {
  id: 'act_1',
  acctId: 7378,
  changes: [limitChange('daily', 40_000, 45_000)],
  meanwhile: null,
  closedAt: null,
  term: { kind: 'duration', ms: 3_600_000 },
  by: { userId: 'U1', teamId: 'T1' },
  openedAt: '2026-11-20T14:14:00Z',
  endsAt: '2026-11-20T15:14:00Z',
  purchase: null,
  alertId: null,
  requestId: null,
  certainty: 'certain',
  closedBy: 'U2',
};
const restaurants = { id: 9, name: 'Restaurants' };
const several = {
  changes: [limitChange('transaction', 2_500, 5_000, restaurants), limitChange('daily', 40_000, 45_000)],
};
/** The values that someone else set for the limits in the meantime. */
const meanwhile = (daily: number | null, atOnce?: number) => ({
  meanwhile: [
    ...(atOnce === undefined ? [] : [limitChange('transaction', 5_000, atOnce, restaurants)]),
    limitChange('daily', 45_000, daily),
  ],
});
const of = 'limit for a single purchase at Restaurants';

it.each<[TemporaryChange['state'], object, string]>([
  ['open', {}, 'Goes back to $400.00 '],
  [
    'open',
    {
      term: { kind: 'purchase' },
      purchase: { merchantId: '', merchant: '', maxCents: 30_000, declinedAt: null },
    },
    'after the next purchase of up to $300.00, at the latest ',
  ],
  ['asking', meanwhile(50_000), 'it is $500.00 now. Should it go back to $400.00?'],
  ['ended', {}, 'Back to $400.00 by <@U2>'],
  [
    'ended',
    { later: [limitGoal('daily', 50_000)] },
    'Back to $400.00 by <@U2>. Daily limit $500.00 when the other temporary change ends.',
  ],
  [
    'ended',
    { later: [limitGoal('daily', 50_000)], laterAt: '2026-11-21T15:00:00.000Z' },
    'Daily limit $500.00 when the other temporary change ends<!date^1795273200^, planned for {date_short_pretty} at {time}|',
  ],
  [
    'ended',
    { later: [limitGoal('daily', 40_000)] },
    'Ended by <@U2>. Daily limit $400.00 when the other temporary change ends.',
  ],
  [
    'ended',
    { changes: [limitChange('daily', 9_000, 5_000)], instead: [limitChange('daily', 40_000, 9_000)] },
    'Back to $90.00 by <@U2>. The daily limit goes back to $90.00, not to $400.00: that would be above what stays.',
  ],
  ['kept', meanwhile(null), 'It stays at no limit, decided by <@U2>'],
  ['kept', { closedBy: null }, 'No longer applies to this card, so nothing was put back'],
  ['refused', {}, 'could not be put back to $400.00, so it is still $450.00.'],
  ['superseded', {}, 'Replaced by a later change by <@U2>'],
  ['open', several, `Goes back to ${of} $25.00 and daily limit $400.00 `],
  [
    'asking',
    { ...several, ...meanwhile(50_000, 2_500) },
    `Back already: ${of} $25.00. Its time is over, but somebody changed it or the card’s ruleset in the meantime, or the card service stored another value: it is $500.00 now. Should it go back to $400.00?`,
  ],
  [
    'asking',
    { ...several, ...meanwhile(50_000, 6_000) },
    `Now: ${of} $60.00 and daily limit $500.00. Should they go back to ${of} $25.00 and daily limit $400.00?`,
  ],
  [
    'asking',
    {
      isFromBackup: true,
      changes: [limitChange('daily', 50_000, 10_000)],
      meanwhile: [limitChange('daily', 10_000, 10_000)],
    },
    'Its time is over, but a backup was restored in the meantime, so somebody may have made it permanent: it is $100.00 now. Should it go back to $500.00? Nothing changes until an approver decides.',
  ],
  [
    'asking',
    {
      isFromBackup: true,
      changes: [limitChange('daily', 50_000, 10_000), limitChange('weekly', 60_000, 20_000)],
      meanwhile: [limitChange('daily', 10_000, 10_000), limitChange('weekly', 20_000, 20_000)],
    },
    'so somebody may have made them permanent. Now: daily limit $100.00 and weekly limit $200.00. Should they go back to daily limit $500.00 and weekly limit $600.00?',
  ],
  ['asking', { isFromBackup: true, ...meanwhile(45_000) }, 'somebody changed it or the card’s ruleset in the meantime'],
  ['ended', several, `Put back by <@U2>: ${of} $25.00 and daily limit $400.00.`],
  [
    'ended',
    { ...several, later: [limitGoal('daily', 40_000)] },
    `Put back by <@U2>: ${of} $25.00. Daily limit $400.00 when the other temporary change ends.`,
  ],
  ['kept', { ...several, ...meanwhile(null, 2_500) }, `decided by <@U2>: ${of} $25.00 and no daily limit.`],
  [
    'refused',
    several,
    `could not be put back to ${of} $25.00 and daily limit $400.00, so they stay: ${of} $50.00 and daily limit $450.00.`,
  ],
  ['superseded', several, 'Replaced by a later change by <@U2>'],
])('a temporary change that is %s says so: %j', (state, over, words) => {
  const one = TemporaryChange.parse({ ...given, ...over, state });

  expect(temporaryChange(one, card).text).toContain(words);
  expect(temporaryChangeEnded(one, card).text).toContain(words);
});

it.each([
  ['asking', true],
  ['open', false],
] as const)('that is %s warns that putting it back may take the card off its ruleset: %s', (state, warns) => {
  const { blocks } = temporaryChange(TemporaryChange.parse({ ...given, ...meanwhile(45_000), state }), {
    ...card,
    ruleset: { id: 2, name: 'Travel', mayOverrule: true },
  });

  expect(JSON.stringify(blocks).includes('spending ruleset “Travel”. This change may take it off')).toBe(warns);
});

it('of several limits shows the old and new value of each, and asks about all of them', () => {
  const one = TemporaryChange.parse({ ...given, ...several, ...meanwhile(50_000, 6_000), state: 'asking' });

  const { text, blocks } = temporaryChange(one, card);

  expect(text).toContain(
    `Put back? Limit for a single purchase at Restaurants and daily limit of Jane Doe · card 1212.`,
  );
  expect(shown(blocks)).toContain(
    '*Limit for a single purchase at Restaurants $25.00 → $50.00; daily limit $400.00 → $450.00*',
  );
  expect(JSON.stringify(blocks)).toMatch(/Put them back.*Leave them/);
  expect(blocks[0]).toMatchObject({ text: { text: 'Put back? 2 limits of Jane Doe · card 1212' } });
});

it.each<[TemporaryChange['state'], string, string]>([
  ['open', 'Temporary: online purchases of', 'Goes back to “not allowed” '],
  ['ended', 'Ended: online purchases of', 'Back to “not allowed” by <@U2>'],
  ['asking', 'Put back? Online purchases of', 'it is “allowed” now. Should it go back to “not allowed”?'],
  ['kept', 'Left as it is: online purchases of', 'It stays at “allowed”'],
  ['refused', 'Could not be put back: online purchases of', 'put back to “not allowed”, so it is still “allowed”.'],
])('of what is allowed that is %s names the values as such', (state, title, words) => {
  const changes = [{ rule: { kind: 'card_not_present' }, from: false, to: true }];
  const { text } = temporaryChange(TemporaryChange.parse({ ...given, changes, state }), card);

  expect(text).toContain(title);
  expect(text).toContain(words);
});
