import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { DataFileError } from '../../sandbox/data-file.ts';
import type { Sandbox } from '../../sandbox/server.ts';
import { assertFitsSchema } from './fits-document.ts';
import { callApi, simulate, startReceiver, until, useSandboxes } from './running-sandbox.ts';

const sandboxes = useSandboxes();

describe('faults', () => {
  const path = /Card\/Status/i;
  const block = async (sandbox: Awaited<ReturnType<typeof sandboxes.start>>, hangs = false) => {
    const { AcctId } = sandbox.accounts()[0]!;
    const call = callApi(sandbox, 'PUT', `/Card/Status/${AcctId}`, { Status: 'Blocked' }).catch(() => 'cut' as const);
    const given = new Promise<'hangs'>((resolve) => void setTimeout(() => resolve('hangs'), 1500));
    // Only where no answer is expected: on a busy machine, an answer may take longer.
    const answer = await (hangs ? Promise.race([call, given]) : call);
    return {
      answer: typeof answer === 'string' ? answer : answer.status,
      status: sandbox.accounts()[0]!.CardList[0]!.CardStatus,
    };
  };

  it.each([
    ['http_500', 500, 'ACTIVE'],
    ['http_502_html', 502, 'ACTIVE'],
    ['rate_limited', 429, 'ACTIVE'],
    ['token_expired', 401, 'ACTIVE'],
    ['hang', 'hangs', 'ACTIVE'],
    ['hang_after_effect', 'hangs', 'BLOCKED'],
    ['hang_up', 'cut', 'ACTIVE'],
    ['hang_up_after_effect', 'cut', 'BLOCKED'],
  ] as const)('%s: answers %s once and leaves the card %s', async (kind, answer, status) => {
    const sandbox = await sandboxes.start({ seed: 'small' });
    sandbox.faults.add({ method: 'PUT', path, kind });

    expect(await block(sandbox, answer === 'hangs')).toEqual({ answer, status });
    expect(await block(sandbox)).toEqual({ answer: 200, status: 'BLOCKED' });
  });

  it('apply as often as set, only to their method and path, until cleared', async () => {
    const sandbox = await sandboxes.start({ seed: 'small' });
    sandbox.faults.add({ path: /^\/Details\/AccountDetails$/, kind: 'http_500', times: 2 });
    sandbox.faults.add({ path: /Ping/i, kind: 'http_500', times: Number.POSITIVE_INFINITY });
    const list = async () => (await callApi(sandbox, 'GET', '/Details/AccountDetails')).status;
    const ping = async () => (await callApi(sandbox, 'GET', '/ping')).status;

    expect([await list(), await list(), await list()]).toEqual([500, 500, 200]);
    expect([await ping(), await ping()]).toEqual([500, 500]);
    sandbox.faults.clear();
    expect(await ping()).toBe(200);
  });

  it('can be a hang that ends with a late response, and a rate limit with a wait', async () => {
    const sandbox = await sandboxes.start({ seed: 'small' });
    sandbox.faults.add({ path: /ping/, kind: 'hang', ms: 80 });
    sandbox.faults.add({ path: /ping/, kind: 'rate_limited', retryAfterSeconds: 7 });

    const began = performance.now();
    expect((await callApi(sandbox, 'GET', '/ping')).status).toBe(200);
    expect(performance.now() - began).toBeGreaterThan(75);
    const limited = await callApi(sandbox, 'GET', '/ping');
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '7']);
  });
});

describe('a data file', () => {
  it.each(['{}', '[]', 'null', '{"accounts":[1]}', 'not JSON'])('that holds %s is refused', async (content) => {
    const folder = await mkdtemp(join(tmpdir(), 'sandbox-'));
    const dataFile = join(folder, 'state.json');
    await writeFile(dataFile, content);

    await expect(sandboxes.start({ dataFile })).rejects.toThrow(DataFileError);
    await rm(folder, { recursive: true });
  });
});

describe('rate limits', () => {
  it('are off by default', async () => {
    const sandbox = await sandboxes.start({ seed: 'small' });

    for (let call = 0; call < 12; call += 1)
      expect((await callApi(sandbox, 'GET', '/Details/AccountDetails')).status).toBe(200);
  });

  it("refuse the eleventh list of accounts within an hour in the service's form without Retry-After", async () => {
    const sandbox = await sandboxes.start({ seed: 'small', rateLimits: true });
    const id = sandbox.accounts()[0]!.AcctId;

    const statuses: number[] = [];
    for (let call = 0; call < 11; call += 1)
      statuses.push((await callApi(sandbox, 'GET', '/Details/AccountDetails')).status);
    const last = await callApi(sandbox, 'GET', '/details/accountdetails');

    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429]);
    expect(last.body).toEqual({ Message: 'Usage limits exceeded' });
    expect(last.headers.get('retry-after')).toBeNull();
    expect((await callApi(sandbox, 'GET', `/Details/AccountDetails/${id}`)).status).toBe(200);
  });

  it('refuse the 121st call of a minute', async () => {
    const sandbox = await sandboxes.start({ seed: 'small', rateLimits: true });
    const id = sandbox.accounts()[0]!.AcctId;
    const call = async () => (await callApi(sandbox, 'GET', `/Card/Profile/${id}`)).status;

    const statuses = await Promise.all(Array.from({ length: 121 }, call));
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
  });
});

describe('the simulation routes', () => {
  let refusing: Sandbox;
  beforeAll(async () => {
    refusing = await sandboxes.start({ seed: 'small' });
  });
  it.each([
    ['purchase', {}],
    ['purchase', { AcctId: 610_001, Amount: -5 }],
    ['purchase', { AcctId: 610_001, Amount: 0 }],
    ['purchase', { AcctId: 610_001, Amount: 1.001 }],
    ['purchase', { AcctId: 610_001, Amount: 1e-9 }],
    ['purchase', { AcctId: 610_001, Amount: 1.000000001 }],
    ['purchase', { AcctId: 610_001, Amount: '5' }],
    ['purchase', { AcctId: 610_001, Amount: 10_000_000_000 }],
    ['purchase', { AcctId: 610_001, Amount: 1e300 }],
    ['purchase', { AcctId: 1, Amount: 5 }],
    ['purchase', { AcctId: 610_001, Amount: 5, MCCCode: '12' }],
    ['purchase', { AcctId: 610_001, Amount: 5, Pin: 'maybe' }],
    ['purchase', { AcctId: 610_001, Amount: 5, Typo: 1 }],
    ['purchase', 'not json'],
    ['purchase', ''],
    ['settle', { NetworkTransactionId: 1 }],
    ['reverse', { NetworkTransactionId: 'x' }],
    ['refund', {}],
    ['ship', { CardOrderId: 1 }],
    ['status', { AcctId: 610_001, CardStatus: 'SLEEPING' }],
    ['status', { AcctId: 610_001, CardStatus: 'INACTIVE' }],
    ['status', { AcctId: 1, CardStatus: 'BLOCKED' }],
    ['outage', { on: 'yes' }],
  ])('refuse %s with %j with 400 and a message', async (name, body) => {
    const answer = await simulate(refusing, name, body);

    expect(answer).toMatchObject({ status: 400, body: { Message: expect.stringMatching(/./) } });
  });

  it('answer in the documented shapes', async () => {
    const sandbox = await sandboxes.start({ seed: 'small' });
    const { AcctId } = sandbox.accounts()[0]!;

    const bought = await simulate(sandbox, 'purchase', { AcctId, Amount: 10 });
    const { NetworkTransactionId } = bought.body;
    expect(bought).toMatchObject({
      status: 200,
      body: { Approved: true, MessageCode: null, Message: null, NetworkTransactionId: expect.any(Number) },
    });
    expect((await simulate(sandbox, 'settle', { NetworkTransactionId, Amount: 11 })).body).toEqual({
      NetworkTransactionId,
    });
    expect((await simulate(sandbox, 'refund', { NetworkTransactionId, Amount: 4 })).body).toEqual({
      NetworkTransactionId: expect.any(Number),
    });
    const pin = await simulate(sandbox, 'pin', { AcctId, Amount: 3 });
    expect((await simulate(sandbox, 'reverse', { NetworkTransactionId: pin.body.NetworkTransactionId })).body).toEqual({
      NetworkTransactionId: pin.body.NetworkTransactionId,
    });
    const order = sandbox.createOrder({ FirstName: 'New', LastName: 'Holder' });
    expect((await simulate(sandbox, 'ship', { CardOrderId: order.CardOrderId })).body).toEqual({
      TrackingNumber: expect.stringMatching(/^\d{22}$/),
    });
    expect((await simulate(sandbox, 'status', { AcctId, CardStatus: 'BLOCKED' })).body).toEqual({});
    expect((await simulate(sandbox, 'outage', { on: true })).body).toEqual({ stored: 0 });
    expect((await simulate(sandbox, 'outage', { on: false })).body).toEqual({ stored: 0 });
    expect((await simulate(sandbox, 'nothing', {})).status).toBe(404);
  });

  it('activate a card some time later', async () => {
    const sandbox = await sandboxes.start({ seed: 'small', timeScale: 100 });
    const { AcctId } = sandbox.accounts().find(({ CardList }) => CardList[0]?.CardStatus === 'INACTIVE')!;
    const status = () => sandbox.accounts().find((account) => account.AcctId === AcctId)!.CardList[0]!.CardStatus;

    await simulate(sandbox, 'activate-later', { AcctId, Seconds: 20 });
    expect(status()).toBe('INACTIVE');

    await until(() => status() === 'ACTIVE', 'the activation');
  });
});

describe('state in a file', () => {
  it('survives the sandbox, and is written only on request', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'cardbell-sandbox-'));
    const dataFile = join(folder, 'state.json');
    const before = await sandboxes.start({ seed: 'small', dataFile });
    const { AcctId } = before.accounts()[0]!;
    const { NetworkTransactionId } = before.purchase({ AcctId, Amount: 40 });
    await before.stop();

    const after = await sandboxes.start({ seed: 'standard', dataFile });
    expect(after.accounts()).toEqual(before.accounts());
    after.settle({ NetworkTransactionId });
    await until(() => after.accounts()[0]!.LedgerBalance === 1210, 'the settlement');
    await after.stop();

    expect(JSON.parse(await readFile(dataFile, 'utf8')).accounts[0].ledgerCents).toBe(121_000);
    await rm(folder, { recursive: true });
  });
});

describe('the story', () => {
  it('covers every decline code and every kind of webhook, each in its schema, and can be stopped', async () => {
    const receiver = await startReceiver();
    const sandbox = await sandboxes.start({ webhooks: receiver.url, timeScale: 10 });
    const texts: string[] = [];

    await sandbox.tellStory({ speed: 1_000_000, onStep: ({ text }) => void texts.push(text) });
    await until(() => sandbox.pendingWebhooks() === 0, 'all webhooks');

    expect(receiver.received.length).toBeGreaterThan(50);
    for (const { path, body } of receiver.received) assertFitsSchema(path.split('/').at(-1) ?? '', body);
    const codes = new Set(receiver.received.map(({ body }) => body.Data.MessageCode).filter(Boolean));
    expect(codes.size).toBe(12);
    expect(new Set(receiver.received.map(({ path }) => path)).size).toBe(8);
    expect(receiver.received.filter(({ path }) => path.endsWith('decline')).length).toBeGreaterThan(40);
    expect(texts.join('\n')).not.toContain('Refused');
    // Three cards at one merchant would raise a card testing warning, which is not part of the story.
    const cardsOf = new Map<string, Set<unknown>>();
    for (const { body } of receiver.received.filter(({ path }) => path.endsWith('decline'))) {
      const merchant = String(body.Data.MerchantName);
      cardsOf.set(merchant, (cardsOf.get(merchant) ?? new Set()).add(body.Data.AcctId));
    }
    expect([...cardsOf].filter(([, cards]) => cards.size > 1).map(([merchant]) => merchant)).toEqual([]);

    const stop = new AbortController();
    const steps: string[] = [];
    const told = sandbox.tellStory({ speed: 1, signal: stop.signal, onStep: ({ text }) => void steps.push(text) });
    setTimeout(() => stop.abort(), 50);
    await told;
    expect(steps).toHaveLength(1);
    await receiver.close();
  });
});
