import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { within } from '../../../src/core/deadline.ts';

it('returns the result of work that finishes in time', async () => {
  expect(await within(1000, Promise.resolve('here'), () => 'late')).toBe('here');
});

it('calls the fallback, which may throw, if the work is late', async () => {
  const never = new Promise<never>(() => {});

  expect(await within(1, never, () => 'late')).toBe('late');
  await expect(
    within(1, never, () => {
      throw new Error('no answer');
    }),
  ).rejects.toThrow('no answer');
});

it('fails if the work fails in time', async () => {
  await expect(within(1000, Promise.reject(new Error('broken')), () => 'late')).rejects.toThrow('broken');
});

it('accepts a result that arrived while the event loop was blocked', async () => {
  const answer = sleep(20, 'here');
  const result = within(10, answer, () => 'late');

  const until = performance.now() + 40;
  while (performance.now() < until);

  expect(await result).toBe('here');
});
