import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { within } from '../../../src/core/deadline.ts';

it('answers what the work answers when it is there in time', async () => {
  expect(await within(1000, Promise.resolve('here'), () => 'late')).toBe('here');
});

it('answers or throws as told when the work is not there in time', async () => {
  const never = new Promise<never>(() => {});

  expect(await within(1, never, () => 'late')).toBe('late');
  await expect(
    within(1, never, () => {
      throw new Error('no answer');
    }),
  ).rejects.toThrow('no answer');
});

it('fails when the work fails in time', async () => {
  await expect(within(1000, Promise.reject(new Error('broken')), () => 'late')).rejects.toThrow('broken');
});

it('takes an answer that came while the event loop stood still', async () => {
  const answer = sleep(20, 'here');
  const result = within(10, answer, () => 'late');

  const until = performance.now() + 40;
  while (performance.now() < until);

  expect(await result).toBe('here');
});
