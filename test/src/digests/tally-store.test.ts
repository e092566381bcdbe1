import { describe, expect, it } from 'vitest';
import { createTallies } from '../../../src/digests/tally-store.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const now = (): number => Date.parse('2026-11-20T20:00:00Z');
const decline = (eventId: string, at: string, over = {}) => ({
  eventId,
  at,
  cents: 1000,
  reason: { code: 'decline.rule.velocity', title: 'Over the daily limit' },
  merchant: 'Blue Bottle',
  group: 'Field team',
  ...over,
});
const ms = Date.parse;

describe('a decline in the tally', () => {
  it('is counted once, in the quarter hour in which it happened', async () => {
    const tallies = createTallies(redis(), now);
    for (const _twice of [1, 2]) {
      await tallies.count(decline('evt_1', '2026-11-20T14:14:59Z'));
      await tallies.count(decline('evt_2', '2026-11-20T14:15:00Z', { merchant: 'Kiosk', group: null }));
      await tallies.count(
        decline('evt_3', '2026-11-20T18:00:00Z', { reason: { code: 'decline.mcc', title: 'Never' } }),
      );
    }

    expect(await tallies.sum(ms('2026-11-20T14:00:00Z'), ms('2026-11-20T20:00:00Z'))).toEqual({
      count: 3,
      cents: 3000,
      reasons: [
        { code: 'decline.rule.velocity', name: 'Over the daily limit', count: 2 },
        { code: 'decline.mcc', name: 'Never', count: 1 },
      ],
      merchants: [
        { name: 'Blue Bottle', count: 2 },
        { name: 'Kiosk', count: 1 },
      ],
      groups: [{ name: 'Field team', count: 2 }],
    });
    expect((await tallies.sum(ms('2026-11-20T14:15:00Z'), ms('2026-11-20T18:00:00Z'))).count).toBe(1);
  });

  it('is forgotten after five weeks', async () => {
    const tallies = createTallies(redis(), now);
    await tallies.count(decline('evt_old', '2026-10-01T14:00:00Z'));

    expect((await tallies.sum(0, now())).reasons.every(({ name }) => name !== '')).toBe(true);
    expect((await tallies.sum(0, ms('2026-11-01T00:00:00Z'))).count).toBe(0);
    const ttls = await Promise.all((await redis().keys('*tally:*')).map((key) => redis().ttl(key)));
    expect(ttls.every((ttl) => ttl > 0 && ttl <= 35 * 24 * 3600)).toBe(true);
  });
});
