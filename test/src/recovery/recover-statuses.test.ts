import { describe, expect, it } from 'vitest';
import type { CardStatusEvent } from '../../../src/core/event.ts';
import { gapOf } from '../../../src/core/gap.ts';
import { stateKey } from '../../../src/core/keys.ts';
import type { DirectoryAccount } from '../../../src/directory/account.ts';
import { createBackfilled, createStatusRecovery } from '../../../src/recovery/recover-statuses.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const MINUTE = 60_000;
const nowMs = Date.parse('2026-11-20T12:00:00Z');
const at = (minutesAgo: number): string => new Date(nowMs - minutesAgo * MINUTE).toISOString();

/** A card that the API shows as blocked for `minutesAgo` minutes, and whose last reported status is active. */
const account = (minutesAgo: number): DirectoryAccount => ({
  acctId: 7378,
  firstName: 'Jane',
  lastName: 'Doe',
  namesAt: null,
  customId: null,
  isVirtual: false,
  group: null,
  rulesetId: null,
  accountStatus: 'OPEN',
  availableCents: null,
  email: null,
  cards: [
    {
      cardId: 1,
      last4: '1212',
      status: 'BLOCKED',
      seenAt: at(minutesAgo),
      was: { status: 'ACTIVE', seenAt: at(60) },
    },
  ],
  detailsAt: at(minutesAgo),
});

function world(accounts: readonly DirectoryAccount[], known = accounts.length, isWhole = true, lastGapEndMs = 0) {
  const calls: string[] = [];
  const taken: CardStatusEvent[] = [];
  const backfilled = createBackfilled(redis());
  const recovery = createStatusRecovery({
    directory: {
      async *all() {
        yield* accounts;
      },
      status: async () => ({ accounts: known, listedAt: at(10) }),
      refresh: async (options) => void calls.push(options.force ? 'list again' : 'list'),
      async reloadOlderThan() {
        calls.push('ask for every card');
        return isWhole;
      },
    },
    backfilled,
    async take(_gapId, events) {
      const news = events.filter(({ id }) => taken.every((event) => event.id !== id));
      taken.push(...news);
      return news.length;
    },
    recordDiscovered: async () => {},
    lastGapEndMs: async () => lastGapEndMs,
    now: () => new Date(nowMs),
  });
  return { recovery, calls, taken, backfilled };
}

describe('a status change without a webhook', () => {
  it('is reported once after a gap, and a webhook that arrives later adds nothing', async () => {
    const { recovery, taken, backfilled } = world([account(1)]);
    const gap = gapOf(nowMs - 20 * MINUTE, nowMs, 'start');

    expect(await recovery.afterGap(gap)).toBe(1);
    expect(await recovery.afterGap(gap)).toBe(0);

    const [event] = taken;
    if (event === undefined) throw new Error('nothing was reported');
    expect(event.cards).toMatchObject([{ cardId: 1, status: 'BLOCKED' }]);
    expect(await backfilled.covers({ ...event, callbackAt: at(30) }, [])).toBe(true);
    const keptDays = (await redis().ttl(stateKey('backfilled:1'))) / 86_400;
    expect(keptDays, 'the card service stores webhooks for as long as it is down').toBeGreaterThan(29);
    expect(await backfilled.covers({ ...event, callbackAt: at(90) }, [])).toBe(false);
    expect(await backfilled.covers({ ...event, callbackAt: at(60) }, []), 'the moment of the last report').toBe(false);
    const other = { cardId: 99, last4: '0099', status: 'ACTIVE', cardOrderId: null } as const;
    const both = { ...event, cards: [...event.cards, other], callbackAt: at(30) };
    expect(await backfilled.covers(both, [{ cardId: 99, status: 'ACTIVE' }]), 'the other card is unchanged').toBe(true);
    expect(await backfilled.covers(both, [{ cardId: 99, status: 'INACTIVE' }]), 'the other card is new').toBe(false);
    expect(await backfilled.covers({ ...both, cards: [other] }, [{ cardId: 99, status: 'ACTIVE' }])).toBe(false);
  });

  it('keeps the gap open while some cards cannot be read', async () => {
    const { recovery, taken } = world([account(1)], 1, false);

    await expect(recovery.afterGap(gapOf(nowMs - 20 * MINUTE, nowMs, 'start'))).rejects.toThrow(
      expect.objectContaining({ code: 'unavailable', message: 'the card service did not answer for some cards' }),
    );

    expect(taken).toEqual([]);
  });

  it('waits five minutes for its webhook when there was no gap', async () => {
    const { recovery, taken } = world([account(4)]);
    await recovery.refreshDirectory();
    expect(taken).toEqual([]);

    const later = world([account(6)]);
    await later.recovery.refreshDirectory();
    expect(later.taken).toHaveLength(1);
  });

  it('is searched for in a new list if a gap ended since the last one', async () => {
    for (const [endedAgo, call] of [
      [9, 'list again'],
      [10, 'list'],
    ] as const) {
      const { recovery, calls } = world([], 0, true, Date.parse(at(endedAgo)));

      await recovery.refreshDirectory();

      expect(calls, `the last gap ended ${endedAgo} minutes ago, the list is 10 minutes old`).toEqual([call]);
    }
  });

  it('is looked up card by card after a long gap or in a small program, otherwise in the list of all cards', async () => {
    const [short, long] = [gapOf(nowMs - MINUTE, nowMs, 'start'), gapOf(nowMs - 10 * MINUTE, nowMs, 'start')];
    const large = world([], 1000);

    await large.recovery.afterGap(short);
    await large.recovery.afterGap(long);
    expect(large.calls).toEqual(['list again', 'ask for every card']);

    await large.recovery.afterGap(gapOf(nowMs - 225_000, nowMs, 'start'));
    await large.recovery.afterGap(gapOf(nowMs - 224_999, nowMs, 'start'));
    expect(large.calls.slice(2), 'webhooks are retried for 225 seconds').toEqual(['ask for every card', 'list again']);

    const small = world([], 10);
    await small.recovery.afterGap(short);
    expect(small.calls).toEqual(['ask for every card']);
  });
});
