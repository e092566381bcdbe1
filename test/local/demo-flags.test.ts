import { expect, it } from 'vitest';
import { storyAfterSeconds } from '../../local/demo-flags.ts';

it.each([
  [1, 60],
  [200, 60],
  [400, 30],
  [100_000, 1],
])('a story that goes %d times faster than life waits %d seconds for a visitor who reads', (speed, seconds) => {
  expect(storyAfterSeconds(speed)).toBe(seconds);
});
