import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createRateLimit } from '../../sandbox/api/rate-limit.ts';
import { assumptionsWith } from '../../sandbox/assumptions.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

it.each([
  ['a minute', 1, 60_000],
  ['three seconds at twenty times the speed', 20, 3000],
])('allows 120 calls within %s, and more once these are over', (_what, timeScale, windowMs) => {
  const countCall = createRateLimit(assumptionsWith(), timeScale);
  const call = (): void => countCall('GET', '/Card/Profile/{id}');

  for (let made = 0; made < 120; made += 1) call();
  vi.advanceTimersByTime(windowMs - 1);
  expect(call).toThrow('Usage limits exceeded');
  vi.advanceTimersByTime(1);
  expect(call).not.toThrow();
});
