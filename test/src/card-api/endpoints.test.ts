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
const ruleset = { Id: 4, Name: 'Field', CardCount: 2, DailySpendLimit: 5 };

/** The complete inventory of the specification, and the status call. */
const inventory: [string, (one: CardClient) => Promise<unknown>, string, string, unknown][] = [
  ['ping', (one) => one.ping(), 'GET', '/ping', '2026-11-20T07:00:00'],
  ['createCards', (one) => one.createCards({ Cards: [] }), 'POST', '/Card/CreateAsync', { CardOrderId: 9 }],
  ['createCardSync', (one) => one.createCardSync({ CustomId: 'x' }), 'POST', '/Card/CreateSync', {}],
  ['activateCard', (one) => one.activateCard(7, 71), 'POST', '/Card/Activate/7/71', {}],
  ['getCardOrder', (one) => one.getCardOrder(9), 'GET', '/Card/CardOrder/9', { CardOrderId: 9, Cards: [] }],
  ['getProfile', (one) => one.getProfile(7), 'GET', '/Card/Profile/7', { AccountId: 7 }],
  ['updateProfile', (one) => one.updateProfile(7, { CustomId: 'x' }), 'PUT', '/Card/Profile/7', {}],
  ['getSpendRules', (one) => one.getSpendRules(7), 'GET', '/Card/SpendRules/7/Advanced', { AdvancedSpendRules: {} }],
  ['putSpendRules', (one) => one.putSpendRules(7, {}), 'PUT', '/Card/SpendRules/7/Advanced', null],
  ['listAccounts', (one) => one.listAccounts(), 'GET', '/Details/AccountDetails', { CHAccountList: [] }],
  ['getAccount', (one) => one.getAccount(7), 'GET', '/Details/AccountDetails/7', account],
  ['getAccountAdvanced', (one) => one.getAccountAdvanced(7), 'GET', '/Details/AccountDetails/7/Advanced', account],
  [
    'getRemainingLimits',
    (one) => one.getRemainingLimits(7),
    'GET',
    '/Details/AccountDetails/7/RemainingLimit',
    { GlobalLimit: [] },
  ],
  [
    'listBusinessTransactions',
    (one) => one.listBusinessTransactions(window),
    'GET',
    '/Details/TransactionDetails',
    rows,
  ],
  [
    'listAccountTransactions',
    (one) => one.listAccountTransactions(7, window),
    'GET',
    '/Details/TransactionDetails/7',
    rows,
  ],
  [
    'listAllCardholderTransactions',
    (one) => one.listAllCardholderTransactions(window),
    'GET',
    '/Details/AllCardholderTransactions',
    rows,
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
  ['getGroup', (one) => one.getGroup(3), 'GET', '/Group/3', [{ AccountId: 7 }]],
  ['getRuleset', (one) => one.getRuleset(4), 'GET', '/SpendingRuleset/4/Advanced', ruleset],
  [
    'listRulesetCardsAdvanced',
    (one) => one.listRulesetCardsAdvanced(4),
    'GET',
    '/SpendingRuleset/4/Advanced/Cards',
    [account],
  ],
  ['listRulesetCards', (one) => one.listRulesetCards(4), 'GET', '/SpendingRuleset/4/Cards', [account]],
  ['listRulesets', (one) => one.listRulesets(), 'GET', '/SpendingRuleset/Advanced', [ruleset]],
  ['createRuleset', (one) => one.createRuleset({ Name: 'x' }), 'POST', '/SpendingRuleset/Advanced', { RulesetId: 4 }],
  ['updateRuleset', (one) => one.updateRuleset(ruleset), 'PUT', '/SpendingRuleset/Advanced', ruleset],
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
    { BusinessAccountName: 'Acme', Token: 'never' },
  ],
];

describe('the inventory', () => {
  it.each(inventory)('%s', async (_name, run, method, path, answer) => {
    api.answerWith(json(200, answer));

    await run(client);

    expect(api.received.at(-1)).toMatchObject({ method, path: `/v4${path}`, authorization: 'token SECRET-TOKEN-1' });
  });

  it('asks for transactions in the service’s own time', async () => {
    api.answerWith(json(200, rows));

    expect(await client.listNetworkTransactions(window)).toEqual(rows.TransactionList);
    expect(Object.fromEntries(api.received.at(-1)?.query ?? [])).toEqual(eastern);
    await client.listAllCardholderTransactions({ ...window, includeDeclines: true, includePendings: false });
    expect(Object.fromEntries(api.received.at(-1)?.query ?? [])).toEqual({
      ...eastern,
      IncludeDeclines: 'true',
      IncludePendings: 'false',
    });
  });

  it('returns where a long list of transactions continues', async () => {
    api.answerWith(json(200, { ...rows, Pages: { NumberOfPages: 2, LastTimeRetrieved: '2026-11-05T00:00:00' } }));
    const first = await client.listAllCardholderTransactions(window);
    expect(first.next).toBe('2026-11-05T00:00:00');

    api.answerWith(json(200, { ...rows, Pages: { NumberOfPages: 1, LastTimeRetrieved: '2026-11-20T00:00:00' } }));
    const second = await client.listAllCardholderTransactions({ ...window, from: first.next ?? '' });

    expect(api.received.at(-1)?.query.get('StartDate')).toBe('2026-11-05T00:00:00');
    expect(second.next).toBeNull();
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

  it('reads "none exist" as an empty list', async () => {
    api.answerWith(json(404, { Message: 'No rulesets' }));

    expect(await client.listRulesets()).toEqual([]);
    expect(await client.listRulesetCards(4)).toEqual([]);
  });
});

describe('reading responses', () => {
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
