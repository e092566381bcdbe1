import { expect, it } from 'vitest';
import { createClock } from '../../../src/core/clock.ts';

const at = Date.parse('2026-11-20T15:00:00.000Z');
const seventyMinutes = 70 * 60_000;

it('is the machine’s until Redis was asked, and then that of Redis, however wrong the machine’s is', async () => {
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
