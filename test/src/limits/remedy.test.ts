import { describe, expect, it } from 'vitest';
import type { CardStatus, TransactionEvent } from '../../../src/core/event.ts';
import { createLog } from '../../../src/core/log.ts';
import { createRemedies, withThrottle } from '../../../src/limits/remedy.ts';

const never = async (): Promise<never> => {
  throw new Error('the card API is not asked for this');
};
const event = (code: string, message: string) => ({ acctId: 7, decline: { code, message } }) as TransactionEvent;

describe('the remedy of a decline by the card’s status', () => {
  it.each<[string, (CardStatus | null)[], string, object | null]>([
    ['blocked', ['BLOCKED'], 'Card Status Inactive', { kind: 'unblock' }],
    ['blocked, after an older one ended', ['CLOSED', 'BLOCKED'], 'Card Status Inactive', { kind: 'unblock' }],
    ['not activated', ['INACTIVE'], 'Card Status Inactive', null],
    ['one of two blocked', ['BLOCKED', 'ACTIVE'], 'Card Status Inactive', null],
    ['said to be new', ['BLOCKED'], 'Card Status New Card Pending Activation', null],
    ['said to be closed', ['BLOCKED'], 'Card Status Closed', null],
    ['not known', [], 'Card Status Inactive', null],
  ])('of a card that is %s', async (_what, statuses, message, expected) => {
    const api = { getRemainingLimits: never, getSpendRules: never };
    const { adviceFor } = createRemedies({
      card: api,
      statusesOf: async () => statuses,
      categoryIn: () => null,
      categoryId: never,
      log: createLog({ level: 'silent', process: 'test' }),
    });

    expect((await adviceFor(event('decline.card.status', message))).remedy).toEqual(expected);
  });
});

describe('the remedy of a decline by a limit', () => {
  const none = { daily: null, weekly: null, monthly: null, yearly: null, lifetime: null };
  /** A card of which 45 dollars are left today, of 100 overall and of `ofCategory` for restaurants. */
  async function check(code: string, over: Partial<TransactionEvent>, left: number, ofCategory: number | null) {
    const daily = { period: 'daily', limitCents: 10_000, remainingCents: left } as const;
    const restaurants = { id: 9, name: 'Restaurants' };
    const { checkPurchase } = createRemedies({
      card: {
        getRemainingLimits: async () => ({
          overall: [daily],
          categories: ofCategory === null ? [] : [{ ...restaurants, ...daily, remainingCents: ofCategory }],
        }),
        getSpendRules: async () => ({
          rules: {
            limits: { ...none, daily: 10_000 },
            apartCents: 0,
            categories:
              ofCategory === null
                ? []
                : [{ ...restaurants, transactionLimitCents: null, limits: { ...none, daily: 10_000 } }],
            isEveryCategoryAllowed: false,
            isInternationalAllowed: false,
            isCardNotPresentAllowed: true,
          },
          raw: {},
        }),
      },
      statusesOf: never,
      categoryIn: () => null,
      categoryId: never,
      log: createLog({ level: 'silent', process: 'test' }),
    });
    const money = { amountCents: 4_000, paddingCents: 0, mcc: '5812' };
    return await checkPurchase({ ...event(code, 'over'), ...money, ...over });
  }
  const [velocity, ofCategory] = ['decline.rule.velocity', 'decline.rule.velocity.mcc'];

  it.each<[string, Promise<object>, object]>([
    ['that has room by now: none', check(velocity, {}, 4_500, null), { state: 'passes' }],
    [
      'of the card that has room by now, while that of the merchant’s category has not',
      check(velocity, {}, 30_000, 100),
      {
        state: 'stopped',
        remedy: { limits: [{ rule: { category: { id: 9 }, period: 'daily' }, to: 13_900 }, { isAlong: true }] },
      },
    ],
    [
      'that has room, but not for what is set aside on top',
      check(velocity, { paddingCents: 800 }, 4_500, null),
      { state: 'stopped', remedy: { limits: [{ rule: { period: 'daily' }, to: 10_300 }] } },
    ],
    [
      'of a category and of the card',
      check(ofCategory, {}, 2_000, 3_000),
      {
        state: 'stopped',
        remedy: {
          limits: [
            { rule: { category: { id: 9 } }, to: 11_000 },
            { rule: { category: null }, to: 12_000 },
          ],
        },
      },
    ],
    [
      'of a category that has room by now, while the card has none',
      check(ofCategory, {}, 3_000, 9_000),
      { state: 'stopped', remedy: { limits: [{ rule: { category: null }, to: 11_000 }] } },
    ],
    ['of a category, where all has room by now: none', check(ofCategory, {}, 4_500, 9_000), { state: 'passes' }],
    ['of a category that nobody can name', check(ofCategory, {}, 4_500, null), { state: 'unknown' }],
  ])('%s', async (_what, checked, expected) => {
    expect(await checked).toMatchObject(expected);
  });
});

it('looks for remedies within its pace, and beyond it says at once that none is known', async () => {
  let clock = 0;
  let calls = 0;
  const look = async (): Promise<string | null> => {
    calls += 1;
    return 'remedy';
  };
  const paced = withThrottle(look, null as string | null, { perMinute: 2, atOnce: 9 }, () => clock);

  expect([await paced(1), await paced(2), await paced(3)]).toEqual(['remedy', 'remedy', null]);
  clock = 30_000;
  expect([await paced(4), await paced(5)]).toEqual(['remedy', null]);
  expect(calls).toBe(3);
});

it('never waits behind look-ups that hang, and goes on when they end', async () => {
  let end: (remedy: string) => void = () => {};
  const paced = withThrottle(() => new Promise<string | null>((resolve) => (end = resolve)), null, {
    perMinute: 9,
    atOnce: 1,
  });
  const hanging = paced(1);

  expect(await paced(2)).toBeNull();
  end('late');
  expect(await hanging).toBe('late');
  const next = paced(3);
  end('remedy');
  expect(await next).toBe('remedy');
});
