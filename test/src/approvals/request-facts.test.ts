import { describe, expect, it } from 'vitest';
import type { Action } from '../../../src/actions/action.ts';
import { createGatherFacts, isTooLittle, noFacts, type RequestFacts } from '../../../src/approvals/request-facts.ts';
import type { RuleChange } from '../../../src/card-api/rule-change.ts';
import type { RemainingLimits } from '../../../src/card-api/schema.ts';
import { AccountDetails } from '../../../src/card-api/schema-account.ts';
import type { SpendRules } from '../../../src/card-api/spend-rules.ts';
import { noCard } from '../../../src/core/card-facts.ts';
import type { TransactionEvent } from '../../../src/core/event.ts';
import { unanswered } from '../../support/card-api-errors.ts';
import { raiseDaily } from '../../support/limit-requests.ts';
import { ask } from '../../support/perform-world.ts';
import { transactionAlert } from '../../templates/fixtures.ts';

const { event: declined } = transactionAlert();
const bought = (at: string, over: object = {}) =>
  ({ ...declined, kind: 'authorization', occurredAt: at, networkTransactionId: at, decline: null, ...over }) as never;
const asked = {
  action: ask('limit', { target: { kind: 'alert', alertId: declined.id } }),
  acctId: 7378,
  card: noCard,
  changes: [raiseDaily],
};

/** A blocked card. */
const cardWith = (over: object = {}, balance: number | null = null, usesBusinessBalance = false) => ({
  getAccount: async () =>
    AccountDetails.parse({
      AccountId: 7378,
      AvailableBalance: balance,
      CardList: [{ CardId: 6231, Last4CardNumber: '1212', CardStatus: 'BLOCKED' }],
    }),
  getSpendRules: async () => ({
    rules: { limits: {}, categories: [], usesBusinessBalance } as unknown as SpendRules,
    raw: {},
  }),
  getRemainingLimits: async () => ({ overall: [], categories: [] }),
  ...over,
});

const gather = (over: object = {}, { payCents = null, ...about }: { payCents?: number | null; action?: Action } = {}) =>
  createGatherFacts({
    card: cardWith({
      getRemainingLimits: async () => ({
        overall: [
          { period: 'monthly', limitCents: 200_000, remainingCents: 150_000 },
          { period: 'daily', limitCents: 40_000, remainingCents: 0 },
          { period: 'weekly', limitCents: null, remainingCents: 5000 },
        ],
        categories: [],
      }),
    }),
    purchaseOf: async () => declined,
    checkPurchase: async () => ({ state: 'unknown' }),
    readTransactions: async () => ({ events: [], unreadable: 0 }),
    alertLink: async (id) => `https://example.slack.com/${id}`,
    alerts: { get: async () => null },
    requests: { requestsOf: async () => [] },
    now: () => new Date('2026-11-20T15:00:00Z'),
    ...over,
  })('req_1', { ...asked, ...about }, payCents);

it('shows the purchase with a link to its alert, and that the card is blocked', async () => {
  const { isBlocked, facts } = await gather();

  expect(isBlocked).toBe(true);
  expect(facts.purchase).toMatchObject({
    amountCents: declined.amountCents,
    merchant: declined.merchant.name,
    link: `https://example.slack.com/${declined.id}`,
  });
});

it('keeps what the card service reserves on top of what is to be paid', async () => {
  const { event } = transactionAlert({ mcc: '5812', amountCents: 6000, paddingCents: 1200 });
  const purchaseFor = async (payCents: number | null) =>
    (await gather({ purchaseOf: async () => event }, { payCents })).facts.purchase;

  expect(await purchaseFor(null)).toMatchObject({ amountCents: 6000, paddingCents: 1200 });
  expect(await purchaseFor(9000)).toMatchObject({ amountCents: 6000, paddingCents: 1800 });
});

it('shows the remaining limits that the change does not affect, shorter periods first', async () => {
  const { facts } = await gather();

  expect(facts.left.map(({ period }) => period)).toEqual(['weekly', 'monthly']);
});

it('leaves out a limit of $0 that the card does not have', async () => {
  const getRemainingLimits = async () => ({
    overall: [{ period: 'weekly', limitCents: 0, remainingCents: 0 }],
    categories: [],
  });

  expect((await gather({ card: cardWith({ getRemainingLimits }) })).facts.left).toEqual([]);
});

it('notes that nothing is left of the limit to raise', async () => {
  const left = (remainingCents: number) => ({
    getRemainingLimits: async () => ({
      overall: [{ period: 'daily', limitCents: 40_000, remainingCents }],
      categories: [{ name: 'Fuel', period: 'daily', limitCents: 1000, remainingCents: 0 }],
    }),
  });

  expect((await gather({ card: cardWith(left(0)) })).facts.isUsedUp).toBe(true);
  expect((await gather({ card: cardWith(left(1)) })).facts.isUsedUp).toBeUndefined();
});

it.each<[string, number | null, number | null, string[] | undefined]>([
  ['the declined purchase takes more', null, 70.99, ['balance']],
  ['the declined purchase takes no more', null, 71, undefined],
  ['its holder wants to pay more', 5001, 60, ['balance']],
  ['its holder wants to pay no more', 5000, 60, undefined],
  ['it is not known', null, null, undefined],
])('notes with the padding that the balance is too low: %s', async (_what, payCents, balance, noted) => {
  const fuel = { mcc: '5542', amountCents: 6100, paddingCents: 0, balancePaddingCents: 1000 };
  const { event } = transactionAlert(fuel);
  const given = { purchaseOf: async () => event, card: cardWith({}, balance) };

  expect((await gather(given, { payCents })).facts.alsoNeeds).toEqual(noted);
});

it('notes that the balance is too low also for what no alert is about', async () => {
  const noted = async (card: object, payCents: number | null = 5000) =>
    (await gather({ purchaseOf: async () => null, card }, { payCents })).facts.alsoNeeds;
  const away = async () => Promise.reject(unanswered());

  expect(await noted(cardWith({}, 49.99))).toEqual(['balance']);
  expect(await noted(cardWith({}, 49.99, true)), 'it pays from the balance of the business').toBeUndefined();
  expect(await noted(cardWith({}, 49.99), null), 'nobody said how much').toBeUndefined();
  expect(await noted(cardWith({ getSpendRules: away }, 49.99))).toBeUndefined();
  expect(await noted(cardWith({ getAccount: away }))).toBeUndefined();
});

it('notes what else an approver’s purchase needs, as it is now', async () => {
  const remedy = { kind: 'allow_international', alsoNeeds: ['allow_card_not_present', 'raise_limit'] } as const;
  const checked: number[] = [];
  const checkPurchase = async ({ amountCents }: TransactionEvent, options: unknown) => {
    checked.push(amountCents);
    expect(options).toEqual({ isBalanceRead: false });
    return { state: 'stopped', remedy };
  };

  const { facts } = await gather({ checkPurchase });

  expect(facts.alsoNeeds).toEqual(['allow_international', 'allow_card_not_present']);
  expect(checked).toEqual([declined.amountCents]);
});

it('lists the last five purchases at the merchant, newest first, and no others', async () => {
  const days = ['11', '12', '13', '14', '15', '16'].map((day) => bought(`2026-11-${day}T10:00:00Z`));
  const elsewhere = bought('2026-11-17T10:00:00Z', { merchant: { ...declined.merchant, name: 'Other', id: 'M2' } });
  const check = bought('2026-11-18T10:00:00Z', { amountCents: 0 });
  const { facts } = await gather({
    readTransactions: async () => ({ events: [...days, elsewhere, check, declined], unreadable: 0 }),
  });

  expect(facts.there?.map(({ at }) => at.slice(8, 10))).toEqual(['16', '15', '14', '13', '12']);
});

it.each([
  [0, []],
  [2, null],
])(
  'says that there was no purchase at the merchant only if every transaction could be read: %i not',
  async (unreadable, there) => {
    const { facts } = await gather({ readTransactions: async () => ({ events: [declined], unreadable }) });

    expect(facts.there).toEqual(there);
  },
);

it('shows how earlier requests ended, without this one', async () => {
  const { facts } = await gather({
    requests: {
      requestsOf: async () => [
        { id: 'req_1', state: 'open' },
        { id: 'req_0', state: 'denied' },
      ],
    },
  });

  expect(facts.earlier).toEqual(['denied']);
});

it('works without data that the card service does not return', async () => {
  const { facts } = await gather({ purchaseOf: async () => null, readTransactions: async () => null });

  expect(facts).toMatchObject({ purchase: null, there: [] });
});

it('of blocking cards names the merchant of the warning, with a link to it, and reads no card', async () => {
  const warning = { kind: 'card-testing', event: declined };
  const read = async () => Promise.reject(new Error('there is no single card'));
  const action = ask('block-all', { target: { kind: 'alert', alertId: 'evt_warning' }, acctIds: [1], names: ['A'] });
  const alerts = { get: async (id: string) => (id === 'evt_warning' ? warning : null) };

  expect(
    await gather(
      { alerts, card: cardWith({ getAccount: read, getSpendRules: read }), readTransactions: read },
      { action },
    ),
  ).toMatchObject({
    isBlocked: false,
    facts: {
      purchase: null,
      warning: { merchant: declined.merchant.name, link: 'https://example.slack.com/evt_warning' },
    },
  });
  expect((await gather({}, { action })).facts.warning).toBeNull();
});

describe('what its holder wants to pay', () => {
  const weekly = (remainingCents: number) => ({ period: 'weekly', limitCents: 90_000, remainingCents }) as const;
  const daily = (remainingCents: number | null, limitCents: number | null = 40_000) =>
    ({ period: 'daily', limitCents, remainingCents }) as const;
  /** The daily limit rises from $400.00 to $900.00 to pay $600.00. */
  const changes = [raiseDaily];

  it.each<[string, RemainingLimits['overall'], RequestFacts['left'], boolean]>([
    ['the change leaves just that', [daily(10_000)], [], false],
    ['the change leaves less', [daily(9_999)], [], true],
    ['the card service does not tell what is left', [daily(null)], [], false],
    ['the limit in force may be that of a ruleset', [daily(0, 30_000)], [], false],
    ['another limit leaves less by now', [daily(10_000), weekly(59_999)], [weekly(60_000)], true],
    ['another limit left less before', [daily(10_000), weekly(59_999)], [weekly(59_999)], false],
    ['another limit leaves just that', [daily(10_000), weekly(60_000)], [weekly(90_000)], false],
  ])('is too much if %s', (_what, overall, left, expected) => {
    expect(isTooLittle(60_000, { ...noFacts, left }, { overall, categories: [] }, changes)).toBe(expected);
  });

  it.each([
    ['covers', 61_200, false],
    ['does not cover', 61_199, true],
  ])('counts with its padding: another limit %s both by now', (_what, remainingCents, expected) => {
    const purchase = { amountCents: 60_000, paddingCents: 1200, merchant: 'Corner Diner', kind: null, link: null };
    const facts = { ...noFacts, purchase, left: [weekly(90_000)] };

    expect(isTooLittle(60_000, facts, { overall: [weekly(remainingCents)], categories: [] }, changes)).toBe(expected);
  });

  it('is never too much for a limit that is removed, or for a rule that is opened', () => {
    const remaining: RemainingLimits = { overall: [daily(0)], categories: [] };
    const abroad: RuleChange = { rule: { kind: 'international' }, from: false, to: true };

    expect(isTooLittle(60_000, noFacts, remaining, [{ ...raiseDaily, to: null }])).toBe(false);
    expect(isTooLittle(60_000, noFacts, remaining, [abroad])).toBe(false);
  });
});
