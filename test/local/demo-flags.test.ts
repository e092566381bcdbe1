import { expect, it } from 'vitest';
import { storyAfterSeconds } from '../../local/demo-flags.ts';

it.each([
  [1, 60],
  [200, 60],
  [400, 30],
  [100_000, 1],
])('a story at %d times real speed waits %d seconds for a visitor who is reading', (speed, seconds) => {
  expect(storyAfterSeconds(speed)).toBe(seconds);
});
