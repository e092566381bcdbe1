import { deflateRawSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { UnreadableError } from '../../../src/core/errors.ts';
import { burstOf, eventsIn, eventsOf, mayShareJob } from '../../../src/intake/burst.ts';
import { read } from '../webhooks/read.ts';

const entryOf = (id: number) => ({ type: 'event', event: read('decline', { NetworkTransactionId: id }) }) as const;

it('the same events give the same id, and other events another id', () => {
  const [one, two, three] = [entryOf(1), entryOf(2), entryOf(3)];

  expect(burstOf([one, two]).id).toBe(burstOf([one, two]).id);
  expect(burstOf([one, two]).id).not.toBe(burstOf([one, three]).id);
});

it('the id of a burst contains its number of events; any other job holds one', () => {
  const events = Array.from({ length: 150 }, (_, id) => entryOf(id));

  expect(eventsIn(burstOf(events).id)).toBe(150);
  expect(eventsIn('evt_12345')).toBe(1);
  expect(eventsIn('quarantine-7-200')).toBe(1);
});

it('a burst keeps the late flag and trace position of each event', () => {
  const { event } = entryOf(1);

  const late = { type: 'event', event, isLate: true, trace: '00-1-2-01' } as const;
  expect(eventsOf(burstOf([late, entryOf(2)])).map(({ isLate, trace }) => [isLate, trace])).toEqual([
    [true, '00-1-2-01'],
    [false, undefined],
  ]);
});

it('a burst takes far less space than its events, which it returns unchanged', () => {
  const entries = Array.from({ length: 200 }, (_, id) => entryOf(id));

  const burst = burstOf(entries);

  expect(burst.packed.length).toBeLessThan(JSON.stringify(entries).length / 5);
  expect(eventsOf(burst)).toEqual(entries.map(({ event }) => ({ event, isLate: false })));
});

it('a burst that is damaged, or of another version, is unreadable', () => {
  const { packed, ...burst } = burstOf([entryOf(1), entryOf(2)]);

  expect(() => eventsOf({ ...burst, packed: packed.slice(4) })).toThrow(UnreadableError);
  const other = deflateRawSync('[{"event":{}}]').toString('base64');
  expect(() => eventsOf({ ...burst, packed: other })).toThrow(UnreadableError);
});

it("events share a job, except status changes, which may have to wait, and people's actions", () => {
  const status = { type: 'event', event: read('card-status') } as const;

  expect(mayShareJob(entryOf(1))).toBe(true);
  expect(mayShareJob(status)).toBe(false);
  expect(mayShareJob({ type: 'gap', fromMs: 1, toMs: 2, cause: 'away' })).toBe(false);
});
