import { describe, expect, it } from 'vitest';
import { factsOfEvent } from '../../../src/alerts/facts-of-event.ts';
import type { CardStatus } from '../../../src/core/event.ts';
import type { DirectoryCard } from '../../../src/directory/account.ts';
import { accountOf } from '../../support/directories.ts';
import { shippingAlert } from '../../templates/fixtures.ts';

const day = (number: number): string => `2026-11-${String(number).padStart(2, '0')}T12:00:00.0000000Z`;
const cardOf = (cardId: number, status: DirectoryCard['status'], more: Partial<DirectoryCard> = {}): DirectoryCard => ({
  cardId,
  last4: String(cardId).repeat(4),
  status,
  seenAt: day(20),
  ...more,
});

/** By card: when its webhooks came, and what they said. */
type Reported = Readonly<Record<number, readonly (readonly [at: string, status: CardStatus])[]>>;

/** What is known of the card of a shipment on the 15th. */
async function factsBy(last4: string, cards: readonly DirectoryCard[] | null, reported: Reported = {}) {
  const known = { firstName: 'Jane', lastName: 'Doe', detailsAt: day(1) };
  const account = cards === null ? null : accountOf({ ...known, cards: [...cards] });
  const { event } = shippingAlert({ last4, cardOrderId: null, callbackAt: day(15) });
  return await factsOfEvent(event, account, {
    statuses: async (cardId) =>
      (reported[cardId] ?? []).map(([callbackAt, status]) => ({
        callbackAt,
        status,
        eventId: callbackAt,
        receivedAt: callbackAt,
      })),
  });
}

describe('the card of a shipment without digits', () => {
  it.each<[string, DirectoryCard[], Reported, object]>([
    ['is the only one that is not activated', [cardOf(1, 'ACTIVE'), cardOf(2, 'INACTIVE')], {}, { cardId: 2 }],
    [
      'is the only one, even if it has another status by now',
      [cardOf(2, 'ACTIVE')],
      { 2: [[day(16), 'ACTIVE']] },
      { cardId: 2, status: 'ACTIVE' },
    ],
    [
      'is the only one, even if the card service has shown its activation before a webhook did',
      [cardOf(2, 'ACTIVE', { was: { status: 'INACTIVE', seenAt: day(14) }, seenAt: day(16) })],
      {},
      { cardId: 2, status: 'ACTIVE' },
    ],
    [
      'is the one that replaced another one since',
      [cardOf(1, 'CLOSED'), cardOf(2, 'ACTIVE')],
      { 1: [[day(16), 'CLOSED']], 2: [[day(16), 'ACTIVE']] },
      { cardId: 2, status: 'ACTIVE' },
    ],
  ])('%s', async (_what, cards, reported, expected) => {
    expect(await factsBy('', cards, reported)).toMatchObject({ holder: 'Jane Doe', ...expected });
  });

  it.each<[string, DirectoryCard[] | null, Reported]>([
    ['the only card is active, and no change of it is known', [cardOf(1, 'ACTIVE')], {}],
    ['the only card was active before', [cardOf(1, 'ACTIVE')], { 1: [[day(14), 'ACTIVE']] }],
    ['two were not activated then', [cardOf(1, 'INACTIVE'), cardOf(2, 'ACTIVE')], { 2: [[day(16), 'ACTIVE']] }],
    ['another card of which nothing is known may be it', [cardOf(1, 'INACTIVE'), cardOf(2, null)], {}],
    ['no card is known', [], {}],
    ['the account is not known', null, {}],
  ])('is unknown if %s', async (_what, cards, reported) => {
    const facts = await factsBy('', cards, reported);

    expect(facts).toMatchObject({ cardId: null, last4: null });
  });
});

it('is the card with the digits of the shipment', async () => {
  expect(await factsBy('1111', [cardOf(1, 'ACTIVE'), cardOf(2, 'INACTIVE')])).toMatchObject({ cardId: 1 });
});
