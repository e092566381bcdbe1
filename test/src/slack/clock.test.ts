import { expect, it } from 'vitest';
import { createSlackClock } from '../../../src/slack/clock.ts';

it('continues from the last answer on a monotonic clock', () => {
  let elapsedMs = 5_000;
  const clock = createSlackClock(() => elapsedMs);
  expect(clock.now(), 'Slack has not answered yet').toBeNull();

  clock.hear('Wed, 04 Mar 2026 15:00:00 GMT');
  elapsedMs += 2_500;

  expect(clock.now()).toBe(Date.UTC(2026, 2, 4, 15, 0, 2, 500));
});

it.each([null, '', 'soon'])('ignores an answer whose date is %j', (date) => {
  const clock = createSlackClock(() => 0);
  clock.hear('Wed, 04 Mar 2026 15:00:00 GMT');

  clock.hear(date);

  expect(clock.now()).toBe(Date.UTC(2026, 2, 4, 15, 0, 0));
});
