import { expect, it } from 'vitest';
import { areAllClosed, byStatus } from '../../../src/limits/status-check.ts';
import { declined } from '../../templates/fixtures.ts';

const { event } = declined('decline.card.status', 'Card Status Inactive');
const card = (status: 'ACTIVE' | 'BLOCKED' | 'CLOSED' | 'INACTIVE' | null, since: string | null = null) => ({
  status,
  since,
});
const depsFor = (...cards: ReturnType<typeof card>[]) => ({
  accountOf: async () => ({ cards }),
  hasFraudCase: async () => false,
});

it.each([
  ['an active card beside a blocked one', [card('BLOCKED'), card('ACTIVE')], { state: 'passes' }],
  ['a blocked card beside a closed one', [card('CLOSED'), card('BLOCKED')], { state: 'stopped' }],
  ['a blocked card whose replacement is in the mail', [card('BLOCKED'), card('INACTIVE')], { state: 'stopped' }],
  ['a blocked card beside one whose status is not known', [card('BLOCKED'), card(null)], { state: 'unknown' }],
  ['a new card', [card('INACTIVE')], { state: 'unknown', why: 'status' }],
  ['a card whose status is not known', [card(null)], { state: 'unknown' }],
])('a purchase with %s', async (_what, cards, check) => {
  expect(await byStatus(event, depsFor(...cards), 'now')).toMatchObject(check);
});

it('does not explain a decline by a block that came later', async () => {
  const later = new Date(Date.parse(event.occurredAt) + 3_600_000).toISOString();

  expect(await byStatus(event, depsFor(card('BLOCKED', later)), 'then')).toMatchObject({ state: 'unknown' });
  expect(await byStatus(event, depsFor(card('BLOCKED', event.occurredAt)), 'then')).toMatchObject({
    state: 'stopped',
    remedy: { kind: 'unblock' },
  });
});

it('does not explain a decline by a later block while a replacement in the mail may have been declined', async () => {
  const later = new Date(Date.parse(event.occurredAt) + 3_600_000).toISOString();
  const cards = (since: string | null) => depsFor(card('BLOCKED', since), card('INACTIVE'));
  const overLimit = declined('decline.rule.velocity', 'Transaction exceeded daily spend limit').event;
  const stopped = { state: 'stopped', remedy: { kind: 'unblock' } };

  for (const time of ['then', 'now'] as const) {
    expect(await byStatus(event, cards(later), time)).toEqual({ state: 'unknown', why: 'status' });
    expect(await byStatus(event, cards(event.occurredAt), time)).toEqual(stopped);
    expect(await byStatus(event, cards(null), time)).toEqual(stopped);
  }
  expect(await byStatus(overLimit, cards(later), 'now'), 'a limit stops only a card that was active').toEqual(stopped);
});

it.each([
  ['all its cards are', [card('CLOSED'), card('CLOSED')], true],
  ['one of them is not', [card('CLOSED'), card('INACTIVE')], false],
  ['nothing is known of it', [], false],
])('an account is closed for good if %s', async (_what, cards, is) => {
  expect(await areAllClosed(7378, depsFor(...cards))).toBe(is);
});
