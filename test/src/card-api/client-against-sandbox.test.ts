import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type LocalRedis, startRedis } from '../../../local/redis.ts';
import { type Sandbox, type SandboxAccount, startSandbox } from '../../../sandbox/server.ts';
import { parseAssumptions } from '../../../src/card-api/assumptions.ts';
import { type CardClient, createCardClient } from '../../../src/card-api/client.ts';
import { applyChanges } from '../../../src/card-api/spend-rules.ts';
import { CardApiError } from '../../../src/core/errors.ts';
import { createDirectory } from '../../../src/directory/directory.ts';
import { checkLimits } from '../../../src/limits/binding-limit.ts';
import { callsOutside } from '../../support/calls-outside.ts';
import { limitGoal } from '../../support/limit-goals.ts';

let redis: LocalRedis;
let sandbox: Sandbox;
let client: CardClient;

beforeAll(async () => {
  redis = await startRedis();
  sandbox = await startSandbox({ token: 'T', secret: 'S', redisUrl: redis.url, timeScale: 60 });
});
afterAll(async () => {
  await sandbox.stop();
  await redis.stop();
});
/** Longer than any test: only a test that moves the time reaches it. */
const TIMEOUT_MS = 1_000_000;

beforeEach(() => {
  sandbox.faults.clear();
  client = createCardClient({
    baseUrl: sandbox.url,
    token: 'T',
    sleep: async () => {},
    timeoutMs: TIMEOUT_MS,
    breaker: { threshold: 1000 },
  });
});

const taken = new Set<number>();

/** An account that no other test in this file uses, with one card in `status`. */
function pick(status: 'ACTIVE' | 'INACTIVE' | 'BLOCKED' | 'CLOSED'): SandboxAccount & { cardId: number } {
  const account = sandbox
    .accounts()
    .find(
      ({ AcctId, CardList, SpendingRulesetId }) =>
        !taken.has(AcctId) && SpendingRulesetId === null && CardList.length === 1 && CardList[0]?.CardStatus === status,
    );
  if (account === undefined) throw new Error(`the seed has no further account with a card that is ${status}`);
  taken.add(account.AcctId);
  return { ...account, cardId: account.CardList[0]?.CardId ?? 0 };
}

const now = (acctId: number): SandboxAccount => {
  const account = sandbox.accounts().find(({ AcctId }) => AcctId === acctId);
  if (account === undefined) throw new Error('no such account');
  return account;
};
const statusOf = (acctId: number): string | undefined => now(acctId).CardList[0]?.CardStatus;

const refusalOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'worked',
    (error: unknown) =>
      error instanceof CardApiError ? [error.code, error.outcome, error.status, error.apiMessage] : error,
  );

const lastDays = () => ({ from: new Date(Date.now() - 20 * 86_400_000), to: new Date() });
const address = { AddressLine1: '1 Main St', City: 'Albany', State: 'NY', PostalCode: '12207' };
const person = {
  FirstName: 'Wanda',
  LastName: 'Newman',
  Phone: '5185550100',
  Email: 'wanda@example.com',
  DateOfBirth: '01-31-1990',
  ProfileAddress: address,
};

describe('cards', () => {
  it('pings the service and reads until when the token works', async () => {
    await client.ping();

    expect((await client.getCurrentToken()).expiresOn).toMatch(/^\d{4}-\d\d-\d\d$/);
  });

  it('blocks and unblocks', async () => {
    const { AcctId } = pick('ACTIVE');

    await client.setCardStatus(AcctId, 'BLOCKED');
    expect(statusOf(AcctId)).toBe('BLOCKED');
    await client.setCardStatus(AcctId, 'ACTIVE');
    expect(statusOf(AcctId)).toBe('ACTIVE');
  });

  it('activates one card', async () => {
    const { AcctId, cardId } = pick('INACTIVE');

    await client.activateCard(AcctId, cardId);

    expect(statusOf(AcctId)).toBe('ACTIVE');
  });

  it('reports the service’s message for impossible changes', async () => {
    const closed = pick('CLOSED');

    expect(await refusalOf(client.setCardStatus(closed.AcctId, 'ACTIVE'))).toEqual([
      'refused',
      'refused',
      403,
      expect.any(String),
    ]);
    expect(await refusalOf(client.getAccount(999_999_999))).toEqual([
      'refused',
      'refused',
      403,
      'Invalid card account ID',
    ]);
    const external = createCardClient({ baseUrl: sandbox.url, token: 'wrong' });
    expect(await refusalOf(external.getAccount(closed.AcctId))).toEqual([
      'token_dead',
      'refused',
      expect.any(Number),
      expect.any(String),
    ]);
  });

  it('reads an order of cards', async () => {
    const card = { ...person, ShippingPhone: '5185550100', ShippingMethod: 'Expedited' };
    const placed = await fetch(`${sandbox.url}/Card/CreateAsync`, {
      method: 'POST',
      headers: { authorization: 'token T', 'content-type': 'application/json' },
      body: JSON.stringify({ Cards: [card] }),
    });
    const { CardOrderId } = (await placed.json()) as { CardOrderId: number };

    expect(await client.getCardOrder(CardOrderId)).toEqual({ cardOrderId: CardOrderId, orderedAt: expect.any(String) });
  });

  it('orders a virtual card and requests its data again', async () => {
    const order = await client.orderVirtualCards({ VirtualCards: [person] });
    expect(order.virtualCardOrderId).toBeGreaterThan(0);
    const virtual = sandbox.accounts().find(({ IsVirtual, AccountStatus }) => IsVirtual && AccountStatus === 'OPEN');

    await client.requestVirtualCardData({ AcctId: virtual?.AcctId ?? 0 });
  });
});

describe('limits', () => {
  it('changes only one limit', async () => {
    const { AcctId } = pick('ACTIVE');
    const before = now(AcctId).SpendRules;

    const { raw } = await client.getSpendRules(AcctId);
    await client.putSpendRules(AcctId, applyChanges(raw, [limitGoal('weekly', 81_250)]));
    expect(now(AcctId).SpendRules).toEqual({ ...before, WeeklySpendLimit: 812.5 });

    const again = await client.getSpendRules(AcctId);
    expect(again.rules.limits).toMatchObject({ weekly: 81_250 });
    await client.putSpendRules(AcctId, applyChanges(again.raw, [limitGoal('weekly', null)]));
    expect(now(AcctId).SpendRules.WeeklySpendLimit).toBeNull();
  });

  it.each(['RemainingLimit', 'RemainingLimits'])(
    'finds the limit that declined a purchase, from %s',
    async (spelling) => {
      const { AcctId } = pick('ACTIVE');
      const { raw } = await client.getSpendRules(AcctId);
      await client.putSpendRules(AcctId, applyChanges(raw, [limitGoal('daily', 10_000)]));
      expect(sandbox.purchase({ AcctId, Amount: 70 }).Approved).toBe(true);
      expect(sandbox.purchase({ AcctId, Amount: 45.5 }).MessageCode).toBe('decline.rule.velocity');
      const assumptions = parseAssumptions(
        `{"getRemainingLimitsPaths":["/Details/AccountDetails/{acctId}/${spelling}"]}`,
      );
      const speller = createCardClient({ baseUrl: sandbox.url, token: 'T', assumptions });

      const remaining = await speller.getRemainingLimits(AcctId);
      const { rules } = await client.getSpendRules(AcctId);
      const found = checkLimits({ amountCents: 4_550 }, remaining, rules);

      expect(remaining.overall).toEqual([{ period: 'daily', limitCents: 10_000, remainingCents: 3_000 }]);
      expect(found).toMatchObject({
        limits: [{ rule: { period: 'daily' }, from: 10_000, to: 11_550, remainingCents: 3_000 }],
      });
      await client.putSpendRules(
        AcctId,
        applyChanges((await client.getSpendRules(AcctId)).raw, [limitGoal('daily', 11_550)]),
      );
      expect(sandbox.purchase({ AcctId, Amount: 45.5 }).Approved).toBe(true);
    },
  );

  it('reads the names of the rulesets', async () => {
    const ids = new Set(sandbox.accounts().flatMap(({ SpendingRulesetId }) => SpendingRulesetId ?? []));
    const rulesets = await client.listRulesets();

    expect(ids.size).toBeGreaterThan(0);
    for (const rulesetId of ids) expect(rulesets).toContainEqual({ rulesetId, name: expect.any(String) });
  });
});

describe('details', () => {
  it('lists every account with holder and card', async () => {
    // Before: an order of another test may make an account at any moment.
    const known = sandbox.accounts();
    const { accounts } = await client.listAccounts();

    expect(
      accounts
        .slice(0, known.length)
        .map(({ acctId, firstName, lastName, customId }) => [acctId, firstName, lastName, customId]),
    ).toEqual(known.map(({ AcctId, FirstName, LastName, CustomId }) => [AcctId, FirstName, LastName, CustomId]));
  });

  it('reads one account', async () => {
    const { AcctId, CardList } = pick('BLOCKED');
    const cards = CardList.map(({ CardId, Last4CardNumber }) => ({
      cardId: CardId,
      last4: Last4CardNumber,
      status: 'BLOCKED',
    }));

    expect(await client.getAccount(AcctId)).toMatchObject({ acctId: AcctId, accountStatus: 'OPEN', cards });
  });

  it('finds network transactions that a webhook should have reported', async () => {
    const { AcctId } = pick('ACTIVE');
    const { NetworkTransactionId } = sandbox.purchase({ AcctId, Amount: 12.34 });

    const all = await client.listNetworkTransactions(lastDays());
    const own = await client.listAccountNetworkTransactions(AcctId, lastDays());

    expect(all).toContainEqual(expect.objectContaining({ NetworkTransactionId, AcctId, NetworkType: 'Auth' }));
    expect(own).toEqual(all.filter((row) => row.AcctId === AcctId));
  });
});

describe('a failing service', () => {
  it('does not activate twice if the response is lost after the activation', async () => {
    const { AcctId, cardId } = pick('INACTIVE');
    sandbox.faults.add({ path: /Activate/, kind: 'hang_up_after_effect' });

    expect(await refusalOf(client.activateCard(AcctId, cardId))).toEqual(['unavailable', 'unknown', null, null]);

    expect(statusOf(AcctId)).toBe('ACTIVE');
    expect(sandbox.calls.filter(({ path }) => path.includes(`Activate/${AcctId}`))).toHaveLength(1);
  });

  it.each([
    ['hang_up_after_effect', 'unknown', 'BLOCKED'],
    ['hang_after_effect', 'unknown', 'BLOCKED'],
    ['http_502_html', 'unknown', 'ACTIVE'],
    ['rate_limited', 'refused', 'ACTIVE'],
  ] as const)('sends a block once, with the outcome after %s being %s', async (kind, outcome, status) => {
    const { AcctId } = pick('ACTIVE');
    sandbox.faults.add({ path: /Card\/Status/, kind });

    const hangs = kind === 'hang_after_effect';
    if (hangs) vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });

    const refused = refusalOf(client.setCardStatus(AcctId, 'BLOCKED'));
    if (hangs) {
      await expect.poll(() => statusOf(AcctId), { timeout: 30_000 }).toBe(status);
      vi.advanceTimersByTime(TIMEOUT_MS);
      vi.useRealTimers();
    }

    expect(await refused).toContain(outcome);
    expect(sandbox.calls.filter(({ path }) => path.includes(`Card/Status/${AcctId}`))).toHaveLength(1);
    expect(statusOf(AcctId)).toBe(status);
  });

  it('distinguishes a dead token from a refusal', async () => {
    const { AcctId } = pick('BLOCKED');
    sandbox.faults.add({ path: /Card\/Status/, kind: 'token_expired' });

    expect(await refusalOf(client.setCardStatus(AcctId, 'ACTIVE'))).toEqual([
      'token_dead',
      'refused',
      expect.any(Number),
      expect.stringMatching(/token/i),
    ]);
    expect(statusOf(AcctId)).toBe('BLOCKED');
  });
});

it('fills a directory that finds every holder and every card', async () => {
  const connection = new Redis(redis.url);
  const directory = createDirectory({
    redis: connection,
    loader: client,
    now: () => new Date(),
    apiQuota: { detailsBurst: 200 },
  });

  await directory.refresh();
  await directory.idle();

  expect((await directory.status()).lackingDetails).toBe(0);
  for (const { AcctId, FirstName, LastName, CardList } of sandbox.accounts()) {
    const acctId = expect.objectContaining({ acctId: AcctId });
    expect(await directory.find(`${FirstName} ${LastName}`)).toContainEqual(acctId);
    for (const card of CardList) expect(await directory.find(card.Last4CardNumber)).toContainEqual(acctId);
  }
  await directory.stop();
  connection.disconnect();
});

it('none of these calls used a removed or unknown endpoint', () => {
  expect(sandbox.calls.length).toBeGreaterThan(50);
  expect(callsOutside(sandbox.calls)).toEqual([]);
  expect(callsOutside([{ ...sandbox.calls[0]!, method: 'POST', path: '/v4/Card/Create' }])).toEqual([
    'POST /Card/Create',
  ]);
  expect(callsOutside([{ ...sandbox.calls[0]!, path: '/v4/Card/Invented' }])).toHaveLength(1);
});
