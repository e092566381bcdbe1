import { expect, it } from 'vitest';
import type { AccountDetails } from '../../../src/card-api/schema-account.ts';
import type { CardStatus } from '../../../src/core/event.ts';
import { type DirectoryAccount, type DirectoryCard, withDetails, withEvent } from '../../../src/directory/account.ts';
import { statusBefore } from '../../../src/directory/status-before.ts';
import { read } from '../webhooks/read.ts';

const event = { callbackAt: '2026-11-20T15:00:00.0000000Z' };
const earlier = '2026-11-20T14:00:00.000Z';
const later = '2026-11-20T16:00:00.000Z';
const asked = { cardId: 7, last4: '1111' };
const card: DirectoryCard = { cardId: 7, last4: '1111', status: 'ACTIVE', seenAt: earlier };

it('returns the status seen before the event', () => {
  expect(statusBefore(event, asked, [{ ...card, cardId: 8, status: 'CLOSED' }, card])).toBe('ACTIVE');
});

it('returns null for a status seen after the event', () => {
  expect(statusBefore(event, asked, [{ ...card, seenAt: later }])).toBeNull();
});

it('returns the status before the change if the API showed the change first', () => {
  const changed = { ...card, status: 'BLOCKED', seenAt: later, was: { status: 'ACTIVE', seenAt: earlier } } as const;

  expect(statusBefore(event, asked, [changed])).toBe('ACTIVE');
});

it('matches a card without an id by its last four digits', () => {
  expect(statusBefore(event, asked, [{ ...card, cardId: null }])).toBe('ACTIVE');
  expect(statusBefore(event, { cardId: 7, last4: '' }, [{ ...card, cardId: null, last4: '' }])).toBeNull();
});

it('returns null for a card that is not in the directory', () => {
  expect(statusBefore(event, asked, [])).toBeNull();
});

const at = (minute: number): string => new Date(Date.UTC(2026, 10, 20, 12, minute)).toISOString();
const now = at(59);

/** The API's response for an account with one card. */
function shows(known: DirectoryAccount | null, status: CardStatus, minute: number, cardId = 6231): DirectoryAccount {
  const details = {
    acctId: 7378,
    contactName: null,
    cards: [{ cardId, last4: '1212', status }],
  } as unknown as AccountDetails;
  return withDetails(known, details, { at: at(minute), mergedAt: at(minute) });
}

function tells(known: DirectoryAccount, status: CardStatus, minute: number): DirectoryAccount {
  const event = read(
    'card-status',
    { AcctId: 7378, CardList: [{ CardId: 6231, Last4CardNumber: '1212', CardStatus: status }] },
    { callbackTime: at(minute) },
  );
  return withEvent(known, { ...event, receivedAt: at(minute) }, now) ?? known;
}

it("a newer fact wins over one from before Redis' clock went back by an hour, also when the API shows it", () => {
  const before = { ...shows(null, 'ACTIVE', 119), namesAt: at(119) };

  const told = tells(before, 'BLOCKED', 58);
  expect([told.cards[0]?.status, told.detailsAt]).toEqual(['BLOCKED', null]);
  expect(told.namesAt).not.toBe(at(119));
  expect(shows(before, 'BLOCKED', 58).cards[0]?.status).toBe('BLOCKED');

  const soon = shows(null, 'ACTIVE', 4);
  expect(shows(soon, 'BLOCKED', 0).cards[0]?.status, 'a fact that came while the API answered').toBe('ACTIVE');
});

const wasOf = (account: DirectoryAccount) => account.cards[0]?.was;

it('stores no previous status for the first API response', () => {
  expect(wasOf(shows(null, 'ACTIVE', 1))).toBeUndefined();
});

it('keeps the last reported status through any changes that only the API shows', () => {
  const changed = shows(shows(null, 'ACTIVE', 1), 'BLOCKED', 2);
  expect(wasOf(changed)).toEqual({ status: 'ACTIVE', seenAt: at(1) });
  expect(wasOf(shows(changed, 'BLOCKED', 3))).toEqual({ status: 'ACTIVE', seenAt: at(1) });
  expect(wasOf(shows(changed, 'CLOSED', 3))).toEqual({ status: 'ACTIVE', seenAt: at(1) });
});

it('stores no previous status if a change was reverted', () => {
  const changed = shows(shows(null, 'ACTIVE', 1), 'BLOCKED', 2);
  expect(wasOf(shows(changed, 'ACTIVE', 3))).toBeUndefined();
});

it.each([
  ['before the API showed it', 2],
  ['after the API showed it', 4],
])('clears the previous status when its webhook, produced %s, reports the change', (_when, minute) => {
  const changed = shows(shows(null, 'ACTIVE', 1), 'BLOCKED', 3);

  const told = tells(changed, 'BLOCKED', minute);

  expect(wasOf(told)).toBeUndefined();
  expect(told.cards[0]?.status).toBe('BLOCKED');
});

it('keeps the previous status if an older webhook reports another status', () => {
  const changed = shows(shows(null, 'INACTIVE', 1), 'BLOCKED', 3);

  expect(wasOf(tells(changed, 'ACTIVE', 2))).toEqual({ status: 'INACTIVE', seenAt: at(1) });
});

it('keeps a closed card closed, whatever a delayed webhook reports', () => {
  const closed = shows(null, 'CLOSED', 1);

  expect(tells(closed, 'ACTIVE', 2).cards[0]?.status).toBe('CLOSED');
  expect(tells(tells(shows(null, 'ACTIVE', 1), 'CLOSED', 2), 'BLOCKED', 3).cards[0]?.status).toBe('CLOSED');
});

it('treats a card that appears in a known account as new', () => {
  const before = { ...shows(null, 'ACTIVE', 1), cards: [] };

  expect(wasOf(shows(before, 'INACTIVE', 2))).toEqual({ status: null, seenAt: at(1) });
});
