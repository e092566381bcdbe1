import { expect, it } from 'vitest';
import { coveredSpan, createShownDeclines } from '../../../src/digests/shown-declines.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const DAY_MS = 24 * 3_600_000;

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

it.each([
  [7, 14, 0, 'two weeks were not sent'],
  [7, 18, 18, 'nothing on record of a weekly schedule'],
  [28, 62, 0, 'two months were not sent'],
  [28, 71, 71, 'nothing on record of a monthly schedule'],
])('owes a first digest of %i days, set %i days before, from its %i. day: %s', (days, before, from) => {
  const fromMs = (2000 + before) * DAY_MS;
  const period = { fromMs, toMs: fromMs + days * DAY_MS };

  expect(coveredSpan({ period, last: null, sinceMs: 2000 * DAY_MS }).fromMs / DAY_MS - 2000).toBe(from);
});

it('keeps until when the digests of each schedule have shown declines', async () => {
  const { lastShown, setShown } = createShownDeclines(redis());

  await setShown('C1:daily', { toMs: DAY_MS });

  expect(await lastShown('C1:daily')).toEqual({ toMs: DAY_MS });
  expect(await lastShown('C1:weekly')).toBeNull();
});
