import { expect, it, vi } from 'vitest';
import { createClock, watchClock } from '../../../src/core/clock.ts';
import { useRedis } from '../../support/on-redis.ts';
import { until } from '../../support/until.ts';

const redisOf = useRedis();
const at = Date.parse('2026-11-20T15:00:00.000Z');
const seventyMinutes = 70 * 60_000;

it('uses the machine’s time until Redis has answered, then the time of Redis, however wrong the machine is', async () => {
  let elapsedMs = 5_000;
  const redis = { time: async () => [at / 1000, 250_000] };
  const clock = createClock(
    redis as never,
    () => elapsedMs,
    () => at + seventyMinutes,
  );
  expect(clock.now().getTime()).toBe(at + seventyMinutes);

  expect((await clock.measure()).getTime()).toBe(at + 250);
  elapsedMs += 3_000;

  expect(clock.now().getTime()).toBe(at + 3_250);
});

it('switches to the time of Redis soon after the web process starts', async () => {
  vi.spyOn(Date, 'now').mockReturnValue(Date.now() + seventyMinutes);
  const clock = watchClock(redisOf());
  const aheadMs = (): number => clock.now().getTime() - (Date.now() - seventyMinutes);
  expect(aheadMs()).toBe(seventyMinutes);

  await until(() => Math.abs(aheadMs()) < 60_000, 'Redis has answered');

  clock.stop();
  vi.restoreAllMocks();
});
