import { beforeEach, describe, expect, it } from 'vitest';
import type { RemainingLimits } from '../../../src/card-api/schema.ts';
import { createPreferences } from '../../../src/holders/preference-store.ts';
import { TemporaryChange } from '../../../src/limits/temporary-change-store.ts';
import { createReadUsedLimits, createWarnOfLimits, usedLimits } from '../../../src/warnings/warn-of-limits.ts';
import { createWarned } from '../../../src/warnings/warned-store.ts';
import { limitWarning } from '../../../templates/warnings/warnings.ts';
import { limitChange } from '../../support/limit-goals.ts';
import { useRedis } from '../../support/on-redis.ts';
import { card } from '../../templates/fixtures.ts';

const redis = useRedis();
const AT = '2026-11-20T15:00:00.000Z';

function daily(limitCents: number | null, remainingCents: number | null): RemainingLimits {
  return { overall: [{ period: 'daily', limitCents, remainingCents }], categories: [] };
}

describe('the used share of a limit', () => {
  it.each<[string, RemainingLimits, number | null]>([
    ['a cent below three quarters', daily(40_000, 10_001), null],
    ['three quarters', daily(40_000, 10_000), 75],
    ['a cent below nine tenths', daily(40_000, 4001), 75],
    ['nine tenths', daily(40_000, 4000), 90],
    ['all', daily(40_000, 0), 90],
    ['over the limit, because someone allowed it', daily(40_000, -5), null],
    ['no limit', daily(null, 10), null],
    ['a limit of zero', daily(0, 0), null],
    ['a limit the service does not give', daily(40_000, null), null],
  ])('%s', (_name, remaining, threshold) => {
    expect(usedLimits(remaining, AT).map((used) => used.threshold)).toEqual(threshold === null ? [] : [threshold]);
  });
});

const raisedForOnePurchase = TemporaryChange.parse({
  id: 'act_1',
  acctId: 1,
  changes: [limitChange('daily', 15_000, 40_000)],
  term: { kind: 'purchase' },
  by: { userId: 'U0ANA', teamId: 'T1' },
  openedAt: AT,
  endsAt: AT,
  purchase: { merchantId: 'M1', merchant: 'Corner Diner', maxCents: 25_000, declinedAt: AT },
  alertId: null,
  requestId: null,
  certainty: 'certain',
  state: 'open',
  meanwhile: null,
});

let told: { userId: string; id: string; text: string }[];
let remaining: RemainingLimits | null;
let now: Date;
let holder: string | null;
/** How long the holder is quiet. */
let quietMs: number;
let changes: TemporaryChange[];
/** Runs while the amounts are read. */
let readAt: (() => void) | null;

beforeEach(() => {
  told = [];
  remaining = daily(40_000, 9000);
  now = new Date(AT);
  holder = 'U0HUGO';
  quietMs = 0;
  changes = [];
  readAt = null;
});

function warn(warned = createWarned(redis())): Promise<number | null> {
  return createWarnOfLimits({
    links: {
      ofAccount: async (acctId) =>
        holder === null ? null : { acctId, userId: holder, provedBy: 'email', by: holder, at: AT },
    },
    preferences: { ...createPreferences(redis()), quietLeftMs: async () => quietMs },
    warned,
    readUsedLimits: createReadUsedLimits({
      temporaryChanges: { all: async () => changes },
      async remaining() {
        readAt?.();
        return remaining;
      },
    }),
    factsOf: async () => card,
    sealCard: () => 'sealed',
    notifyUnasked: async (userId, id, { text }) => void told.push({ userId, id, text }),
    now: () => now,
  })(1);
}

describe('a warning before a limit declines', () => {
  it('notifies the holder at 75 and at 90 percent, each once per period', async () => {
    await warn();
    await warn();
    remaining = daily(40_000, 3000);
    await warn();
    await warn();

    expect(told.map(({ text }) => text.slice(0, 30))).toEqual([
      '77% of your daily limit is use',
      '92% of your daily limit is use',
    ]);
    expect(told[0]?.text).toMatch(/\$310\.00 of \$400\.00 used, \$90\.00 left\. .*Resets/);
  });

  it.each<[string, RemainingLimits]>([
    ['the limit was raised', daily(80_000, 49_000)],
    ['a purchase was reversed', daily(40_000, 39_000)],
    ['the limit has reset', daily(40_000, 40_000)],
  ])('waits for the end of quiet hours, and is not given if meanwhile %s', async (_what, then) => {
    quietMs = 9000;
    readAt = () => expect.unreachable('nobody can be warned now');
    expect(await warn()).toBe(9000);

    [quietMs, readAt, remaining] = [0, null, then];
    expect(await warn()).toBeNull();
    expect(told).toEqual([]);

    remaining = daily(40_000, 9000);
    await warn();
    expect(told).toHaveLength(1);
  });

  it('notifies a new holder, too', async () => {
    for (const userId of ['U0WRONG', 'U0HUGO', 'U0HUGO']) {
      holder = userId;
      await warn();
    }

    expect(told.map(({ userId }) => userId)).toEqual(['U0WRONG', 'U0HUGO']);
  });

  it('skips 75 percent after 90 was reported', async () => {
    remaining = daily(40_000, 3000);
    await warn();
    // Part of the spending was refunded.
    remaining = daily(40_000, 9000);
    await warn();

    expect(told).toHaveLength(1);
  });

  it('warns again in the next period, and when the limit changes', async () => {
    await warn();
    now = new Date('2026-11-21T15:00:00.000Z');
    await warn();
    remaining = daily(50_000, 5000);
    await warn();

    expect(told).toHaveLength(3);
    expect(new Set(told.map(({ id }) => id)).size).toBe(3);
  });

  it('warns again in the next period if the one before ended while its amounts were read', async () => {
    [now, remaining] = [new Date('2026-11-21T04:59:59.900Z'), daily(40_000, 9000)];
    readAt = () => (now = new Date('2026-11-21T05:00:00.100Z'));
    await warn();
    readAt = null;
    now = new Date('2026-11-21T15:00:00.000Z');
    await warn();

    expect(told.map(({ text }) => /Resets .*/.exec(text)?.[0])).toHaveLength(2);
    expect(new Set(told.map(({ id }) => id)).size).toBe(2);
  });

  it('warns about several limits in one message', async () => {
    remaining = {
      overall: [...daily(40_000, 9000).overall, { period: 'monthly', limitCents: 100_000, remainingCents: 20_000 }],
      categories: [{ period: 'weekly', limitCents: 10_000, remainingCents: 0, id: 1, name: 'Restaurants' }],
    };
    await warn();

    expect(told).toHaveLength(1);
    expect(told[0]?.text).toMatch(/Daily limit: .*Monthly limit: .*Weekly limit for Restaurants: .*nothing left/);
  });

  it('names a limit in one message when a worker is killed after sending it and another limit follows', async () => {
    const killed = { ...createWarned(redis()), add: () => Promise.reject(new Error('killed')) };
    await expect(warn(killed)).rejects.toThrow('killed');
    remaining = {
      overall: [...daily(40_000, 9000).overall, { period: 'monthly', limitCents: 100_000, remainingCents: 20_000 }],
      categories: [],
    };

    await warn();

    const texts = new Map(told.map(({ id, text }) => [id, text]));
    expect([...texts.values()].map((text) => text.slice(0, 32))).toEqual([
      '77% of your daily limit is used ',
      '80% of your monthly limit is use',
    ]);
  });

  it('skips a limit that was raised for one purchase and resets on its own', async () => {
    changes = [raisedForOnePurchase];
    await warn();
    expect(told).toEqual([]);

    changes = [{ ...raisedForOnePurchase, acctId: 2 }];
    await warn();
    expect(told).toHaveLength(1);
  });

  it.each([
    ['that a person has to decide about, because it does not end automatically any more', { state: 'asking' }],
    ['that nothing shows', { certainty: 'unconfirmed' }],
  ] as const)('notifies of a limit with a raise for one purchase %s', async (_what, over) => {
    changes = [{ ...raisedForOnePurchase, ...over }];
    if ('certainty' in over) remaining = daily(15_000, 1500);

    await warn();

    expect(told).toHaveLength(1);
  });

  it('skips a limit that was raised for one purchase as soon as its amounts show the raise', async () => {
    changes = [{ ...raisedForOnePurchase, certainty: 'unconfirmed' }];
    remaining = daily(40_000, 200);

    await warn();

    expect(told).toEqual([]);
  });

  it('skips people who are not linked or have switched it off', async () => {
    await createPreferences(redis()).set('U0HUGO', 'limit-warnings', false);
    await warn();
    holder = null;
    await warn();

    expect(told).toEqual([]);
  });

  it('checks again later when too many checks are queued', async () => {
    remaining = null;

    expect(await warn()).toBeGreaterThan(0);
    expect(told).toEqual([]);
  });
});

it('says that the warning comes at 75% and at 90%', () => {
  const { blocks } = limitWarning({ card, limits: [], value: 'card_1' });

  expect(JSON.stringify(blocks)).toContain('You get this at 75% and at 90% of a limit, once per period.');
});
