import { expect, it } from 'vitest';
import { momentOf } from '../../../src/core/since.ts';

const askedAt = '2026-11-20T15:00:00.000Z';

it('counts back from the time of the request', () => {
  expect(momentOf({ agoMs: 7_200_000 }, askedAt, 'UTC')).toBe('2026-11-20T13:00:00.000Z');
});

it('reads a date and time without offset in the card service’s time zone', () => {
  expect(momentOf({ at: '2026-11-20T09:00' }, askedAt, 'America/New_York')).toBe('2026-11-20T14:00:00.000Z');
  expect(momentOf({ at: '2026-11-20T09:00Z' }, askedAt, 'America/New_York')).toBe('2026-11-20T09:00:00.000Z');
});

it('is null for a date that does not exist', () => {
  expect(momentOf({ at: '2026-02-30T09:00' }, askedAt, 'UTC')).toBeNull();
});
