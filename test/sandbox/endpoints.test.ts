import { beforeAll, describe, expect, it } from 'vitest';
import { REMOVED, ROUTES } from '../../sandbox/api/routes.ts';
import type { Sandbox, SandboxAccount } from '../../sandbox/server.ts';
import { toServiceTime } from '../../sandbox/service-time.ts';
import { callApi, until, useSandboxes } from './running-sandbox.ts';

const sandboxes = useSandboxes();
let sandbox: Sandbox;
let active: SandboxAccount;
let inactive: SandboxAccount;
let virtual: SandboxAccount;
let withRuleset: SandboxAccount;

beforeAll(async () => {
  sandbox = await sandboxes.start({ timeScale: 100 });
  const all = sandbox.accounts();
  active = all[0]!;
  inactive = all.find(({ CardList }) => CardList[0]?.CardStatus === 'INACTIVE')!;
  virtual = all.find(({ IsVirtual }) => IsVirtual)!;
  withRuleset = all.find(({ SpendingRulesetId }) => SpendingRulesetId === 1)!;
});

const DAY_MS = 86_400_000;
const FROM = toServiceTime(new Date(Date.now() - 350 * DAY_MS));
const TO = toServiceTime(new Date(Date.now() + DAY_MS));
const RANGE = `StartDate=${FROM}&EndDate=${TO}`;
const address = { AddressLine1: '1 Main Street', City: 'Albany', State: 'NY', PostalCode: '12207' };
const card = {
  FirstName: 'Ina',
  LastName: 'Berg',
  Phone: '2025550111',
  ShippingPhone: '2025550111',
  ShippingMethod: 'Expedited',
  DateOfBirth: '04-12-1988',
  Email: 'ina.berg@example.com',
  ProfileAddress: address,
  CustomId: 'EMP-9001',
};
const { ShippingPhone: _phone, ShippingMethod: _method, ...virtualCard } = card;

type Endpoint = readonly [
  method: string,
  path: () => string,
  body: () => unknown,
  status: number,
  keys: readonly string[],
];

/** The inventory of the specification: a valid call of each endpoint, its status, and required parts of the response. */
const INVENTORY: readonly Endpoint[] = [
  ['GET', () => '/ping', () => undefined, 200, []],
  ['POST', () => '/Card/CreateAsync', () => ({ Cards: [card] }), 201, ['CardOrderId']],
  [
    'POST',
    () => '/Card/CreateSync',
    () => ({ Cards: [card] }),
    201,
    ['CardOrderId', 'Cards.0.AcctId', 'Cards.0.CustomId'],
  ],
  ['POST', () => `/Card/Activate${inactive.AcctId}/${inactive.CardList[0]!.CardId}`, () => undefined, 200, []],
  [
    'GET',
    () => `/Card/CardOrder/${active.CardList[0]!.CardOrderId}`,
    () => undefined,
    200,
    ['CardOrderId', 'OrderDateTime', 'Cards.0.AcctId', 'Cards.0.Status', 'Cards.0.CustomId'],
  ],
  [
    'GET',
    () => `/Card/Profile/${active.AcctId}`,
    () => undefined,
    200,
    ['AccountId', 'FirstName', 'LastName', 'CustomId', 'IsVirtual'],
  ],
  ['PUT', () => `/Card/Profile/${active.AcctId}`, () => ({ CustomId: 'NEW-1' }), 200, []],
  [
    'GET',
    () => `/Card/SpendRules/${active.AcctId}/Advanced`,
    () => undefined,
    200,
    [
      'AdvancedSpendRules.DailySpendLimit',
      'AdvancedSpendRules.WeeklySpendLimit',
      'AdvancedSpendRules.MonthlySpendLimit',
      'AdvancedSpendRules.YearlySpendLimit',
      'AdvancedSpendRules.LifetimeSpendLimit',
      'AdvancedSpendRules.MerchantCategories.0.TransactionLimit',
      'AdvancedSpendRules.IsDailySpendLimitEnabled',
    ],
  ],
  ['PUT', () => `/Card/SpendRules/${active.AcctId}/Advanced`, () => ({ YearlySpendLimit: 90_000 }), 200, []],
  [
    'GET',
    () => '/Details/AccountDetails',
    () => undefined,
    200,
    [
      'BusinessAccountId',
      'BusinessName',
      'CHAccountList.0.AccountId',
      'CHAccountList.0.CustomId',
      'CHAccountList.0.IsVirtual',
      'CHAccountList.0.CardStatus',
      'CHAccountList.0.CardNumber4Digits',
      'CardholderGroups.0.Name',
    ],
  ],
  [
    'GET',
    () => `/Details/AccountDetails/${active.AcctId}`,
    () => undefined,
    200,
    [
      'AccountId',
      'AvailableBalance',
      'CardList.0.CardId',
      'CardList.0.Last4CardNumber',
      'CardList.0.CardStatus',
      'CustomId',
      'IsVirtual',
      'SpendRules.UseMerchantCategory',
    ],
  ],
  [
    'GET',
    () => `/Details/AccountDetails/${active.AcctId}/Advanced`,
    () => undefined,
    200,
    ['AccountId', 'SpendRules.LifetimeSpendLimit', 'CustomId', 'IsVirtual'],
  ],
  [
    'GET',
    () => `/Details/AccountDetails/${withRuleset.AcctId}/RemainingLimit`,
    () => undefined,
    200,
    [
      'CardId',
      'GlobalLimit.0.Type',
      'GlobalLimit.0.Limit',
      'GlobalLimit.0.Remaining',
      'CategoryLimit.0.Type',
      'CategoryLimit.0.Category',
      'CategoryLimit.0.Limit',
      'CategoryLimit.0.Remaining',
    ],
  ],
  [
    'GET',
    () => `/Details/TransactionDetails?${RANGE}`,
    () => undefined,
    200,
    [
      'TransactionList.0.TransactionType',
      'TransactionList.0.TransactionTypeCategory',
      'TransactionList.0.MetadataApprovalStatus',
      'Pages.NumberOfPages',
    ],
  ],
  [
    'GET',
    () => `/Details/TransactionDetails/${withRuleset.AcctId}?${RANGE}`,
    () => undefined,
    200,
    [
      'TransactionList.0.TransactionTags.Tags.0.Name',
      'TransactionList.0.TransactionTypeCategory',
      'TransactionList.0.MetadataApprovalStatus',
    ],
  ],
  [
    'GET',
    () => `/Details/AllCardholderTransactions?${RANGE}&IncludePendings=1&IncludeDeclines=true`,
    () => undefined,
    200,
    ['TransactionList.0.TransactionTags.Tags.0.Name', 'Pages.TotalRecords'],
  ],
  [
    'GET',
    () => `/Details/${withRuleset.AcctId}/NetworkTransactions?${RANGE}`,
    () => undefined,
    200,
    ['TransactionList.0.NetworkTransactionId', 'TransactionList.0.MerchantRequestedAmount'],
  ],
  [
    'GET',
    () => `/Details/NetworkTransactions?${RANGE}`,
    () => undefined,
    200,
    ['TransactionList.0.NetworkTransactionId', 'TransactionList.0.MerchantRequestedAmount'],
  ],
  [
    'GET',
    () => '/Group/1',
    () => undefined,
    200,
    ['0.AccountId', '0.CustomId', '0.IsVirtual', '0.EmbossingDetails.0.CardNumber'],
  ],
  [
    'GET',
    () => '/SpendingRuleset/1/Advanced',
    () => undefined,
    200,
    ['Id', 'Name', 'DailySpendLimit', 'InternationalAllowed', 'CardNotPresentAllowed', 'MerchantCategories.0.Id'],
  ],
  [
    'GET',
    () => '/SpendingRuleset/1/Advanced/Cards',
    () => undefined,
    200,
    ['0.AccountId', '0.CustomId', '0.SpendRules.MonthlySpendLimit'],
  ],
  ['GET', () => '/SpendingRuleset/1/Cards', () => undefined, 200, ['0.AccountId', '0.CustomId', '0.IsVirtual']],
  ['GET', () => '/SpendingRuleset/Advanced', () => undefined, 200, ['0.Id', '0.CardCount', '0.LifetimeSpendLimit']],
  [
    'POST',
    () => '/SpendingRuleset/Advanced',
    () => ({ Name: 'Tight', DailySpendLimit: 20, InternationalAllowed: true }),
    200,
    ['RulesetId'],
  ],
  [
    'PUT',
    () => '/SpendingRuleset/Advanced',
    () => ({ Id: 2, MonthlySpendLimit: 7000, YearlySpendLimit: 40_000 }),
    200,
    ['Id', 'MonthlySpendLimit'],
  ],
  [
    'POST',
    () => '/VirtualCard/Order',
    () => ({ VirtualCards: [virtualCard] }),
    200,
    ['VirtualCardOrderId', 'NumberOfCardsRequested'],
  ],
  ['POST', () => '/VirtualCard/Data', () => ({ AcctId: virtual.AcctId }), 200, []],
];

describe('the inventory', () => {
  it('has the 27 endpoints of the specification', () => {
    expect(INVENTORY).toHaveLength(27);
  });

  it.each(INVENTORY.map((entry) => [`${entry[0]} ${entry[1].toString().replace(/^\(\) => /, '')}`, entry] as const))(
    'answers %s',
    async (_name, [method, path, body, status, keys]) => {
      const answer = await callApi(sandbox, method, path(), body());

      expect(answer.body.Message).toBeUndefined();
      expect(answer.status).toBe(status);
      for (const key of keys) expect(answer.body).toHaveProperty(key);
    },
  );

  it.each(INVENTORY.slice(1).map((entry) => [entry[0], entry] as const))(
    'refuses %s without a token',
    async (_name, [method, path, body]) => {
      const answer = await callApi(sandbox, method, path(), body(), { Authorization: 'token WRONG' });

      expect(answer).toMatchObject({ status: 401, body: { Message: 'Token expired or does not exist' } });
    },
  );

  it.each(REMOVED)('answers 410 to %s %s and says what replaces it', async (method, path, instead) => {
    const answer = await callApi(sandbox, method, path.replace('{Id}', '1'));

    expect(answer.status).toBe(410);
    expect(answer.body.Message).toContain(instead);
  });
});

describe('the edges of the API', () => {
  it.each([
    ['', 401, 'Missing authorization header'],
    ['digest abc', 401, 'Bad authorization scheme'],
    ['token', 401, 'Token expired or does not exist'],
    ['token T x', 401, 'Token expired or does not exist'],
    ['TOKEN T', 200, undefined],
    ['Bearer T', 200, undefined],
    ['bearer T', 200, undefined],
  ])('the header "%s" gets %i', async (Authorization, status, Message) => {
    const answer = await callApi(sandbox, 'GET', '/Token/Current', undefined, { Authorization });

    expect(answer.status).toBe(status);
    expect(answer.body.Message).toBe(Message);
  });

  it.each([
    ['GET', '/nowhere', undefined, 404],
    ['DELETE', '/Card/Status/610001', undefined, 405],
    ['GET', '/Details/AccountDetails/abc', undefined, 400],
    ['GET', '/Details/AccountDetails/1', undefined, 403],
    ['GET', '/Details/AccountDetails/500100', undefined, 403],
    ['GET', '/Details/NetworkTransactions', undefined, 400],
    ['GET', '/Details/NetworkTransactions?StartDate=2026-01-01&EndDate=2026-02-01', undefined, 400],
    ['GET', '/Details/NetworkTransactions?StartDate=2026-02-01T00:00:00&EndDate=2026-01-01T00:00:00', undefined, 400],
    ['GET', '/Details/NetworkTransactions?StartDate=2025-01-01T00:00:00&EndDate=2026-01-01T00:00:01', undefined, 400],
    ['GET', '/Details/NetworkTransactions?startdate=2025-01-01T00:00:00&enddate=2026-01-01T00:00:00', undefined, 200],
    [
      'GET',
      '/Details/NetworkTransactions?StartDate=2025-01-01T00:00:00-05:00&EndDate=2026-01-01T00:00:00',
      undefined,
      400,
    ],
    ['GET', `/Details/1/NetworkTransactions?${RANGE}`, undefined, 403],
    ['GET', `/Details/AllCardholderTransactions?${RANGE}&IncludePendings=maybe`, undefined, 400],
    ['PUT', '/Card/Status/610001', 'not json', 400],
    ['PUT', '/Card/Status/610001', {}, 400],
    ['PUT', '/Card/Status/610001', { Status: 'Sleeping' }, 400],
    ['PUT', '/Card/Status/610001', { Status: 'Closed' }, 403],
    ['PUT', '/Card/Status/610001', { Status: 5 }, 403],
    ['PUT', '/Card/Status/1', { Status: 'Active' }, 403],
    ['POST', '/Card/Activate/610001/1', undefined, 403],
    ['PUT', '/Card/SpendRules/610001/Advanced', { DailySpendLimit: 'x' }, 400],
    ['PUT', '/Card/SpendRules/610001/Advanced', { DailySpendLimit: -1 }, 400],
    ['PUT', '/Card/SpendRules/610001/Advanced', { DailySpendLimit: 1.005 }, 400],
    ['PUT', '/Card/SpendRules/610001', { DailySpendLimit: 1e300 }, 400],
    ['PUT', '/Card/SpendRules/610001/Advanced', { AdvancedSpendRules: { DailySpendLimit: 1 } }, 400],
    ['PUT', '/Card/SpendRules/610001/Advanced', [], 400],
    ['PUT', '/Card/Profile/610001', { CustomId: 'x'.repeat(51) }, 400],
    ['PUT', '/Card/Profile/610001', { CardholderGroupId: 99 }, 403],
    ['GET', '/Card/Profile/500100', undefined, 401],
    ['PUT', '/Card/Profile/500100', {}, 403],
    ['GET', '/Card/CardOrder?StartDate=yesterday', undefined, 400],
    ['PUT', '/Card/Profile/610001', { FirstName: 'x'.repeat(23) }, 400],
    ['PUT', '/Card/Profile/610001', { FirstName: 'x'.repeat(12), LastName: 'y'.repeat(12) }, 400],
    ['PUT', '/Card/Profile/610001', { Phone: '' }, 400],
    ['PUT', '/Card/Profile/610001', { ShippingPhone: '555' }, 400],
    ['PUT', '/Card/Profile/610001', { DateOfBirth: '1990-02-30T00:00:00' }, 400],
    ['PUT', '/Card/Profile/610001', { ProfileAddress: { ...address, Country: 'NO' } }, 400],
    ['PUT', '/Card/Status/610001', { Status: 'constructor' }, 400],
    ['GET', '/Card/CardOrder/1', undefined, 403],
    ['GET', '/Group/99', undefined, 404],
    ['GET', '/SpendingRuleset/99/Advanced', undefined, 404],
    ['GET', '/SpendingRuleset/abc/Advanced', undefined, 400],
    ['POST', '/SpendingRuleset/Advanced', { Name: 'travel' }, 400],
    ['POST', '/Card/CreateAsync', { Cards: [] }, 400],
    ['POST', '/Card/CreateAsync', { Cards: [{ ...card, ShippingMethod: 'Pigeon' }] }, 400],
    ['POST', '/Card/CreateAsync', { Cards: [{ ...card, FirstName: 'x'.repeat(12), LastName: 'y'.repeat(12) }] }, 400],
    ['POST', '/Card/CreateAsync', { Cards: [{ ...card, GroupId: 99 }] }, 400],
    ['POST', '/Card/CreateAsync', { Cards: [{ ...card, ShippingMethod: 'constructor' }] }, 400],
    ['POST', '/Card/CreateAsync', { Cards: [{ ...card, ShippingMethod: -1 }] }, 400],
    ['POST', '/Card/CreateAsync', { Cards: [{ ...card, ShippingMethod: '3' }] }, 201],
    ['POST', '/Card/CreateAsync', { Cards: [{ ...card, DateOfBirth: '99-99-1990' }] }, 400],
    ['POST', '/Card/CreateAsync', { Cards: [{ ...card, DateOfBirth: '02-29-1989' }] }, 400],
    ['POST', '/Card/CreateAsync', { Cards: [{ ...card, ProfileAddress: { ...address, Country: 'NO' } }] }, 400],
    ['POST', '/Card/CreateAsync', { Cards: [{ ...card, ProfileAddress: { ...address, Country: 'US' } }] }, 201],
    ['POST', '/VirtualCard/Order', { VirtualCards: [{ ...virtualCard, FundCardAmount: 50_001 }] }, 400],
    [
      'POST',
      '/VirtualCard/Order',
      { VirtualCards: [{ ...virtualCard, CardDataWebhookURL: 'https://elsewhere.example/x' }] },
      400,
    ],
    ['POST', '/VirtualCard/Data', { AcctId: 1 }, 400],
    ['POST', '/VirtualCard/Data', { AcctId: 610001 }, 400],
    ['POST', '/VirtualCard/Data', [{ AcctId: 610029 }], 400],
    ['POST', '/VirtualCard/Data', { AcctId: [610029, 610030] }, 400],
  ] as const)("%s %s with %j gets %s in the service's form", async (method, path, body, status) => {
    const answer = await callApi(sandbox, method, path, body);

    expect(answer.status).toBe(status);
    if (status >= 400) expect(Object.keys(answer.body)).toEqual(['Message']);
  });

  it('keeps the merchant categories that a basic write does not name, with their limits', async () => {
    const fresh = await sandboxes.start();
    const { AcctId } = active;
    const path = `/Card/SpendRules/${AcctId}`;
    const limited = [{ Id: 9, DailySpendLimit: 40 }, { Id: 11 }, { Id: 10 }];
    await callApi(fresh, 'PUT', `${path}/Advanced`, { MerchantCategories: limited });

    const restricted = await callApi(fresh, 'PUT', path, { MerchantCategories: { RetailStores: false } });
    const written = (await callApi(fresh, 'GET', `${path}/Advanced`)).body.AdvancedSpendRules.MerchantCategories;
    const shown = (await callApi(fresh, 'GET', path)).body.SpendRules.MerchantCategories;

    expect(restricted.status).toBe(200);
    expect(written.map(({ Id, DailySpendLimit }: (typeof limited)[0]) => [Id, DailySpendLimit])).toEqual([
      [9, 40],
      [11, null],
    ]);
    expect(Object.keys(shown).filter((key) => shown[key])).toEqual(['Restaurants', 'TravelAndTransportation']);
    expect(fresh.purchase({ AcctId, Amount: 1, MCCCode: '5251' }).MessageCode).toBe('decline.rule.mcc');
  });

  it('turns off one category of a card that may use all of them', async () => {
    const fresh = await sandboxes.start();
    const path = `/Card/SpendRules/${active.AcctId}`;

    await callApi(fresh, 'PUT', path, { MerchantCategories: { Restaurants: false } });

    const shown = (await callApi(fresh, 'GET', path)).body.SpendRules.MerchantCategories;
    expect(Object.keys(shown).filter((key) => !shown[key])).toEqual(['Restaurants']);
  });

  it('refuses to turn off every category where an empty list means all, and otherwise allows none', async () => {
    const path = `/Card/SpendRules/${active.AcctId}`;
    const [all, none] = [
      await sandboxes.start(),
      await sandboxes.start({ assumptions: { emptyCategoryListAllowsAll: false } }),
    ];
    const { MerchantCategories: on } = (await callApi(all, 'GET', path)).body.SpendRules;
    const off = { MerchantCategories: Object.fromEntries(Object.keys(on).map((key) => [key, false])) };

    expect((await callApi(all, 'PUT', path, off)).status).toBe(400);
    expect((await callApi(all, 'GET', path)).body.SpendRules.MerchantCategories).toEqual(on);
    expect((await callApi(none, 'PUT', path, off)).status).toBe(200);
    expect((await callApi(none, 'GET', path)).body.SpendRules).toMatchObject({ UseMerchantCategory: true, ...off });
    expect(none.purchase({ AcctId: active.AcctId, Amount: 1 }).MessageCode).toBe('decline.rule.mcc');
  });

  it.each([undefined, 'null'])('refuses to write with the body %s, and changes nothing', async (body) => {
    const fresh = await sandboxes.start();
    const before = fresh.accounts();
    const withBody = ROUTES.filter(({ method, request }) => method !== 'GET' && request !== undefined);

    for (const { method, path } of withBody) {
      const answer = await callApi(fresh, method, path.replace('{Id}', String(withRuleset.AcctId)), body);
      expect([path, answer.status]).toEqual([path, 400]);
      expect(answer.body.Message).toContain('A JSON body is required.');
    }
    expect(fresh.accounts()).toEqual(before);
  });

  it.each([
    ['no shipping address', {}],
    ['a shipping address without a contact', { ShippingAddress: address }],
  ])('sends a card that was ordered with %s to its holder', async (_what, given) => {
    const { body } = await callApi(sandbox, 'POST', '/Card/CreateSync', { Cards: [{ ...card, ...given }] });

    expect(body.Cards[0]).toMatchObject({ Recipient: 'Ina Berg', ShippingAddress: { ContactName: 'Ina Berg' } });
    const path = `/Card/Profile/${body.Cards[0].AcctId}`;
    await callApi(sandbox, 'PUT', path, { ProfileAddress: address, ShippingAddress: address });
    expect((await callApi(sandbox, 'GET', path)).body).toMatchObject({
      ProfileAddress: { ContactName: 'Ina Berg' },
      ShippingAddress: { ContactName: 'Ina Berg' },
    });
  });

  it('lists the card orders since a day, until a day, or all of them', async () => {
    const { body } = await callApi(sandbox, 'POST', '/Card/CreateAsync', { Cards: [card] });
    const found = async (query: string): Promise<boolean> => {
      const { CardOrders } = (await callApi(sandbox, 'GET', `/Card/CardOrder${query}`)).body;
      return CardOrders.some(({ CardOrderId }: { CardOrderId: number }) => CardOrderId === body.CardOrderId);
    };

    expect([await found(''), await found(`?StartDate=${FROM}`), await found(`?EndDate=${TO}`)]).toEqual([
      true,
      true,
      true,
    ]);
    expect([await found(`?StartDate=${TO}`), await found(`?EndDate=${FROM}`)]).toEqual([false, false]);
  });

  it.each([
    ['DELETE', '/v4/Card/Profile/610001', 'GET, PUT'],
    ['GET', '/simulate/purchase', 'POST'],
    ['POST', '/openapi.json', 'GET'],
    ['PUT', '/schemas/decline.json', 'GET'],
    ['POST', '/v4/ping', 'GET'],
  ])('answers %s %s with 405 and the methods that it supports', async (method, path, allowed) => {
    const isOpen = path !== '/v4/Card/Profile/610001';
    const headers = isOpen ? undefined : { Authorization: 'token T' };

    const response = await fetch(new URL(path, sandbox.url), { method, ...(headers && { headers }) });

    expect([response.status, response.headers.get('allow')]).toEqual([405, allowed]);
    expect(await response.json()).toEqual({ Message: expect.stringMatching(/^Use /) });
  });

  it('shows each transfer to the card and to the business, with the other one as its counterpart', async () => {
    const { body: details } = await callApi(sandbox, 'GET', '/Details/AccountDetails');
    const { TransactionList: ofBusiness } = (await callApi(sandbox, 'GET', `/Details/TransactionDetails?${RANGE}`))
      .body;
    const cardsAccount = ofBusiness[0].TransferToOrFromAccountId;
    const path = `/Details/TransactionDetails/${cardsAccount}?${RANGE}`;
    const { TransactionList: ofCard } = (await callApi(sandbox, 'GET', path)).body;
    const { TransactionId } = ofBusiness[0];
    const same = ofCard.find((each: { TransactionId: number }) => each.TransactionId === TransactionId);

    expect(ofBusiness[0].AcctId).toBe(details.BusinessAccountId);
    expect(same).toMatchObject({
      AcctId: cardsAccount,
      TransferToOrFromAccountId: details.BusinessAccountId,
      TransactionAmount: -ofBusiness[0].TransactionAmount,
    });
  });

  it('checks the version segment', async () => {
    for (const path of ['/v3/ping', '/ping', '/v4.1/ping']) {
      const response = await fetch(new URL(path, sandbox.url));
      expect(response.status, path).toBe(404);
      expect(await response.json()).toEqual({ Message: expect.stringContaining('use /v4') });
    }
    expect((await fetch(new URL('/V4/PING', sandbox.url))).status).toBe(200);
  });

  it('listens on loopback only', () => {
    expect(new URL(sandbox.url).hostname).toBe('127.0.0.1');
  });

  it('ignores case in paths', async () => {
    expect((await callApi(sandbox, 'GET', '/DETAILS/accountdetails')).status).toBe(200);
  });

  it.each([
    ['Blocked', 'BLOCKED'],
    ['0', 'ACTIVE'],
    [2, 'BLOCKED'],
    ['active', 'ACTIVE'],
  ])('accepts the status %j by name or number', async (Status, becomes) => {
    const { AcctId } = sandbox.accounts()[1]!;

    expect((await callApi(sandbox, 'PUT', `/Card/Status/${AcctId}`, { Status })).status).toBe(200);

    expect(sandbox.accounts()[1]!.CardList[0]!.CardStatus).toBe(becomes);
  });

  it.each(['/Card/Activate/{a}', '/Card/Activate/{a}/{c}', '/Card/Activate{a}/{c}', '/card/activate/{a}/{c}'])(
    'activates by %s',
    async (form) => {
      const fresh = await sandboxes.start({ seed: 'small' });
      const { AcctId, CardList } = fresh.accounts().find((each) => each.CardList[0]?.CardStatus === 'INACTIVE')!;
      const path = form.replace('{a}', String(AcctId)).replace('{c}', String(CardList[0]!.CardId));

      expect((await callApi(fresh, 'POST', path)).status).toBe(200);

      expect(fresh.accounts().find((each) => each.AcctId === AcctId)!.CardList[0]!.CardStatus).toBe('ACTIVE');
    },
  );

  it('omits the newer fields from the list on request', async () => {
    const older = await sandboxes.start({ listShape: 'older' });

    const { body } = await callApi(older, 'GET', '/Details/AccountDetails');

    expect(Object.keys(body.CHAccountList[0]).sort()).toEqual([
      'AccountId',
      'AccountStatus',
      'AvailableBalance',
      'CustomId',
      'FirstName',
      'IsVirtual',
      'LastName',
      'LedgerBalance',
    ]);
  });

  it('pages transactions, and repeats the last row of a page on the next', async () => {
    const paged = await sandboxes.start({ assumptions: { transactionPageSize: 10 } });
    const whole = (await callApi(paged, 'GET', `/Details/AllCardholderTransactions?${RANGE}&IncludePendings=1`)).body;
    const seen = new Set<number>();
    let start = FROM;
    let pages = 0;
    for (;;) {
      const { body } = await callApi(
        paged,
        'GET',
        `/Details/AllCardholderTransactions?StartDate=${start}&EndDate=${TO}&IncludePendings=1`,
      );
      pages += 1;
      expect(body.TransactionList.length).toBeLessThanOrEqual(10);
      for (const { TransactionId } of body.TransactionList) seen.add(TransactionId);
      if (body.Pages.NumberOfPages === 1) break;
      start = body.Pages.LastTimeRetrieved;
    }

    expect(pages).toBeGreaterThan(2);
    expect(seen.size).toBe(whole.Pages.TotalRecords);
  });

  it('records every call with its body and status', async () => {
    await callApi(sandbox, 'PUT', '/Card/Status/1?x=1', { Status: 'Active' });

    expect(sandbox.calls.at(-1)).toMatchObject({
      method: 'PUT',
      path: '/v4/Card/Status/1',
      query: '?x=1',
      body: { Status: 'Active' },
      status: 403,
    });
  });

  it('creates the cards of an asynchronous order a little later', async () => {
    const { body } = await callApi(sandbox, 'POST', '/Card/CreateAsync', { Cards: [card] });
    const order = async () => (await callApi(sandbox, 'GET', `/Card/CardOrder/${body.CardOrderId}`)).body.Cards[0];
    expect(await order()).toMatchObject({ AcctId: 0, Status: 'Pending' });

    await until(
      () => sandbox.accounts().some(({ CardList }) => CardList[0]?.CardOrderId === body.CardOrderId),
      'the card',
    );

    expect(await order()).toMatchObject({ AcctId: expect.any(Number), Status: 'Successful', CustomId: 'EMP-9001' });
  });
});
