import { afterAll, beforeAll, expect, it } from 'vitest';
import { ASSUMPTIONS } from '../../sandbox/assumptions.ts';
import type { Sandbox } from '../../sandbox/server.ts';
import { type Receiver, startReceiver, until, useSandboxes } from './running-sandbox.ts';

const { start } = useSandboxes();
let sandbox: Sandbox;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  sandbox = await start({ webhooks: receiver.url, seed: 'small' });
});
afterAll(() => receiver.close());

async function get(path: string): Promise<{ TransactionList: Record<string, unknown>[] }> {
  const now = Date.now();
  const local = (ms: number): string =>
    new Date(ms).toLocaleString('sv-SE', { timeZone: 'America/New_York' }).replace(' ', 'T');
  const query = `StartDate=${local(now - 3_600_000)}&EndDate=${local(now + 3_600_000)}&IncludePendings=1&IncludeDeclines=1`;
  const response = await fetch(`${sandbox.url}${path}?${query}`, { headers: { authorization: 'token T' } });
  return (await response.json()) as { TransactionList: Record<string, unknown>[] };
}

it('network transactions exclude card funding, which transaction details include', async () => {
  const { AcctId } = sandbox.createOrder({
    FirstName: 'Fay',
    LastName: 'Funded',
    VirtualCard: true,
    FundCardAmount: 50,
  });
  sandbox.purchase({ AcctId, Amount: 5 });

  const [network, details] = await Promise.all([
    get(`/Details/${AcctId}/NetworkTransactions`),
    get(`/Details/TransactionDetails/${AcctId}`),
  ]);

  expect(network.TransactionList.map(({ TransactionType }) => TransactionType)).toEqual(['NETWORK']);
  expect(details.TransactionList.map(({ TransactionType }) => String(TransactionType)).toSorted()).toEqual([
    'Network',
    'Transfer',
  ]);
});

it('network transactions are authorizations, settlements, reversals, PIN transactions and declines', async () => {
  const { AcctId } = sandbox.createOrder({
    FirstName: 'Ned',
    LastName: 'Network',
    VirtualCard: true,
    FundCardAmount: 50,
  });
  const buy = (more: object = {}) => sandbox.purchase({ AcctId, Amount: 5, ...more });
  buy();
  sandbox.settle(buy());
  sandbox.reverse(buy());
  buy({ Pin: 'correct' });
  buy({ Amount: 5000 });

  for (const path of [`/Details/${AcctId}/NetworkTransactions`, '/Details/NetworkTransactions']) {
    const { TransactionList } = await get(path);
    const own = TransactionList.filter((row) => row['AcctId'] === AcctId);
    expect(
      own.map(({ NetworkType, NetworkStatus }) => [NetworkType, NetworkStatus ?? 'null'].join(' ')).toSorted(),
    ).toEqual([
      'Auth Approved',
      'Auth Approved',
      'Auth Approved',
      'Auth Declined',
      'Pin Approved',
      'Reversal null',
      'Settlement null',
    ]);
  }
});

/** All records of an account in a response, at any depth. */
function accountsIn(answer: unknown): Record<string, unknown>[] {
  if (typeof answer !== 'object' || answer === null) return [];
  const own = 'CustomId' in answer || 'IsVirtual' in answer ? [answer as Record<string, unknown>] : [];
  return [...own, ...Object.values(answer).flatMap(accountsIn)];
}

it.each([
  ['/Card/Profile/{Id}', ['CustomId', 'IsVirtual']],
  ['/Details/AccountDetails', ['CustomId', 'IsVirtual']],
  ['/Details/AccountDetails/{Id}', ['CustomId', 'IsVirtual']],
  ['/Details/AccountDetails/{Id}/Advanced', ['CustomId', 'IsVirtual']],
  ['/Group/1', ['CustomId', 'IsVirtual']],
  ['/SpendingRuleset/1/Cards', ['CustomId', 'IsVirtual']],
  ['/SpendingRuleset/1/Advanced/Cards', ['CustomId']],
  ['/Card/CardOrder/{Order}', ['CustomId']],
])('GET %s returns for each account its %j', async (path, fields) => {
  const standard = await start({});
  const known = new Map(standard.accounts().map((account) => [account.AcctId, account]));
  for (const isVirtual of [false, true]) {
    const one = standard.accounts().find(({ IsVirtual, CustomId }) => IsVirtual === isVirtual && CustomId !== null);
    const filled = path.replace('{Id}', `${one?.AcctId}`).replace('{Order}', `${one?.CardList[0]?.CardOrderId}`);
    const response = await fetch(`${standard.url}${filled}`, { headers: { authorization: 'token T' } });

    const told = accountsIn(await response.json());

    expect(told.length).toBeGreaterThan(0);
    for (const record of told) {
      const account = known.get(Number(record['AccountId'] ?? record['AcctId']));
      for (const field of fields)
        expect(record[field], `${field} of ${account?.AcctId}`).toBe(account?.[field as 'CustomId']);
    }
  }
});

it('MetadataApprovalStatus is one of the values of the specification', async () => {
  const { TransactionList } = await get('/Details/AllCardholderTransactions');
  const values = new Set(TransactionList.map(({ MetadataApprovalStatus }) => MetadataApprovalStatus));

  expect(values.size).toBeGreaterThan(1);
  for (const value of values) expect(['Approved', 'Rejected', 'Ignored', 'Not Reviewed']).toContain(value);
});

it('a card ordered with CreateAsync causes a webhook with the status INACTIVE', async () => {
  const holder = {
    FirstName: 'Ida',
    LastName: 'Ordered',
    DateOfBirth: '04-12-1988',
    Phone: '2025550199',
    ShippingPhone: '2025550199',
    Email: 'ida@example.com',
    ShippingMethod: 'FirstClassMail',
  };
  const address = {
    AddressLine1: '12 Harbor Lane',
    City: 'Albany',
    State: 'NY',
    PostalCode: '12207',
    ContactName: 'Ida',
  };
  const response = await fetch(`${sandbox.url}/Card/CreateAsync`, {
    method: 'POST',
    headers: { authorization: 'token T', 'content-type': 'application/json' },
    body: JSON.stringify({ Cards: [{ ...holder, ProfileAddress: address, ShippingAddress: address }] }),
  });
  const { CardOrderId } = (await response.json()) as { CardOrderId: number };
  expect(response.status).toBe(201);

  const told = (): unknown[] =>
    receiver.received
      .filter(({ path }) => path.endsWith('card-status'))
      .flatMap(({ body }) => body.Data.CardList as { CardOrderId: number; CardStatus: string }[])
      .filter((card) => card.CardOrderId === CardOrderId);
  await until(() => told().length > 0, 'the status webhook of the new card arrives');
  expect(told()).toMatchObject([{ CardStatus: 'INACTIVE' }]);
});

it('webhooks are retried after 15, 30, 60, 120 and 3600 seconds', () => {
  expect(ASSUMPTIONS.retrySeconds.value).toEqual([15, 30, 60, 120, 3600]);
});

it.each([
  [50, 200],
  [51, 400],
])('a CustomId of %i characters gets %i', async (length, status) => {
  const [account] = sandbox.accounts();
  const response = await fetch(`${sandbox.url}/Card/Profile/${account?.AcctId}`, {
    method: 'PUT',
    headers: { authorization: 'token T', 'content-type': 'application/json' },
    body: JSON.stringify({ CustomId: 'x'.repeat(length) }),
  });

  expect(response.status).toBe(status);
});

it('only the second version of the webhooks is delivered', () => {
  expect(ASSUMPTIONS.webhookVersion.value).toMatch(/^2\./);
  for (const { headers } of receiver.received) expect(headers['x-service-version']).toMatch(/^2\./);
  expect(receiver.received.length).toBeGreaterThan(0);
});
