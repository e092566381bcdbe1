import { expect, it, vi } from 'vitest';
import { createPersonRate } from '../../../src/slack/person-rate.ts';

it('a person may make sixty requests at once, then one per second, without affecting others', () => {
  let now = 0;
  const mayAsk = createPersonRate(() => now);
  const taken = (userId: string, times: number): number =>
    Array.from({ length: times }, () => mayAsk(userId)).filter(Boolean).length;

  expect(taken('U0OTTO', 200)).toBe(60);
  expect(mayAsk('U0OLGA')).toBe(true);

  now = 10_000;
  expect(taken('U0OTTO', 200)).toBe(10);
  now = 200_000;
  expect(taken('U0OTTO', 200)).toBe(60);
});

it('remembers a limited number of people', () => {
  let now = 0;
  const mayAsk = createPersonRate(() => now);
  for (let person = 0; person < 30_000; person += 1) {
    now += 10;
    expect(mayAsk(`U${person}`)).toBe(true);
  }
});

it('refuses nobody because the system clock was set back', () => {
  const mayAsk = createPersonRate();
  expect(mayAsk('U0OTTO')).toBe(true);

  const setBack = vi.spyOn(Date, 'now').mockReturnValue(Date.now() - 2 * 60_000);
  const answer = mayAsk('U0OTTO');
  setBack.mockRestore();

  expect(answer).toBe(true);
});
