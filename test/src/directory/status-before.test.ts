import { expect, it } from 'vitest';
import type { DirectoryCard } from '../../../src/directory/account.ts';
import { statusBefore } from '../../../src/directory/status-before.ts';

const event = { callbackAt: '2026-11-20T15:00:00.0000000Z' };
const earlier = '2026-11-20T14:00:00.000Z';
const later = '2026-11-20T16:00:00.000Z';
const asked = { cardId: 7, last4: '1111' };
const card: DirectoryCard = { cardId: 7, last4: '1111', status: 'ACTIVE', seenAt: earlier };

it('answers the status that was seen before the event', () => {
  expect(statusBefore(event, asked, [{ ...card, cardId: 8, status: 'CLOSED' }, card])).toBe('ACTIVE');
});

it('knows nothing from a status that was seen after the event', () => {
  expect(statusBefore(event, asked, [{ ...card, seenAt: later }])).toBeNull();
});

it('answers the status before the change when the API showed the change first', () => {
  const changed = { ...card, status: 'BLOCKED', seenAt: later, was: { status: 'ACTIVE', seenAt: earlier } } as const;

  expect(statusBefore(event, asked, [changed])).toBe('ACTIVE');
});

it('takes a card without an id for the one with the same last four digits', () => {
  expect(statusBefore(event, asked, [{ ...card, cardId: null }])).toBe('ACTIVE');
  expect(statusBefore(event, { cardId: 7, last4: '' }, [{ ...card, cardId: null, last4: '' }])).toBeNull();
});

it('knows nothing of a card that the directory does not have', () => {
  expect(statusBefore(event, asked, [])).toBeNull();
});
