import { describe, expect, it } from 'vitest';
import {
  batchReasonOf,
  forAnotherChannel,
  HELD_WAIT_MS,
  OutboxEntry,
  parseEntry,
  shownAlertId,
  storedEntry,
  type TrackedEntry,
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

  expect(parseEntry(entry.id, JSON.stringify(entry))).toMatchObject(entry);
});

it('returns the known part of an entry that only a newer version can read', () => {
  const entry = { kind: 'poll', id: 'p', question: 'Lunch?' };

  expect(parseEntry(entry.id, JSON.stringify(entry))).toEqual({ unreadable: { id: 'p', entry } });
});

describe('an alert for the team that is posted at once', () => {
  const plain = { kind: 'tracked', id: 'evt_1', subject: { kind: 'alert', id: 'evt_1' }, priority: 'fraud' } as const;
  const whole = { ...plain, audience: 'team', threadId: null, broadcast: false, late: false, notBefore: null } as const;

  it('is stored as its priority', () => {
    expect(storedEntry(whole)).toEqual({ entry: whole, text: 'fraud' });
    expect(storedEntry({ ...whole, audience: undefined })).toEqual({ entry: whole, text: 'fraud' });
    expect(parseEntry('evt_1', 'fraud')).toEqual(whole);
  });

  it.each([
    { id: 'a' },
    { audience: 'holder' },
    { threadId: 't' },
    { broadcast: true },
    { late: true },
    { notBefore: 5 },
    { trace: '00-1' },
    { subject: { kind: 'request', id: 'evt_1' } },
  ] as const)('is stored whole if it has more: %j', (more) => {
    const { entry, text } = storedEntry({ ...whole, ...more });

    expect(entry).toEqual({ ...whole, ...more });
    expect(JSON.parse(text)).toEqual(entry);
    expect(parseEntry(entry.id, text)).toEqual(entry);
  });

  it('is the same entry if it leaves out what the schema fills in', () => {
    const { entry, text } = storedEntry(plain);

    expect([entry, parseEntry('evt_1', text)]).toEqual([whole, whole]);
  });

  it.each([{ tint: 'red' }, { subject: { ...plain.subject, tint: 'red' } }])(
    'keeps the fields of a newer version: %j',
    (newer) => {
      const read = parseEntry('evt_1', JSON.stringify({ ...plain, ...newer }));
      if ('unreadable' in read) throw new Error('not read');

      expect(JSON.parse(storedEntry(read).text)).toMatchObject(newer);
    },
  );

  it('is refused if it has a field of no version or a wrong priority', () => {
    expect(() => storedEntry({ ...plain, tint: 'red' } as object as TrackedEntry)).toThrow('tint');
    expect(() => storedEntry({ ...plain, priority: 'toString' } as object as TrackedEntry)).toThrow('priority');
  });

  it('of a priority that only a newer version knows is set aside for that version', () => {
    expect(parseEntry('evt_1', 'slow')).toEqual({ unreadable: { id: 'evt_1', entry: { ...whole, priority: 'slow' } } });
  });
});

it.each(['{', '{"kind":"poll"}', '"a"'])('throws if not even the id can be read: %s', (text) => {
  expect(() => parseEntry('a', text)).toThrow();
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

  expect([tracked(), request, notice()].map(shownAlertId)).toEqual(['evt_1', null, null]);
});
