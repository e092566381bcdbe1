import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  type Counted,
  countDeclines,
  coveredSpan,
  createShownDeclines,
  type Shown,
} from '../../../src/digests/late-declines.ts';
import { added, noSums } from '../../../src/digests/tally-store.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const DAY_MS = 24 * 3_600_000;

/** Tallies that a test adds declines to. */
function createCounts() {
  const counted: { atMs: number; cents: number }[] = [];
  return {
    count: (atMs: number, cents: number) => void counted.push({ atMs, cents }),
    async sum(fromMs: number, toMs: number) {
      const within = counted.filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
      return within.map(({ cents }) => ({
        code: 'decline.card.pin',
        reason: 'Wrong PIN',
        merchant: 'Pin Shop',
        group: null,
        count: 1,
        attempts: 1,
        cents,
      }));
    },
  };
}

/** A digest that is due for one day to another. */
const digestOf = (from: number, to: number, last: Shown | null = null) => ({
  period: coveredSpan({ period: { fromMs: from * DAY_MS, toMs: to * DAY_MS }, last, sinceMs: from * DAY_MS }),
  last,
});

const totalOf = ({ declines, late }: Counted): number => declines.reduce(added, late).cents;

it('shows every decline in exactly one digest, however late it arrives', async () => {
  const arrival = fc.record({ digest: fc.integer({ min: 1, max: 8 }), daysLate: fc.integer({ min: 0, max: 14 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(arrival), async (arrivals) => {
      const tallies = createCounts();
      const first = 100 * DAY_MS;
      let last: Shown | null = null;
      const shown: number[] = [];
      const expected: number[] = [];
      for (let number = 1; number <= 9; number += 1) {
        const period = { fromMs: first + number * DAY_MS, toMs: first + (number + 1) * DAY_MS };
        for (const { daysLate } of arrivals.filter((each) => each.digest === number)) {
          const atMs = period.fromMs - daysLate * DAY_MS;
          tallies.count(atMs, 7);
          // No digest covers what happened before the first one.
          if (atMs >= first + DAY_MS) expected.push(number);
        }
        const counted = await countDeclines(tallies, { period, last });
        for (let cents = totalOf(counted); cents > 0; cents -= 7) shown.push(number);
        last = counted.shown;
      }
      expect(shown).toEqual(expected);
    }),
  );
});

it('says what arrived late even if the schedule changed and the periods overlap', async () => {
  const tallies = createCounts();
  const before = await countDeclines(tallies, digestOf(0, 2));
  tallies.count(DAY_MS / 2, 1);

  const moved = await countDeclines(tallies, digestOf(1, 3, before.shown));
  const next = await countDeclines(tallies, digestOf(3, 4, moved.shown));

  expect(moved.late).toEqual({ count: 1, attempts: 1, cents: 1 });
  expect(next.late).toEqual(noSums);
});

it('covers the time from the end of the last digest, or from when the first one was set', () => {
  const span = (last: number | null, since: number) =>
    coveredSpan({
      period: { fromMs: 5 * DAY_MS, toMs: 6 * DAY_MS },
      last: last === null ? null : { toMs: last * DAY_MS },
      sinceMs: since * DAY_MS + 60_000,
    }).fromMs / DAY_MS;

  expect(span(5, 1), 'sent each day').toBe(5);
  expect(span(3, 1), 'one was not sent').toBe(3);
  expect(span(5.5, 1), 'its hour was changed').toBe(5.5);
  expect(span(null, 5.5), 'the first one').toBe(5);
  expect(span(null, 4.5), 'the first one was not sent').toBe(4.5);
  expect(span(null, -10.5), 'nothing on record of a schedule that is weeks old').toBe(5);
  expect(span(2, -10.5), 'its record is not weeks old').toBe(2);
  expect(span(2, 4.5), 'off for a time, and then one was not sent').toBe(4.5);
});

it('owes nothing that came late from before it was turned off', async () => {
  const tallies = createCounts();
  const before = await countDeclines(tallies, digestOf(0, 1));
  tallies.count(DAY_MS / 2, 1);

  const { late, shown } = await countDeclines(tallies, digestOf(5, 6, before.shown));

  expect(late).toEqual(noSums);
  expect(shown.fromMs).toBe(5 * DAY_MS);
});

it('reports nothing negative if Redis has lost counts', async () => {
  const lost = { fromMs: 0, toMs: DAY_MS, count: 3, attempts: 5, cents: 700 };

  const { late } = await countDeclines(createCounts(), digestOf(1, 2, lost));

  expect(late).toEqual(noSums);
});

it('keeps what a digest counted first', async () => {
  const sent = createShownDeclines(redis());
  const tallies = createCounts();
  const { period } = digestOf(0, 1);
  const counting = { id: 'digest-1', schedule: 'C1:daily', period, keptMs: 60_000 };
  tallies.count(1, 1);

  const first = await sent.count(tallies, counting);
  tallies.count(2, 1);

  expect(first.shown).toEqual({ ...period, count: 1, attempts: 1, cents: 1 });
  expect(await sent.count(tallies, counting)).toEqual(first);
  expect((await sent.count(tallies, { ...counting, id: 'digest-2' })).late, 'not sent yet').toEqual(noSums);
  await sent.setShown('C1:daily', first);
  expect((await sent.count(tallies, { ...counting, id: 'digest-3' })).late.cents).toBe(1);
});
