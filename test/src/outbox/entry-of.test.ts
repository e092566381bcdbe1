import { expect, it } from 'vitest';
import { entryOf } from '../../../src/outbox/entry.ts';

it('is an entry where it can be read', () => {
  const entry = { kind: 'tracked', id: 'a', subject: { kind: 'alert', id: 'evt_1' } };

  expect(entryOf(JSON.stringify(entry))).toMatchObject(entry);
});

it('is what is known of it where only a newer version can read it', () => {
  const entry = { kind: 'poll', id: 'p', question: 'Lunch?' };

  expect(entryOf(JSON.stringify(entry))).toEqual({ unreadable: { id: 'p', entry } });
});

it.each(['{', '{"kind":"poll"}', '"a"'])('is a fault where not even its id can be read: %s', (text) => {
  expect(() => entryOf(text)).toThrow();
});
