import { describe, expect, it } from 'vitest';
import { declineReason } from '../../../src/alerts/decline-reason.ts';
import { categoryCodes } from '../../../src/card-api/assumptions.ts';
import type { RemainingLimit } from '../../../src/card-api/schema.ts';
import { AccountDetails } from '../../../src/card-api/schema-account.ts';
import type { SpendRules } from '../../../src/card-api/spend-rules.ts';
import type { CardStatus, TransactionEvent } from '../../../src/core/event.ts';
import { createLog } from '../../../src/core/log.ts';
import { createFitsMerchant } from '../../../src/limits/merchant-fit.ts';
import { createRemedies } from '../../../src/limits/remedy.ts';
import { alsoNeeds } from '../../../src/limits/remedy-change.ts';
import { limitRaise, remedyOf } from '../../support/limit-goals.ts';

const fitsMerchant = createFitsMerchant(categoryCodes);
const none = { daily: null, weekly: null, monthly: null, yearly: null, lifetime: null };
const never = async (): Promise<never> => {
  throw new Error('the card API is not called for this');
};
const declinedAt = '2026-11-20T14:14:00.0000000Z';
const now = (): Date => new Date('2026-11-20T14:14:01Z');
const event = (code: string, message: string) =>
  ({
    acctId: 7,
    occurredAt: declinedAt,
    merchant: { country: 'US' },
    isCardPresent: true,
    decline: { code, message },
  }) as TransactionEvent;

/** Since when cards have their statuses; null: not known. */
const since = (at: string | null) => (status: CardStatus | null) => ({ status, since: at });

describe('the remedy for a decline due to the card’s status', () => {
  it.each<[string, (CardStatus | null)[], string, object | null]>([
    ['blocked', ['BLOCKED'], 'Card Status Inactive', { kind: 'unblock' }],
    ['blocked, after an older one ended', ['CLOSED', 'BLOCKED'], 'Card Status Inactive', { kind: 'unblock' }],
    ['not activated', ['INACTIVE'], 'Card Status Inactive', null],
    ['blocked, with an open fraud case', ['BLOCKED'], 'Card Status Inactive', { kind: 'unblock', hasFraudCase: true }],
    ['one of two blocked', ['BLOCKED', 'ACTIVE'], 'Card Status Inactive', null],
    ['reported as new', ['BLOCKED'], 'Card Status New Card Pending Activation', null],
    ['reported as closed', ['BLOCKED'], 'Card Status Closed', null],
    ['blocked, with its replacement in the mail', ['BLOCKED', 'INACTIVE'], 'Card Status Inactive', { kind: 'unblock' }],
    [
      'blocked, with its replacement in the mail, while the message names every status',
      ['BLOCKED', 'INACTIVE'],
      'New Card Pending Activation, Card Status Inactive or Card Status Closed',
      { kind: 'unblock' },
    ],
    [
      'blocked, with its replacement in the mail, reported as new',
      ['BLOCKED', 'INACTIVE'],
      'New Card Pending Activation',
      null,
    ],
    ['not known', [], 'Card Status Inactive', null],
    [
      'blocked, while the message names every status',
      ['BLOCKED'],
      'New Card Pending Activation, Card Status Inactive or Card Status Closed',
      { kind: 'unblock' },
    ],
  ])('of a card that is %s', async (what, statuses, message, expected) => {
    const api = { getAccount: never, getRemainingLimits: never, getSpendRules: never };
    const { adviceFor } = createRemedies({
      card: api,
      accountOf: async () => ({ cards: statuses.map(since(null)), mayBeOverruled: false }),
      hasFraudCase: async () => what.includes('fraud'),
      namedIn: () => ({ category: null, period: null }),
      fitsMerchant,
      categoryId: never,
      now,
      log: createLog({ level: 'silent', process: 'test' }),
    });

    expect((await adviceFor(event('decline.card.status', message))).remedy).toEqual(expected);
  });
});

describe('the remedy for a decline of a card that is blocked', () => {
  it.each<[string, object | null]>([
    ['decline', { kind: 'unblock' }],
    ['', { kind: 'unblock' }],
    ['decline.of.tomorrow', { kind: 'unblock' }],
    ['decline.balance.card', null],
    ['decline.card.pin', null],
    ['decline.mcc', null],
  ])('with %s', async (code, expected) => {
    const { adviceFor } = createRemedies({
      card: { getAccount: never, getRemainingLimits: never, getSpendRules: never },
      accountOf: async () => ({ cards: (['CLOSED', 'BLOCKED'] as const).map(since(null)), mayBeOverruled: false }),
      hasFraudCase: async () => false,
      namedIn: () => ({ category: null, period: null }),
      fitsMerchant,
      categoryId: never,
      now,
      log: createLog({ level: 'silent', process: 'test' }),
    });

    expect((await adviceFor(event(code, 'Do not honor'))).remedy).toEqual(expected);
  });
});

describe('a block that began after the purchase', () => {
  const later = '2026-11-20T14:20:00.0000000Z';
  const soon = '2026-11-20T14:14:30.0000000Z';
  const [earlier, unknown] = ['2026-11-20T14:00:00.0000000Z', null];
  const of = (cards: [CardStatus, string | null][]) =>
    createRemedies({
      card: { getAccount: never, getRemainingLimits: never, getSpendRules: never },
      accountOf: async () => ({ cards: cards.map(([status, since]) => ({ status, since })), mayBeOverruled: false }),
      hasFraudCase: async () => false,
      namedIn: () => ({ category: null, period: null }),
      fitsMerchant,
      categoryId: never,
      now: () => new Date('2026-11-20T14:25:00Z'),
      log: createLog({ level: 'silent', process: 'test' }),
    });
  const doNotHonor = event('decline', 'Do not honor');

  it.each<[string, [CardStatus, string | null][], object | null]>([
    ['is not the cause', [['BLOCKED', later]], null],
    ['is the cause if it was reported a moment later', [['BLOCKED', soon]], { kind: 'unblock' }],
    ['is the cause if it began before', [['BLOCKED', earlier]], { kind: 'unblock' }],
    ['is the cause if nobody knows when it began', [['BLOCKED', unknown]], { kind: 'unblock' }],
    [
      'is not the cause for one of two cards',
      [
        ['BLOCKED', earlier],
        ['BLOCKED', later],
      ],
      null,
    ],
    [
      'is not the cause if another card was closed since',
      [
        ['CLOSED', later],
        ['BLOCKED', earlier],
      ],
      null,
    ],
  ])('%s', async (_what, cards, expected) => {
    for (const advise of ['adviceFor', 'adviceAgain'] as const)
      for (const decline of [doNotHonor, event('', '')])
        expect((await of(cards)[advise](decline)).remedy).toEqual(expected);
  });

  it('still counts if the service itself says that the card was not active', async () => {
    const { adviceFor } = of([['BLOCKED', later]]);

    expect((await adviceFor(event('decline.card.status', 'Card Status Inactive'))).remedy).toEqual({ kind: 'unblock' });
  });

  it('still counts for somebody who is about to act', async () => {
    expect(await of([['BLOCKED', later]]).checkPurchase(doNotHonor)).toMatchObject({ remedy: { kind: 'unblock' } });
  });
});

describe('the remedy for a decline due to a limit', () => {
  /** A card with $45 left today, of $100 overall and of `ofCategory` for restaurants. */
  async function check(
    code: string,
    over: Partial<TransactionEvent>,
    left: number,
    ofCategory: number | null,
    statuses: (CardStatus | null)[] = ['ACTIVE'],
  ) {
    const daily = { period: 'daily', limitCents: 10_000, remainingCents: left } as const;
    const restaurants = { id: 9, name: 'Restaurants' };
    const { checkPurchase } = createRemedies({
      card: {
        getAccount: never,
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
            isEveryCategoryAllowed: true,
            isInternationalAllowed: false,
            isCardNotPresentAllowed: true,
            usesBusinessBalance: null,
          },
          raw: {},
        }),
      },
      accountOf: async () => ({ cards: statuses.map(since(null)), mayBeOverruled: false }),
      hasFraudCase: async () => false,
      namedIn: () => ({ category: null, period: null }),
      fitsMerchant,
      categoryId: never,
      now,
      log: createLog({ level: 'silent', process: 'test' }),
    });
    const money = { amountCents: 4_000, paddingCents: 0, mcc: '5812' };
    return await checkPurchase({ ...event(code, 'over'), ...money, ...over });
  }
  const [velocity, ofCategory] = ['decline.rule.velocity', 'decline.rule.velocity.mcc'];

  it.each<[string, Promise<object>, object]>([
    ['with room now: none', check(velocity, {}, 4_500, null), { state: 'passes' }],
    [
      'of the card that has room now, while the merchant’s category has not',
      check(velocity, {}, 30_000, 100),
      {
        state: 'stopped',
        remedy: { limits: [{ rule: { category: { id: 9 }, period: 'daily' }, to: 13_900 }, { isAdjustedToo: true }] },
      },
    ],
    [
      'with room, but not for the extra amount set aside',
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
      'of a category that has room now, while the card has none',
      check(ofCategory, {}, 3_000, 9_000),
      { state: 'stopped', remedy: { limits: [{ rule: { category: null }, to: 11_000 }] } },
    ],
    ['of a category, when everything has room now: none', check(ofCategory, {}, 4_500, 9_000), { state: 'passes' }],
    [
      'with room now, on a card that was blocked since: the block',
      check(velocity, {}, 4_500, null, ['BLOCKED']),
      { state: 'stopped', remedy: { kind: 'unblock' } },
    ],
    ['with room now, on a card whose status is not known', check(velocity, {}, 4_500, null, []), { state: 'passes' }],
    [
      'with room now, on a card that was closed since: another card',
      check(velocity, {}, 4_500, null, ['CLOSED']),
      { state: 'unknown', why: 'closed' },
    ],
    [
      'that still stops it, on a card that was closed since: another card',
      check(velocity, {}, 3_000, null, ['CLOSED', 'CLOSED']),
      { state: 'unknown', why: 'closed' },
    ],
    [
      'that still stops it, on an account with another card: the limit',
      check(velocity, {}, 3_000, null, ['CLOSED', 'ACTIVE']),
      { state: 'stopped', remedy: { kind: 'raise_limit' } },
    ],
    [
      'with room now, on a new card that is not activated: its status',
      check(velocity, {}, 4_500, null, ['CLOSED', 'INACTIVE']),
      { state: 'unknown', why: 'status' },
    ],
    [
      'with room now, on two cards of which one may be active',
      check(velocity, {}, 4_500, null, ['CLOSED', null]),
      { state: 'passes' },
    ],
    ['of an unknown category', check(ofCategory, {}, 4_500, null), { state: 'unknown', why: 'unclear' }],
  ])('%s', async (_what, checked, expected) => {
    expect(await checked).toMatchObject(expected);
  });
});

describe('the remedy for a decline whose limit has reset since', () => {
  const daily = { period: 'daily', limitCents: 10_000, remainingCents: 1_000 } as const;
  const weekly = { period: 'weekly', limitCents: 30_000, remainingCents: 2_000 } as const;
  /** Declined on Friday, November 20, 2026, at 11:30 PM Eastern time. */
  async function adviceAt(read: string, windows: readonly RemainingLimit[] = [daily]) {
    const limits = Object.fromEntries(windows.map(({ period, limitCents }) => [period, limitCents]));
    const { adviceFor, adviceAgain, checkPurchase } = createRemedies({
      card: {
        getAccount: never,
        getRemainingLimits: async () => ({ overall: [...windows], categories: [] }),
        getSpendRules: async () => ({
          rules: {
            limits: { ...none, ...limits },
            apartCents: 0,
            categories: [],
            isEveryCategoryAllowed: false,
            isInternationalAllowed: false,
            isCardNotPresentAllowed: true,
            usesBusinessBalance: null,
          },
          raw: {},
        }),
      },
      hasFraudCase: async () => false,
      accountOf: async () => ({ cards: [{ status: 'ACTIVE', since: null }], mayBeOverruled: false }),
      namedIn: () => ({ category: null, period: null }),
      fitsMerchant,
      categoryId: never,
      now: () => new Date(read),
      log: createLog({ level: 'silent', process: 'test' }),
    });
    const times = { occurredAt: '2026-11-21T04:30:00.0000000Z', receivedAt: read };
    const purchase = {
      ...event('decline.rule.velocity', 'Transaction exceeded daily spend limit'),
      ...times,
      amountCents: 4_000,
      paddingCents: 0,
      mcc: '5812',
    } as TransactionEvent;
    const advice = [await adviceFor(purchase), await adviceAgain(purchase)];
    expect(advice[0]).toEqual(advice[1]);
    return { advice: advice[0], now: await checkPurchase(purchase) };
  }
  const raise = (...limits: object[]) => ({ remedy: { kind: 'raise_limit', limits }, isIncomplete: false });
  const readAt = '2026-11-21T14:00:00.000Z';

  it('has no numbers of the new day if they are enough, and is not asked for again', async () => {
    const { advice, now } = await adviceAt(readAt, [{ ...daily, remainingCents: 4_000 }]);

    expect(advice?.remedy).toEqual(remedyOf(limitRaise('daily', 10_000, null)));
    expect(advice?.isIncomplete).toBe(false);
    expect(now).toEqual({ state: 'unknown', why: 'unclear' });
  });

  it('has what is left of the new day if that is too little, apart from what was left then', async () => {
    const { advice, now } = await adviceAt(readAt);

    expect(advice).toMatchObject(
      raise({ from: 10_000, to: 13_000, remainingCents: null, sinceReset: { leftCents: 1_000, readAt } }),
    );
    expect(now).toMatchObject({ state: 'stopped', remedy: { limits: [{ to: 13_000, remainingCents: 1_000 }] } });
  });

  it('starts with the end of the day, not before', async () => {
    expect((await adviceAt('2026-11-21T04:59:59.999Z')).advice).toMatchObject(raise({ remainingCents: 1_000 }));
    expect((await adviceAt('2026-11-21T05:00:00.000Z')).advice).toMatchObject(raise({ remainingCents: null }));
  });

  it('keeps the numbers of a longer limit that has not reset', async () => {
    // Whether the day declined it, nothing tells.
    const stillShort = raise(
      { rule: { period: 'weekly' }, remainingCents: 2_000 },
      { rule: { period: 'daily' }, sinceReset: { leftCents: 1_000 } },
    );

    expect((await adviceAt(readAt, [daily, weekly])).advice).toMatchObject(stillShort);
    expect((await adviceAt(readAt, [{ ...daily, remainingCents: 4_000 }, weekly])).advice).toMatchObject(
      raise({ rule: { period: 'weekly' }, remainingCents: 2_000 }),
    );
  });
});

it('is the limit that the service named if what is left of the limits cannot be read', async () => {
  const limits = { ...none, daily: 10_000, monthly: 90_000 };
  const rules = { limits, apartCents: 0, categories: [], usesBusinessBalance: null };
  const allowed = { isEveryCategoryAllowed: true, isInternationalAllowed: true, isCardNotPresentAllowed: true };
  const { adviceFor } = createRemedies({
    card: {
      getAccount: never,
      getRemainingLimits: () => Promise.reject(new Error('no answer')),
      getSpendRules: async () => ({ rules: { ...rules, ...allowed }, raw: {} }),
    },
    hasFraudCase: never,
    accountOf: async () => ({ cards: [], mayBeOverruled: false }),
    namedIn: ({ code, message }) => declineReason({ code, message }),
    fitsMerchant,
    categoryId: never,
    now,
    log: createLog({ level: 'silent', process: 'test' }),
  });
  const declined = event('decline.rule.velocity', 'Transaction exceeded monthly spend limit');
  const purchase = { ...declined, amountCents: 8000, paddingCents: 0, mcc: '5812' };

  const { remedy } = await adviceFor(purchase);

  expect(remedy).toEqual(remedyOf(limitRaise('monthly', 90_000, null)));
  expect(declineReason(purchase.decline ?? { code: '', message: '' }, remedy).title).toBe('Over the monthly limit');
});

describe('what lets a declined purchase pass', () => {
  const away = new Error('unavailable');
  const fuel = { id: 9, name: 'Fuel', transactionLimitCents: null, limits: none };
  const rules = {
    limits: none,
    apartCents: 0,
    categories: [fuel],
    isEveryCategoryAllowed: false,
    isInternationalAllowed: false,
    isCardNotPresentAllowed: false,
    usesBusinessBalance: null,
  };

  /** @param left of the daily limit; NaN: there is none. */
  function setUp(
    read: Partial<SpendRules> | Error,
    left: number | Error = away,
    category: string | null = 'Books',
    {
      called = (_call: string) => {},
      mayBeOverruled = false,
      status = 'ACTIVE' as CardStatus,
      balanceNow = undefined as number | undefined,
    } = {},
  ) {
    const logged: string[] = [];
    const remedies = createRemedies({
      card: {
        async getAccount() {
          called('balance');
          if (balanceNow === undefined) throw away;
          return AccountDetails.parse({ AccountId: 7, AvailableBalance: balanceNow, CardList: [] });
        },
        async getRemainingLimits() {
          called('remaining');
          if (left instanceof Error) throw left;
          const daily = { period: 'daily', limitCents: 10_000, remainingCents: left } as const;
          return { overall: Number.isNaN(left) ? [] : [daily], categories: [] };
        },
        async getSpendRules() {
          called('rules');
          if (read instanceof Error) throw read;
          return { rules: { ...rules, ...read }, raw: {} };
        },
      },
      async accountOf() {
        called('account');
        return { cards: [{ status, since: null }], mayBeOverruled };
      },
      hasFraudCase: async () => false,
      namedIn: () => ({ category, period: null }),
      fitsMerchant,
      categoryId: async (name) => (name === 'Books' ? 12 : name === 'Unread' ? 'away' : null),
      now,
      log: createLog({ level: 'warn', process: 'test', destination: { write: (line) => void logged.push(line) } }),
    });
    return { ...remedies, logged };
  }
  const declined = (code: string) => ({ ...event(code, 'no'), amountCents: 4_000, paddingCents: 0, mcc: '5812' });

  const anyKind = { isEveryCategoryAllowed: true };

  it.each<[string, string, Partial<SpendRules> | Error, object]>([
    [
      'a category that is not allowed',
      'decline.rule.mcc',
      {},
      { state: 'stopped', remedy: { kind: 'allow_category', category: { id: 12, name: 'Books' } } },
    ],
    [
      'a category that is allowed now',
      'decline.rule.mcc',
      { categories: [{ ...fuel, name: 'BOOKS' }] },
      { state: 'passes' },
    ],
    ['a category, when all are allowed now', 'decline.rule.mcc', { isEveryCategoryAllowed: true }, { state: 'passes' }],
    [
      'a category, when the rules cannot be read',
      'decline.rule.mcc',
      away,
      { state: 'stopped', isPartial: true, remedy: { kind: 'allow_category', category: { id: 12, name: 'Books' } } },
    ],
    ['a purchase abroad', 'decline.rule.location', {}, { state: 'stopped', remedy: { kind: 'allow_international' } }],
    [
      'a purchase abroad that is allowed now',
      'decline.rule.location',
      { ...anyKind, isInternationalAllowed: true },
      { state: 'passes' },
    ],
    [
      'a purchase abroad, when the rules cannot be read',
      'decline.rule.location',
      away,
      { state: 'stopped', isPartial: true, remedy: { kind: 'allow_international' } },
    ],
    [
      'an online purchase',
      'decline.rule.cardnotpresent',
      {},
      { state: 'stopped', remedy: { kind: 'allow_card_not_present' } },
    ],
    [
      'an online purchase that is allowed now',
      'decline.rule.cardnotpresent',
      { ...anyKind, isCardNotPresentAllowed: true },
      { state: 'passes' },
    ],
    ['a decline for a reason other than a rule', 'decline.balance.card', {}, { state: 'unknown' }],
    ['the status of a card that is active now', 'decline.card.status', anyKind, { state: 'passes' }],
  ])('%s', async (_what, code, read, expected) => {
    expect(await setUp(read, 4_000).checkPurchase(declined(code))).toEqual(expected);
  });

  it('is no category that is allowed now, however the rules spell it', async () => {
    const allowed = { categories: [{ ...fuel, name: 'HardwareStores' }] };
    const { checkPurchase } = setUp(allowed, 4_000, 'Hardware Stores');

    expect(await checkPurchase(declined('decline.rule.mcc'))).toEqual({ state: 'passes' });
  });

  const inLisbon = { merchant: { country: 'PRT' } } as Partial<TransactionEvent>;
  const [international, online] = [{ isInternationalAllowed: true }, { isCardNotPresentAllowed: true }];
  const raised = remedyOf(limitRaise('daily', 10_000, 11_000, { remainingCents: 3_000 }));

  it.each<[string, string, Partial<SpendRules>, number | Error, Partial<TransactionEvent>, object]>([
    [
      'a limit, when purchases abroad are allowed now',
      'decline.rule.location',
      { ...anyKind, ...international },
      3_000,
      inLisbon,
      { state: 'stopped', remedy: raised },
    ],
    [
      'a limit, when the card is active now',
      'decline.card.status',
      anyKind,
      3_000,
      {},
      { state: 'stopped', remedy: raised },
    ],
    [
      'a purchase abroad, when the limit has room now',
      'decline.rule.velocity',
      anyKind,
      4_000,
      inLisbon,
      { state: 'stopped', remedy: { kind: 'allow_international' } },
    ],
    [
      'an online purchase, when purchases abroad are allowed now',
      'decline.rule.location',
      { ...anyKind, ...international },
      4_000,
      { ...inLisbon, isCardPresent: false },
      { state: 'stopped', remedy: { kind: 'allow_card_not_present' } },
    ],
    [
      'nothing, when all that a purchase abroad and online needs is allowed now',
      'decline.rule.location',
      { ...anyKind, ...international, ...online },
      4_000,
      { ...inLisbon, isCardPresent: false },
      { state: 'passes' },
    ],
    [
      'nothing, when its category is listed',
      'decline.rule.velocity',
      { categories: [{ ...fuel, name: 'Restaurants' }] },
      4_000,
      {},
      { state: 'passes' },
    ],
    [
      'not known, when none of the listed categories fits it',
      'decline.rule.velocity',
      {},
      4_000,
      {},
      { state: 'unknown', why: 'unclear' },
    ],
    [
      'not known, when the limits cannot be read',
      'decline.rule.location',
      { ...anyKind, ...international },
      away,
      inLisbon,
      { state: 'unknown', why: 'away' },
    ],
    [
      'nothing, when the card has no limits',
      'decline.rule.location',
      { ...anyKind, ...international },
      Number.NaN,
      inLisbon,
      { state: 'passes' },
    ],
  ])('is looked for among all rules and limits: %s', async (_what, code, read, left, over, expected) => {
    expect(await setUp(read, left).checkPurchase({ ...declined(code), ...over })).toEqual(expected);
  });

  it.each(['decline.rule.velocity', 'decline.rule.location', 'decline.rule.mcc', 'decline.card.status'])(
    'is not known if the card’s own rules let a purchase with %s pass, but its ruleset may not',
    async (code) => {
      const read = { ...anyKind, ...international, limits: { ...none, daily: 10_000 } };
      const { checkPurchase, adviceFor } = setUp(read, 4_000, 'Books', { mayBeOverruled: true });

      expect(await checkPurchase(declined(code))).toEqual({ state: 'unknown', why: 'ruleset' });
      // A purchase that the status of its card declined is looked at no further for its alert.
      const remedy = code === 'decline.card.status' ? null : { kind: 'portal', why: 'ruleset' };
      expect(await adviceFor(declined(code))).toEqual({ remedy, isIncomplete: false });
    },
  );

  it.each(['decline.rule.mcc', 'decline.rule.location', 'decline.rule.cardnotpresent'])(
    'is a change of the ruleset for %s if the card’s own rules allow it, also if a limit is too small as well',
    async (code) => {
      const own = { ...anyKind, ...international, ...online, limits: { ...none, daily: 10_000 } };
      const followed = { mayBeOverruled: true };
      const portal = { kind: 'portal', why: 'ruleset', alsoNeeds: ['raise_limit'] };

      const { adviceFor, checkPurchase } = setUp(own, 3_000, 'Books', followed);
      expect((await adviceFor(declined(code))).remedy).toEqual(portal);
      expect(await checkPurchase(declined(code))).toEqual({
        state: 'unknown',
        why: 'ruleset',
        alsoNeeds: ['raise_limit'],
      });
      const ofRuleset = setUp({ ...own, limits: { ...none, daily: 100_000 } }, 3_000, 'Books', followed);
      expect((await ofRuleset.adviceFor(declined(code))).remedy).toEqual({ ...portal, alsoNeeds: ['ruleset_limit'] });
      const blocked = setUp(own, 3_000, 'Books', { ...followed, status: 'BLOCKED' });
      expect(await blocked.checkPurchase(declined(code))).toEqual({ state: 'stopped', remedy: { kind: 'unblock' } });
    },
  );

  it('is another card if this one was closed, whatever else is not known', async () => {
    const closed = { mayBeOverruled: true, status: 'CLOSED' } as const;

    for (const read of [anyKind, {}])
      expect(await setUp(read, 4_000, 'Books', closed).checkPurchase(declined('decline.rule.velocity'))).toEqual({
        state: 'unknown',
        why: 'closed',
      });
  });

  it('is no raise of the card’s own limit if its ruleset has another one', async () => {
    const over = limitRaise('daily', 10_000, null, { remainingCents: 3_000, isOfRuleset: true });
    const check = (own: number | null, mayBeOverruled: boolean, code = 'decline.rule.velocity') =>
      setUp({ ...anyKind, ...international, limits: { ...none, daily: own } }, 3_000, 'Books', {
        mayBeOverruled,
      }).checkPurchase(declined(code));

    for (const own of [null, 100_000])
      expect(await check(own, true)).toEqual({ state: 'stopped', remedy: remedyOf(over) });
    expect(await check(10_000, true)).toEqual({ state: 'stopped', remedy: raised });
    expect(await check(null, false)).toEqual({ state: 'stopped', remedy: raised });
  });

  it.each<[string, Partial<SpendRules>, Partial<TransactionEvent>, boolean]>([
    ['does not cover it', { usesBusinessBalance: false }, { availableCents: 3_999 }, true],
    ['covers it', { usesBusinessBalance: false }, { availableCents: 4_000 }, false],
    [
      'covers it, but not what is set aside',
      { usesBusinessBalance: false },
      { availableCents: 4_000, paddingCents: 1 },
      true,
    ],
    [
      'covers it, and what is set aside does not count',
      { usesBusinessBalance: false },
      { availableCents: 4_000, paddingCents: 1, balancePaddingCents: 0 },
      false,
    ],
    ['is not known', { usesBusinessBalance: false }, { availableCents: null }, false],
    ['may not be what pays', { usesBusinessBalance: null }, { availableCents: 0 }, false],
    ['is not what pays', { usesBusinessBalance: true }, { availableCents: 0 }, false],
  ])('says whether the card’s balance is too low as well: one that %s', async (_what, read, over, isTooLow) => {
    const lacks = isTooLow ? { alsoNeeds: ['balance'] } : {};
    const purchase = (code: string) => ({ ...declined(code), ...over });
    const stopped = setUp({ ...anyKind, ...read }, 3_000);
    const passing = setUp({ ...anyKind, ...international, ...read }, 40_000);

    expect((await stopped.adviceFor(purchase('decline.rule.location'))).remedy).toEqual({
      kind: 'allow_international',
      ...lacks,
    });
    expect((await stopped.adviceFor(purchase('decline.rule.velocity'))).remedy).toMatchObject({
      kind: 'raise_limit',
      ...lacks,
    });
    expect((await passing.adviceAgain(purchase('decline.rule.location'))).remedy).toEqual(
      isTooLow ? { kind: 'portal', why: 'balance' } : { kind: 'retry' },
    );
    for (const code of ['decline.rule.location', 'decline.card.status'])
      expect(await passing.checkPurchase(purchase(code))).toEqual(
        isTooLow ? { state: 'unknown', why: 'balance' } : { state: 'passes' },
      );
  });

  it('looks at the balance of now for somebody who is about to act, and at that of then for the alert', async () => {
    const own = { ...anyKind, ...international, usesBusinessBalance: false };
    const at = (availableCents: number) => ({ ...declined('decline.rule.location'), availableCents });
    const now = (balanceNow: number, left = 4_000, read: Partial<SpendRules> = own) =>
      setUp(read, left, 'Books', { balanceNow });

    expect(await now(40).checkPurchase(at(3_000))).toEqual({ state: 'passes' });
    expect(await now(39.99).checkPurchase(at(40_000))).toEqual({ state: 'unknown', why: 'balance' });
    // Whoever reads the account itself needs no second read of it.
    expect(await now(39.99).checkPurchase(at(40_000), { isBalanceRead: false })).toEqual({ state: 'passes' });
    expect((await now(39.99).adviceFor(at(40_000))).remedy).toEqual({ kind: 'retry' });
    expect(await now(39.99, 3_000).checkPurchase(at(40_000))).toEqual({
      state: 'stopped',
      remedy: { ...raised, alsoNeeds: ['balance'] },
    });
    const calls: string[] = [];
    const ofBusiness = setUp({ ...own, usesBusinessBalance: true }, 4_000, 'Books', {
      called: (call) => void calls.push(call),
    });
    await ofBusiness.checkPurchase(at(0));
    expect(calls).not.toContain('balance');
  });

  describe('names what else stops the purchase', () => {
    const abroadAndOnline = { ...inLisbon, isCardPresent: false };

    it.each<[string, string, Partial<SpendRules>, number | Error, Partial<TransactionEvent>, string[]]>([
      ['a limit, besides purchases abroad', 'decline.rule.location', anyKind, 3_999, inLisbon, ['raise_limit']],
      ['a limit, besides online purchases', 'decline.rule.cardnotpresent', anyKind, 3_999, {}, ['raise_limit']],
      ['a limit, besides a category', 'decline.rule.mcc', {}, 3_999, {}, ['raise_limit']],
      [
        'a limit and online purchases, besides purchases abroad',
        'decline.rule.location',
        anyKind,
        3_999,
        abroadAndOnline,
        ['raise_limit', 'allow_card_not_present'],
      ],
      ['purchases abroad, besides a limit', 'decline.rule.velocity', anyKind, 3_999, inLisbon, ['allow_international']],
      ['nothing, if the limit is large enough', 'decline.rule.location', anyKind, 4_000, inLisbon, []],
      ['nothing, if the card has no limit', 'decline.rule.location', anyKind, Number.NaN, inLisbon, []],
      ['nothing, if the limits cannot be read', 'decline.rule.location', anyKind, away, inLisbon, []],
      ['nothing, besides a limit alone', 'decline.rule.velocity', anyKind, 3_999, {}, []],
    ])('%s', async (_what, code, read, left, over, expected) => {
      const check = await setUp(read, left).checkPurchase({ ...declined(code), ...over });

      expect(check.state).toBe('stopped');
      expect(alsoNeeds(check.state === 'stopped' ? check.remedy : null)).toEqual(expected);
      expect(check.state === 'stopped' && check.isPartial === true, 'not all was read').toBe(left === away);
    });

    it('of a rule while its alert waits, but no limit, which would have to be read', async () => {
      const calls: string[] = [];
      const { adviceFor } = setUp(anyKind, 3_999, 'Books', { called: (call) => void calls.push(call) });

      const { remedy } = await adviceFor({ ...declined('decline.rule.location'), ...abroadAndOnline });

      expect(remedy).toEqual({ kind: 'allow_international', alsoNeeds: ['allow_card_not_present'] });
      expect(calls).toEqual(['rules']);
    });

    it('of a ruleset’s limit, which nobody in Slack can raise', async () => {
      const ofRuleset = { ...anyKind, limits: { ...none, daily: 100_000 } };
      const check = await setUp(ofRuleset, 3_999, 'Books', { mayBeOverruled: true }).checkPurchase(
        declined('decline.rule.location'),
      );

      expect(check).toEqual({
        state: 'stopped',
        remedy: { kind: 'allow_international', alsoNeeds: ['ruleset_limit'] },
      });
    });
  });

  it('is to try again if nothing stops it when its alert is made', async () => {
    const again = { remedy: { kind: 'retry' }, isIncomplete: false };

    expect(await setUp(anyKind, 4_000).adviceFor(declined('decline.rule.velocity'))).toEqual(again);
    expect(await setUp({ ...anyKind, ...international }, 4_000).adviceAgain(declined('decline.rule.location'))).toEqual(
      again,
    );
    expect(
      (await setUp({ ...anyKind, ...international }, 3_000).adviceFor(declined('decline.rule.location'))).remedy,
    ).toEqual(raised);
  });

  it('reads the card once, and only what is needed', async () => {
    const calls: string[] = [];
    const counted = setUp({ ...anyKind, ...international }, 4_000, 'Books', {
      called: (call) => void calls.push(call),
    });

    const callsOf = async (reading: Promise<unknown>) => {
      await reading;
      return calls.splice(0);
    };
    const ofService = (made: string[]) => made.filter((call) => call !== 'account');

    expect(ofService(await callsOf(counted.checkPurchase(declined('decline.rule.location'))))).toEqual([
      'rules',
      'remaining',
    ]);
    expect(await callsOf(counted.adviceFor(declined('decline.rule.location')))).toEqual([
      'rules',
      'remaining',
      'account',
    ]);
    expect(await callsOf(counted.adviceFor(declined('decline.rule.cardnotpresent')))).toEqual(['rules']);
    expect(await callsOf(counted.adviceFor(declined('decline.card.status')))).toEqual(['account']);
  });

  it('says what is left now of a limit that has reset since, whatever declined the purchase', async () => {
    const yesterday = { occurredAt: '2026-11-19T14:14:00.0000000Z' };
    const { adviceFor } = setUp({ ...anyKind, ...international }, 3_000);
    const { remedy } = await adviceFor({ ...declined('decline.rule.location'), ...yesterday });
    const sinceReset = { leftCents: 3_000, readAt: now().toISOString() };

    expect(remedy).toEqual(remedyOf(limitRaise('daily', 10_000, 11_000, { sinceReset })));
    const enough = setUp({ ...anyKind, ...international }, 4_000);
    expect((await enough.adviceFor({ ...declined('decline.rule.location'), ...yesterday })).remedy).toEqual({
      kind: 'retry',
    });
  });

  it('is unknown for a category that the decline does not name', async () => {
    expect(await setUp({}, away, null).checkPurchase(declined('decline.rule.mcc'))).toEqual({ state: 'unknown' });
    const unnamed = { ...declined('decline.rule.mcc'), decline: null };
    expect(await setUp({}).checkPurchase(unnamed)).toEqual({ state: 'unknown' });
  });

  it('is worth another attempt if the number of a category could not be read, but not if no rules name it', async () => {
    const advice = (category: string) => setUp({}, 4_000, category).adviceFor(declined('decline.rule.mcc'));
    const remedy = { kind: 'allow_category', category: { id: null, name: 'Bars' } };

    expect(await advice('Unread')).toEqual({ remedy: null, isIncomplete: true });
    expect(await advice('Bars')).toEqual({ remedy, isIncomplete: false });
  });

  it('is worth another attempt if the card service did not answer, which is logged', async () => {
    const { adviceFor, adviceAgain, logged } = setUp(away, away);

    expect(await adviceFor(declined('decline.rule.velocity'))).toEqual({ remedy: null, isIncomplete: true });
    expect(await adviceAgain(declined('decline.rule.velocity'))).toEqual({ remedy: null, isIncomplete: true });
    expect(logged.join('')).toContain('could not read the card to find a remedy');
  });

  it.each<[string, Partial<SpendRules> | Error, number | Error]>([
    ['only the rules could be read', {}, away],
    ['only the remaining amounts could be read', away, 3_000],
  ])('is unknown instead of an error if %s', async (_what, read, left) => {
    expect(await setUp(read, left).checkPurchase(declined('decline.rule.velocity.mcc'))).toEqual({
      state: 'unknown',
      why: 'away',
    });
  });

  it('is looked up once if no change of ours can help', async () => {
    const { adviceFor, adviceAgain } = setUp({});

    expect(await adviceFor(declined('decline.balance.card'))).toEqual({ remedy: null, isIncomplete: false });
    expect(await adviceAgain(declined('decline.balance.card'))).toEqual({ remedy: null, isIncomplete: false });
    expect(await adviceAgain(declined('decline.card.status'))).toEqual({ remedy: null, isIncomplete: false });
    expect(await adviceAgain(declined('decline.rule.location'))).toMatchObject({ isIncomplete: false });
  });
});
