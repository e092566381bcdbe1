import { expect, it } from 'vitest';
import { entryOf } from '../../../src/outbox/entry.ts';

it('parses a readable entry', () => {
  const entry = { kind: 'tracked', id: 'a', subject: { kind: 'alert', id: 'evt_1' } };

  expect(entryOf(JSON.stringify(entry))).toMatchObject(entry);
});

it('returns the known part of an entry that only a newer version can read', () => {
  const entry = { kind: 'poll', id: 'p', question: 'Lunch?' };

  expect(entryOf(JSON.stringify(entry))).toEqual({ unreadable: { id: 'p', entry } });
});

it.each(['{', '{"kind":"poll"}', '"a"'])('throws if not even the id can be read: %s', (text) => {
  expect(() => entryOf(text)).toThrow();
});
