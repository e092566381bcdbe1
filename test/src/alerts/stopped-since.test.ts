import { describe, expect, it } from 'vitest';
import { gotStatusAfter, stoppedSince } from '../../../src/alerts/stopped-since.ts';
import { type CardFacts, noCard } from '../../../src/core/card-facts.ts';
import type { CardStatus } from '../../../src/core/event.ts';
import type { DirectoryCard } from '../../../src/directory/account.ts';

const at = (time: string): string => `2026-11-20T${time}:00.0000000Z`;
const card = (status: CardStatus, more: Partial<DirectoryCard> = {}): DirectoryCard => ({
  cardId: 1,
  last4: '1212',
  status,
  seenAt: at('15:00'),
  ...more,
});
/** What the webhooks of every card said. */
const history = (...records: [time: string, status: CardStatus][]) => ({
  statuses: async () =>
    records.map(([time, status]) => ({ callbackAt: at(time), receivedAt: at(time), eventId: time, status })),
});

describe('the time since when a card declines everything', () => {
  const was = { status: 'ACTIVE', seenAt: at('12:00') } as const;

  it.each<[string, DirectoryCard, Parameters<typeof history>, string | null]>([
    [
      'that of the webhook of its block',
      card('BLOCKED'),
      [
        ['13:00', 'ACTIVE'],
        ['14:00', 'BLOCKED'],
      ],
      '14:00',
    ],
    [
      'that of the first of two webhooks',
      card('BLOCKED'),
      [
        ['14:00', 'BLOCKED'],
        ['14:30', 'BLOCKED'],
      ],
      '14:00',
    ],
    [
      'that of its last block',
      card('BLOCKED'),
      [
        ['09:00', 'BLOCKED'],
        ['10:00', 'ACTIVE'],
        ['14:00', 'BLOCKED'],
      ],
      '14:00',
    ],
    ['when the API showed it first, without a webhook', card('BLOCKED', { was }), [['12:00', 'ACTIVE']], '15:00'],
    ['not known if it was never seen otherwise', card('BLOCKED'), [], null],
    [
      'that of its closing, whatever came later',
      card('CLOSED'),
      [
        ['13:00', 'CLOSED'],
        ['14:00', 'ACTIVE'],
      ],
      '13:00',
    ],
    [
      'none for a card that works',
      card('ACTIVE'),
      [
        ['13:00', 'BLOCKED'],
        ['14:00', 'ACTIVE'],
      ],
      null,
    ],
  ])('is %s', async (_what, known, records, expected) => {
    expect(await stoppedSince(known, history(...records))).toBe(expected && at(expected));
  });
});

describe('a card', () => {
  const facts = (more: Partial<CardFacts>): CardFacts => ({ ...noCard, acctId: 7378, ...more });
  const declinedAt = (time: string) => ({ occurredAt: at(time) });

  it('got its status after a purchase if it was closed later', async () => {
    const closed = history(['14:00', 'CLOSED']);
    const isLater = (time: string, of = facts({ cardId: 1, status: 'CLOSED' })) =>
      gotStatusAfter(declinedAt(time), of, [card('CLOSED')], closed);

    expect(await isLater('13:50')).toBe(true);
    expect(await isLater('14:10')).toBe(false);
    expect(await isLater('13:50', facts({ cardId: 1 })), 'whose status is not known').toBe(false);
  });

  it('that may be one of several was not closed if one of them still worked', async () => {
    const cards = [card('CLOSED'), card('CLOSED', { cardId: 2 })];
    const of = { statuses: (cardId: number) => history([cardId === 1 ? '09:00' : '14:00', 'CLOSED']).statuses() };

    expect(await gotStatusAfter(declinedAt('13:50'), facts({ status: 'CLOSED' }), cards, of)).toBe(true);
    expect(await gotStatusAfter(declinedAt('13:50'), facts({ cardId: 1, status: 'CLOSED' }), cards, of)).toBe(false);
  });
});
