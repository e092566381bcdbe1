import { expect, it } from 'vitest';
import { createTimeLeft } from '../../../src/limits/end-temporary-change.ts';

const now = new Date('2026-11-20T15:00:00.000Z');
const endsAt = '2026-11-20T15:10:00.000Z';

function timeLeftWith(slackAheadMs: number | null, machineAheadMs = 0) {
  return createTimeLeft({
    sharedNow: async () => now,
    slackNow: () => (slackAheadMs === null ? null : now.getTime() + slackAheadMs),
    machineNow: () => now.getTime() + machineAheadMs,
  });
}

it('uses the clock of Redis if a second clock roughly agrees', async () => {
  const timeLeft = timeLeftWith(2_000);

  expect(await timeLeft(endsAt)).toBe(600_000);
  expect(await timeLeft('2026-11-20T14:59:59.000Z')).toBe(-1000);
});

it.each([70 * 60_000, -70 * 60_000])('is unknown if Slack’s clock differs by %i ms', async (ms) => {
  expect(await timeLeftWith(ms)(endsAt)).toBeNull();
});

it('is compared with the machine’s clock until Slack has answered', async () => {
  expect(await timeLeftWith(null, 70 * 60_000)(endsAt)).toBeNull();
  expect(await timeLeftWith(null, 2000)(endsAt)).toBe(600_000);
});
