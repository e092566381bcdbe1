import { describe, expect, it } from 'vitest';
import { factsOfEvent } from '../../../src/alerts/facts-of-event.ts';
import { withSince } from '../../../src/alerts/stopped-since.ts';
import type { CardStatus, TransactionEvent } from '../../../src/core/event.ts';
import type { DirectoryCard } from '../../../src/directory/account.ts';
import { byStatus } from '../../../src/limits/status-check.ts';
import { accountOf } from '../../support/directories.ts';
import { transactionAlert } from '../../templates/fixtures.ts';

const day = (number: number, time = '12:00:00'): string =>
  `2026-${number > 30 ? '12' : '11'}-${String(number > 30 ? number - 30 : number).padStart(2, '0')}T${time}.0000000Z`;

const cardOf = (cardId: number, status: CardStatus, more: Partial<DirectoryCard> = {}): DirectoryCard => ({
  cardId,
  last4: String(cardId).repeat(4),
  status,
  seenAt: day(20),
  ...more,
});

/** By card: when its webhooks came, and what they said. With a third: when its status was seen, and since when it may be. */
type Reported = Readonly<Record<number, readonly (readonly [at: string, status: CardStatus, changedAfter?: string])[]>>;

const historyOf = (reported: Reported) => ({
  statuses: async (cardId: number) =>
    (reported[cardId] ?? []).map(([callbackAt, status, changedAfter]) => ({
      changedAfter,
      callbackAt,
      status,
      eventId: callbackAt,
      receivedAt: callbackAt,
    })),
});

function eventOf(purchase: Partial<TransactionEvent>): TransactionEvent {
  const event = { ...transactionAlert().event, kind: 'authorization', decline: null, ...purchase } as const;
  return { ...event, occurredAt: purchase.occurredAt ?? event.requestedAt };
}

async function factsBy(purchase: Partial<TransactionEvent>, cards: readonly DirectoryCard[], reported: Reported) {
  const account = accountOf({ firstName: 'Jane', lastName: 'Doe', cards: [...cards], detailsAt: day(1) });
  return await factsOfEvent(eventOf(purchase), account, historyOf(reported));
}

const namedBy = async (...args: Parameters<typeof factsBy>) => (await factsBy(...args)).cardId;

/** The second card replaced the first on the 10th. */
const cards = [cardOf(1, 'CLOSED'), cardOf(2, 'ACTIVE')];
const reported: Reported = {
  1: [[day(10), 'CLOSED']],
  2: [
    [day(5), 'INACTIVE'],
    [day(10), 'ACTIVE'],
  ],
};

describe('a purchase, after another card replaced the one that made it', () => {
  const by = (purchase: Partial<TransactionEvent>) => namedBy(purchase, cards, reported);
  const velocity = { code: 'decline.rule.velocity', message: '' };

  it.each([
    ['a settlement', { kind: 'settlement', requestedAt: day(8), occurredAt: day(11) }],
    ['a reversal', { kind: 'reversal', direction: 'credit', requestedAt: day(8), occurredAt: day(11) }],
    ['a decline that arrives late', { kind: 'decline', requestedAt: day(8), decline: velocity }],
    ['an authorization before the new card was made', { requestedAt: day(3) }],
  ] satisfies [string, Partial<TransactionEvent>][])('names the card that made it: %s', async (_what, purchase) => {
    expect(await by(purchase)).toBe(1);
  });

  it('names the new card for a purchase since, from the second of its activation on', async () => {
    expect(await by({ requestedAt: day(10) })).toBe(2);
    expect(await by({ kind: 'settlement', requestedAt: day(11), occurredAt: day(14) })).toBe(2);
  });

  it('names none for a purchase just before, because the activation may be reported late', async () => {
    expect(await by({ requestedAt: day(10, '11:59:30') })).toBeNull();
    expect(await by({ requestedAt: day(10, '11:58:30') })).toBe(1);
  });

  it('names none for a decline that any card may have caused, also one that is not activated', async () => {
    expect(await by({ kind: 'decline', requestedAt: day(8), decline: { code: '', message: '' } })).toBeNull();
  });

  it('names none if a refund, or a step with only its own time, may be of either', async () => {
    const refund = { kind: 'settlement', direction: 'credit', occurredAt: day(45) } as const;

    expect(await by({ ...refund, requestedAt: day(35) })).toBeNull();
    expect(await by({ ...refund, requestedAt: day(42) })).toBe(2);
    expect(await by({ kind: 'reversal', direction: 'credit', requestedAt: day(15) })).toBeNull();
    expect(await by({ kind: 'reversal', direction: 'credit', requestedAt: day(21) })).toBe(2);
  });

  it('names none for a reversal without a reference, however late its webhook was made', async () => {
    const reversal = { kind: 'reversal', direction: 'credit', requestedAt: day(15) } as const;

    for (const occurredAt of [day(15), day(15, '12:01:30'), day(16)]) {
      expect(await by({ ...reversal, occurredAt })).toBeNull();
      expect(await by({ ...reversal, occurredAt, isReferenced: true })).toBe(2);
    }
  });
});

it('tells that the card is closed only if that stops the account, or if its status declined the purchase', async () => {
  const decline = (code: string, message = '') =>
    ({ kind: 'decline', requestedAt: day(8), decline: { code, message } }) as const;
  const overLimit = await factsBy(decline('decline.rule.velocity'), cards, reported);

  expect(overLimit).toMatchObject({ cardId: 1, last4: '1111' });
  expect(overLimit).not.toHaveProperty('status');
  const blocked = {
    1: [
      [day(7), 'BLOCKED'],
      [day(10), 'CLOSED'],
    ],
    2: [
      [day(5), 'INACTIVE'],
      [day(10), 'ACTIVE'],
    ],
  } as const;
  expect(await factsBy(decline('decline.card.status', 'Card Status Blocked'), cards, blocked)).toMatchObject({
    cardId: 1,
    status: 'CLOSED',
  });
  const isLast = [cardOf(1, 'CLOSED'), cardOf(2, 'CLOSED')];
  const closedToo = { ...reported, 2: [[day(5), 'INACTIVE'] as const, [day(12), 'CLOSED'] as const] };
  expect(await factsBy(decline('decline.rule.velocity'), isLast, closedToo)).toMatchObject({
    cardId: 1,
    status: 'CLOSED',
  });
});

it('names none if it is not known which of two cards worked then', async () => {
  const cards = [cardOf(1, 'CLOSED'), cardOf(2, 'ACTIVE')];

  expect(
    await namedBy({ requestedAt: day(8) }, cards, { 1: [[day(10), 'CLOSED']], 2: [[day(10), 'ACTIVE']] }),
  ).toBeNull();
});

it('takes cards of which no change is known as they are', async () => {
  expect(await namedBy({ requestedAt: day(8) }, [cardOf(1, 'CLOSED'), cardOf(2, 'ACTIVE')], {})).toBe(2);
  expect(await namedBy({ requestedAt: day(8) }, [cardOf(1, 'ACTIVE'), cardOf(2, 'INACTIVE')], {})).toBe(1);
});

it('counts a change that only the card API has shown', async () => {
  const was = { status: 'INACTIVE', seenAt: day(9) } as const;
  const cards = [cardOf(1, 'CLOSED'), cardOf(2, 'ACTIVE', { was, seenAt: day(10) })];
  const reported: Reported = { 1: [[day(10), 'CLOSED']] };

  expect(await namedBy({ requestedAt: day(8) }, cards, reported)).toBe(1);
  expect(await namedBy({ requestedAt: day(11) }, cards, reported)).toBe(2);
  const isNew = cardOf(2, 'ACTIVE', { was: { status: null, seenAt: day(9) }, seenAt: day(10) });
  expect(await namedBy({ requestedAt: day(8) }, [cardOf(1, 'CLOSED'), isNew], reported)).toBe(1);
});

it('names none if the change was seen only later, as after a gap', async () => {
  const cards = [cardOf(1, 'CLOSED'), cardOf(2, 'ACTIVE')];
  const seen: Reported = {
    1: [[day(12), 'CLOSED', day(9)]],
    2: [
      [day(5), 'INACTIVE'],
      [day(12), 'ACTIVE', day(9)],
    ],
  };

  expect(await namedBy({ kind: 'settlement', requestedAt: day(10), occurredAt: day(13) }, cards, seen)).toBeNull();
  expect(await namedBy({ requestedAt: day(8) }, cards, seen)).toBe(1);
  expect(await namedBy({ requestedAt: day(12) }, cards, seen)).toBe(2);
});

it('takes a closed card for closed, whatever is reported later', async () => {
  const closed = { 1: [[day(6), 'CLOSED'] as const, [day(7), 'ACTIVE'] as const] };

  expect(await namedBy({ requestedAt: day(8) }, [cardOf(1, 'CLOSED'), cardOf(2, 'ACTIVE')], closed)).toBe(2);
});

it('names the only card of an account, and none that is not known', async () => {
  const decline = { code: 'decline.card.status', message: 'Card Status Inactive' };

  expect(await namedBy({ kind: 'decline', decline }, [cardOf(1, 'ACTIVE')], {})).toBe(1);
  expect(await namedBy({ kind: 'decline', decline }, [cardOf(1, 'ACTIVE'), cardOf(2, 'ACTIVE')], {})).toBeNull();
  expect(await namedBy({}, [], {})).toBeNull();
  const isNone = await factsBy({ kind: 'decline', decline }, [cardOf(1, 'CLOSED'), cardOf(2, 'ACTIVE')], {});
  expect(isNone, 'no card has the declined status').toMatchObject({ cardId: null, last4: null, status: 'ACTIVE' });
  expect(await factsOfEvent(transactionAlert().event, null, { statuses: async () => [] })).toMatchObject({
    acctId: 7378,
    cardId: null,
  });
});

it('names the blocked card, and not its replacement in the mail, unless the service says that the card is new', async () => {
  const cards = [cardOf(1, 'BLOCKED'), cardOf(2, 'INACTIVE')];
  const by = (code: string, message: string, reported: Reported = {}) =>
    namedBy({ kind: 'decline', requestedAt: day(8), decline: { code, message } }, cards, reported);

  expect(await by('decline.card.status', 'Card Status Inactive')).toBe(1);
  expect(await by('decline.card.status', '')).toBe(1);
  expect(await by('decline', 'Do not honor')).toBe(1);
  expect(await by('decline.card.status', 'Card Status New Card Pending Activation')).toBe(2);
  const later: Reported = {
    1: [
      [day(5), 'ACTIVE'],
      [day(10), 'BLOCKED'],
    ],
  };
  expect(await by('decline.card.status', 'Card Status Inactive', later), 'blocked later').toBe(2);
});

describe('a decline that the service explains with a card’s status', () => {
  const everyStatus = 'New Card Pending Activation, Card Status Inactive or Card Status Closed';
  const blockedOn = (at: number): Reported => ({
    1: [
      [day(1), 'ACTIVE'],
      [day(at), 'BLOCKED'],
    ],
    2: [[day(6), 'INACTIVE']],
  });
  const both = [cardOf(1, 'BLOCKED'), cardOf(2, 'INACTIVE')];

  it.each<[string, DirectoryCard[], Reported, string, number | null, 'unblock' | null]>([
    ['a block, with a replacement in the mail', both, blockedOn(5), 'Card Status Inactive', 1, 'unblock'],
    ['a block, while the message names every status', both, blockedOn(5), everyStatus, 1, 'unblock'],
    ['a replacement, while the message names every status', both, blockedOn(10), everyStatus, 2, null],
    [
      'none, if another card works and the remedy is for none',
      [...both, cardOf(3, 'ACTIVE')],
      blockedOn(5),
      'Card Status Inactive',
      null,
      null,
    ],
    ['a replacement that is not activated, before the block', both, blockedOn(10), 'Card Status Inactive', 2, null],
  ])('names the card that its remedy is for: %s', async (_what, cards, reported, message, named, remedy) => {
    const purchase = {
      kind: 'decline',
      requestedAt: day(8),
      decline: { code: 'decline.card.status', message },
    } as const;
    const accountNow = { cards: await withSince(cards, historyOf(reported)) };
    const deps = { accountOf: async () => accountNow, hasFraudCase: async () => false };
    const check = await byStatus(eventOf(purchase), deps, 'now');

    expect(await namedBy(purchase, cards, reported)).toBe(named);
    expect(check.state === 'stopped' ? check.remedy.kind : null).toBe(remedy);
  });
});
