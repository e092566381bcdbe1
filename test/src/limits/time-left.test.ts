import { expect, it } from 'vitest';
import { createTimeLeft } from '../../../src/limits/end-temporary-change.ts';

const now = new Date('2026-11-20T15:00:00.000Z');
const endsAt = '2026-11-20T15:10:00.000Z';

function setUp(slackAheadMs: number | null, machineAheadMs = 0) {
  const told: string[] = [];
  const timeLeft = createTimeLeft({
    sharedNow: async () => now,
    slackNow: () => (slackAheadMs === null ? null : now.getTime() + slackAheadMs),
    machineNow: () => now.getTime() + machineAheadMs,
    notifyOps: async ({ title }) => void told.push(title),
  });
  return { timeLeft, told };
}

it('uses the clock of Redis if a second clock roughly agrees', async () => {
  const { timeLeft, told } = setUp(2_000);

  expect(await timeLeft(endsAt)).toBe(600_000);
  expect(await timeLeft('2026-11-20T14:59:59.000Z')).toBe(-1000);
  expect(told).toEqual([]);
});

it.each([70 * 60_000, -70 * 60_000])(
  'is unknown if a second clock differs by %i ms, and ops are notified',
  async (ms) => {
    const { timeLeft, told } = setUp(ms);

    expect(await timeLeft(endsAt)).toBeNull();
    expect(told).toEqual(['Redis’ clock and Slack’s differ by more than a minute']);
  },
);

it('is compared with the machine’s clock until Slack has answered, and says nothing about that of Slack', async () => {
  const wrong = setUp(null, 70 * 60_000);

  expect(await wrong.timeLeft(endsAt)).toBeNull();
  expect(await setUp(null, 2000).timeLeft(endsAt)).toBe(600_000);
  expect(wrong.told).toEqual([]);
});
