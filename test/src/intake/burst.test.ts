import { expect, it } from 'vitest';
import { burstId, burstOf, eventsIn, mayShareJob } from '../../../src/intake/burst.ts';
import { read } from '../webhooks/read.ts';

const entryOf = (id: number) => ({ type: 'event', event: read('decline', { NetworkTransactionId: id }) }) as const;

it('the same events give the same id, and other events another id', () => {
  const [one, two, three] = [entryOf(1), entryOf(2), entryOf(3)];

  expect(burstId(burstOf([one, two]))).toBe(burstId(burstOf([one, two])));
  expect(burstId(burstOf([one, two]))).not.toBe(burstId(burstOf([one, three])));
});

it('the id of a burst contains its number of events; any other job holds one', () => {
  const events = Array.from({ length: 150 }, (_, id) => entryOf(id));

  expect(eventsIn(burstId(burstOf(events)))).toBe(150);
  expect(eventsIn('evt_12345')).toBe(1);
  expect(eventsIn('quarantine-7-200')).toBe(1);
});

it('a burst keeps the late flag and trace position of each event', () => {
  const { event } = entryOf(1);

  const late = { type: 'event', event, isLate: true, trace: '00-1-2-01' } as const;
  expect(burstOf([late, entryOf(2)]).events.map(({ isLate, trace }) => [isLate, trace])).toEqual([
    [true, '00-1-2-01'],
    [false, undefined],
  ]);
});

it("events share a job, except status changes, which may have to wait, and people's actions", () => {
  const status = { type: 'event', event: read('card-status') } as const;

  expect(mayShareJob(entryOf(1))).toBe(true);
  expect(mayShareJob(status)).toBe(false);
  expect(mayShareJob({ type: 'gap', fromMs: 1, toMs: 2, cause: 'away' })).toBe(false);
});
