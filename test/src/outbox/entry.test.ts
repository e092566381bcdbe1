import { expect, it } from 'vitest';
import {
  alertIdOf,
  batchReasonOf,
  entryOf,
  forAnotherChannel,
  HELD_WAIT_MS,
  OutboxEntry,
  trackedOf,
  waitOf,
} from '../../../src/outbox/entry.ts';

const tracked = (over: object = {}) => {
  const [entry] = trackedOf([
    OutboxEntry.parse({ kind: 'tracked', id: 'a', subject: { kind: 'alert', id: 'evt_1' }, ...over }),
  ]);
  if (entry === undefined) throw new Error('not tracked');
  return entry;
};
const notice = (over: object = {}) =>
  OutboxEntry.parse({ kind: 'notice', id: 'n', message: { text: 'About Jane', blocks: [] }, ...over });

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

it('the more urgent an entry, the less it waits; held ones are not urgent any more', () => {
  const waits = (['fraud', 'request', 'decline', 'ops', 'status', 'spend'] as const).map((priority) =>
    waitOf(tracked({ priority })),
  );

  expect(waits).toEqual(waits.toSorted((a, b) => a - b));
  expect(waits[0], 'overtakes everything').toBe(0);
  expect(waitOf(tracked({ priority: 'fraud', notBefore: 1 }))).toBe(HELD_WAIT_MS);
});

it.each([
  ['late', { late: true, notBefore: 1, priority: 'fraud' }],
  ['held', { notBefore: 1, priority: 'fraud' }],
  ['fraud', { priority: 'fraud' }],
  ['busy', { priority: 'decline' }],
])('an entry shares a message only with others that are %s: %j', (reason, over) => {
  expect(batchReasonOf(tracked(over))).toBe(reason);
});

it('a notice has other words in another channel, if it names anybody', () => {
  const elsewhere = { text: 'About somebody', blocks: [] };

  expect(forAnotherChannel(notice({ elsewhere }))).toEqual({ ...notice(), message: elsewhere });
  expect(forAnotherChannel(notice())).toEqual(notice());
  expect(forAnotherChannel(tracked())).toEqual(tracked());
});

it('only an entry that shows an alert has the id of one', () => {
  const request = tracked({ subject: { kind: 'request', id: 'req_1' } });

  expect([tracked(), request, notice()].map(alertIdOf)).toEqual(['evt_1', null, null]);
});
