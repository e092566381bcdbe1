import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CardClient } from '../../../src/card-api/client.ts';
import { type FakeApi, failureOf, json, startFakeApi } from './fake-api.ts';

let api: FakeApi;
let client: CardClient;
beforeAll(async () => {
  api = await startFakeApi();
  client = api.client();
});
afterAll(async () => {
  await api.close();
});

const window = { from: new Date('2026-11-01T12:00:00Z'), to: new Date('2026-11-20T12:00:00Z') };
const eastern = { StartDate: '2026-11-01T07:00:00', EndDate: '2026-11-20T07:00:00' };
const account = { AccountId: 7, CardList: [{ CardId: 71, Last4CardNumber: '1234', CardStatus: 'Active' }] };
const rows = { TransactionList: [{ NetworkTransactionId: 5, AcctId: 7, New: true }] };
const ruleset = { Id: 4, Name: 'Field', CardCount: 2 };

/** Every call, and an answer to it. */
const calls: [string, (one: CardClient) => Promise<unknown>, string, string, unknown][] = [
  ['ping', (one) => one.ping(), 'GET', '/ping', '2026-11-20T07:00:00'],
  ['activateCard', (one) => one.activateCard(7, 71), 'POST', '/Card/Activate/7/71', {}],
  ['getCardOrder', (one) => one.getCardOrder(9), 'GET', '/Card/CardOrder/9', { CardOrderId: 9 }],
  ['getSpendRules', (one) => one.getSpendRules(7), 'GET', '/Card/SpendRules/7/Advanced', { AdvancedSpendRules: {} }],
  ['putSpendRules', (one) => one.putSpendRules(7, {}), 'PUT', '/Card/SpendRules/7/Advanced', null],
  ['listAccounts', (one) => one.listAccounts(), 'GET', '/Details/AccountDetails', { CHAccountList: [] }],
  ['getAccount', (one) => one.getAccount(7), 'GET', '/Details/AccountDetails/7', account],
  [
    'getRemainingLimits',
    (one) => one.getRemainingLimits(7),
    'GET',
    '/Details/AccountDetails/7/RemainingLimit',
    { GlobalLimit: [] },
  ],
  [
    'listAccountNetworkTransactions',
    (one) => one.listAccountNetworkTransactions(7, window),
    'GET',
    '/Details/7/NetworkTransactions',
    rows,
  ],
  [
    'listNetworkTransactions',
    (one) => one.listNetworkTransactions(window),
    'GET',
    '/Details/NetworkTransactions',
    rows,
  ],
  ['listRulesets', (one) => one.listRulesets(), 'GET', '/SpendingRuleset/Advanced', [ruleset]],
  [
    'orderVirtualCards',
    (one) => one.orderVirtualCards({ VirtualCards: [] }),
    'POST',
    '/VirtualCard/Order',
    { VirtualCardOrderId: 6, NumberOfCardsRequested: 1 },
  ],
  ['requestVirtualCardData', (one) => one.requestVirtualCardData({ AcctId: 7 }), 'POST', '/VirtualCard/Data', {}],
  ['setCardStatus', (one) => one.setCardStatus(7, 'ACTIVE'), 'PUT', '/Card/Status/7', {}],
  [
    'getCurrentToken',
    (one) => one.getCurrentToken(),
    'GET',
    '/Token/Current',
    { TokenExpiration: null, Token: 'never' },
  ],
];

describe('the calls', () => {
  it.each(calls)('%s', async (_name, run, method, path, answer) => {
    api.answerWith(json(200, answer));

    await run(client);

    expect(api.received.at(-1)).toMatchObject({ method, path: `/v4${path}`, authorization: 'token SECRET-TOKEN-1' });
  });

  it('asks for transactions in the service’s own time', async () => {
    api.answerWith(json(200, rows));

    expect(await client.listNetworkTransactions(window)).toEqual(rows.TransactionList);
    expect(Object.fromEntries(api.received.at(-1)?.query ?? [])).toEqual(eastern);
  });

  it.each([
    ['one account', (one: CardClient) => one.listAccountNetworkTransactions(7, window)],
    ['all accounts', (one: CardClient) => one.listNetworkTransactions(window)],
  ])('never takes the first page of the network transactions of %s for all of them', async (_whose, ask) => {
    for (const Pages of [{ NumberOfPages: 2 }, { NumberOfPages: 2, LastTimeRetrieved: '2026-11-05T00:00:00' }]) {
      api.answerWith(json(200, { ...rows, Pages }));
      expect(await failureOf(ask(client))).toMatchObject({ code: 'bad_answer' });
    }
    api.answerWith(json(200, { ...rows, Pages: { NumberOfPages: 1 } }));
    expect(await ask(client)).toEqual(rows.TransactionList);
  });
});

describe('reading responses', () => {
  it('takes an account without its list of cards for no answer: it has no fewer cards than before', async () => {
    api.answerWith(json(200, { AccountId: 7 }));
    expect(await failureOf(client.getAccount(7))).toMatchObject({ code: 'bad_answer' });

    for (const CardList of [null, []]) {
      api.answerWith(json(200, { AccountId: 7, CardList }));
      expect((await client.getAccount(7)).cards).toEqual([]);
    }
  });

  it('keeps unknown rules for writing them back', async () => {
    const answer = { AdvancedSpendRules: { DailySpendLimit: 5, IsDailySpendLimitEnabled: true, New: { deep: [1] } } };
    api.answerWith(json(200, answer));

    const { rules, raw } = await client.getSpendRules(7);
    await client.putSpendRules(7, raw);

    expect(rules.limits.daily).toBe(500);
    expect(raw).toEqual(answer);
    expect(JSON.parse(api.received.at(-1)?.text ?? '')).toEqual({
      DailySpendLimit: 5,
      IsDailySpendLimitEnabled: true,
      New: { deep: [1] },
    });
  });

  it('writes an unknown whole number back as it was, whatever its size', async () => {
    const rules =
      '{"DailySpendLimit":5,"New":{"id":9007199254740993,"text":"9007199254740993","all":[-9223372036854775808]}}';
    api.answerWith((response) => void response.writeHead(200).end(rules));

    await client.putSpendRules(7, (await client.getSpendRules(7)).raw);

    expect(api.received.at(-1)?.text).toBe(rules);
  });
});

it('remaining limits are requested under the other name if the first is unknown, and from then on under that name', async () => {
  const fresh = api.client();
  api.answerWith((response, { path }) => {
    response.writeHead(path.endsWith('RemainingLimits') ? 200 : 404).end(JSON.stringify({ GlobalLimits: [] }));
  });
  const before = api.received.length;

  await fresh.getRemainingLimits(7);
  await fresh.getRemainingLimits(8);

  expect(api.received.slice(before).map(({ path }) => path.split('/').at(-1))).toEqual([
    'RemainingLimit',
    'RemainingLimits',
    'RemainingLimits',
  ]);
});
