import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listen } from '../../local/port.ts';
import type { Sandbox, SandboxOptions } from '../../sandbox/server.ts';
import { DATA_SCHEMAS, Envelope } from '../../sandbox/webhook/schema.ts';
import { callApi, type Receiver, startReceiver, until, useSandboxes } from './running-sandbox.ts';

const sandboxes = useSandboxes();
let receiver: Receiver;

beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

/** A floor for the scaled timeout, so that a busy machine does not hit it. Only the timeout test does without. */
const patient = { timeoutFloorMs: 5000 };
const address = { AddressLine1: '1 Harbor Lane', City: 'Albany', State: 'NY', PostalCode: '12207' };
const orderedCard = {
  FirstName: 'Ordered',
  LastName: 'Card',
  Phone: '2025550101',
  ShippingPhone: '2025550101',
  ShippingMethod: 0,
  DateOfBirth: '02-29-1988',
  Email: 'ordered@example.com',
  ProfileAddress: address,
};
const start = (options: Partial<SandboxOptions> = {}): Promise<Sandbox> =>
  sandboxes.start({ webhooks: receiver.url, seed: 'small', assumptions: patient, ...options });
const first = (sandbox: Sandbox): number => sandbox.accounts()[0]!.AcctId;

describe('delivery of webhooks', () => {
  it('carries the headers of the specification and the bare shared secret as the Basic credential', async () => {
    const sandbox = await start();

    sandbox.purchase({ AcctId: first(sandbox), Amount: 12.34 });
    await until(() => receiver.received.length === 1, 'a webhook');

    const { path, headers } = receiver.received[0]!;
    expect(path).toBe('/hooks/authorization');
    expect(headers).toMatchObject({
      authorization: `Basic ${Buffer.from('S3CRET').toString('base64')}`,
      connection: 'Keep-Alive',
      'content-type': 'application/json; charset=utf-8',
      expect: '100-continue',
      'x-service-version': '2.0.1.3',
    });
    expect(headers['request-context']).toMatch(/^appId=./);
    expect(headers['request-id']).toMatch(/./);
    expect(Number(headers['content-length'])).toBeGreaterThan(0);
  });

  it('holds the body until 100 Continue, if it comes in time', async () => {
    const seen: string[] = [];
    let sawEarlyBody = false;
    const raw = createServer((socket) => {
      let text = '';
      let continued = false;
      socket.on('data', (chunk) => {
        text += chunk.toString();
        const [head, body = ''] = text.split('\r\n\r\n');
        if (!continued) {
          sawEarlyBody ||= body !== '';
          seen.push(head ?? '');
          setTimeout(() => {
            continued = true;
            socket.write('HTTP/1.1 100 Continue\r\n\r\n');
          }, 100);
        } else if (body.endsWith('}}')) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      });
    });
    const port = await listen(raw);
    const sandbox = await start({ webhooks: `http://127.0.0.1:${port}` });

    sandbox.purchase({ AcctId: first(sandbox), Amount: 1 });
    await until(() => sandbox.deliveries.length === 1, 'an attempt');

    expect(sawEarlyBody).toBe(false);
    expect(seen).toHaveLength(1);
    expect(sandbox.deliveries[0]?.status).toBe(200);
    raw.close();
  });

  it.each([
    [1, 1000],
    [2, 500],
  ])(
    'at time scale %i sends the body after %i ms to a receiver that never answers 100 Continue',
    async (timeScale, ms) => {
      const bodies: string[] = [];
      const silent = createServer((socket) => {
        let text = '';
        socket.on('data', (chunk) => {
          text += chunk.toString();
          const [, body = ''] = text.split('\r\n\r\n');
          if (!body.endsWith('}}')) return;
          bodies.push(body);
          socket.end('HTTP/1.0 200 OK\r\n\r\n');
        });
      });
      const port = await listen(silent);
      const sandbox = await start({ webhooks: `http://127.0.0.1:${port}`, timeScale });

      sandbox.purchase({ AcctId: first(sandbox), Amount: 1 });
      await until(() => sandbox.deliveries.length === 1, 'an attempt');

      expect(sandbox.deliveries[0]).toMatchObject({ status: 200, rawBody: bodies[0] });
      expect(sandbox.deliveries[0]?.durationMs).toBeGreaterThanOrEqual(ms - 5);
      silent.close();
    },
  );

  it('counts a webhook that cannot be sent as a failed attempt, and sends the next ones of the account', async () => {
    const sandbox = await start({ timeScale: 1000, webhookUrls: { authorization: 'ftp://127.0.0.1/nobody' } });

    sandbox.purchase({ AcctId: first(sandbox), Amount: 1 });
    sandbox.purchase({ AcctId: first(sandbox), Amount: 90_000 });
    await until(() => receiver.received.length === 1 && sandbox.pendingWebhooks() === 0, 'both webhooks');

    const tried = sandbox.deliveries.filter(({ kind }) => kind === 'authorization');
    expect(tried.map(({ status, error, dropped }) => [status, error, dropped])).toEqual([
      ...Array.from({ length: 5 }, () => [null, 'ERR_INVALID_PROTOCOL', false]),
      [null, 'ERR_INVALID_PROTOCOL', true],
    ]);
  });

  it('makes an ordered card, and serves the other receivers, while one receiver hangs', async () => {
    const sandbox = await start({
      webhookUrls: { authorization: `${receiver.url}/hangs` },
      assumptions: { timeoutFloorMs: 600_000 },
    });
    receiver.answer = ({ path }, response) => void (path.endsWith('/hangs') || response.writeHead(200).end());
    const active = sandbox.accounts().filter(({ CardList }) => CardList[0]?.CardStatus === 'ACTIVE');
    const isOrdered = () => receiver.received.some(({ body }) => body.Data.FirstName === 'Ordered');

    for (let count = 0; count < 150; count += 1)
      sandbox.purchase({ AcctId: active[count % active.length]!.AcctId, Amount: 0.01 });
    await until(() => receiver.received.length > 0, 'a hanging webhook');
    const placed = await callApi(sandbox, 'POST', '/Card/CreateAsync', { Cards: [orderedCard] });

    expect(placed.status).toBe(201);
    await until(isOrdered, 'the status of the new card', 60_000);
  });

  it('refuses a URL for the data of a card that is on the registered host, but neither http nor https', async () => {
    const sandbox = await start({ seed: 'standard' });
    const { AcctId } = sandbox.accounts().find(({ IsVirtual }) => IsVirtual)!;
    const asking = (scheme: string) => {
      const CardDataWebhookURL = receiver.url.replace('http:', scheme);
      return callApi(sandbox, 'POST', '/VirtualCard/Data', { AcctId, CardDataWebhookURL });
    };

    expect((await asking('ftp:')).status).toBe(400);
    expect((await asking('http:')).status).toBe(200);
  });

  it('retries after 15, 30, 60, 120 and 3600 seconds and then drops the webhook', async () => {
    const timeScale = 600;
    receiver.answer = (_request, response) => void response.writeHead(500).end();
    const sandbox = await start({ timeScale });

    sandbox.purchase({ AcctId: first(sandbox), Amount: 1 });
    await until(() => sandbox.deliveries.length === 6, 'six attempts', 60_000);
    await new Promise((resolve) => setTimeout(resolve, 200));

    const gaps = receiver.received
      .slice(1)
      .map(({ atMs }, index) => ((atMs - receiver.received[index]!.atMs) * timeScale) / 1000);
    for (const [index, seconds] of [15, 30, 60, 120, 3600].entries()) {
      expect(gaps[index]).toBeGreaterThanOrEqual(seconds - 1);
      // Ten seconds of real time are 6,000 scaled seconds, so that a busy machine does not fail the test.
      expect(gaps[index]).toBeLessThan(seconds + 6000);
    }
    expect(receiver.received).toHaveLength(6);
    expect(new Set(receiver.received.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(sandbox.deliveries.map(({ attempt, dropped }) => [attempt, dropped])).toEqual([
      [1, false],
      [2, false],
      [3, false],
      [4, false],
      [5, false],
      [6, true],
    ]);
    expect(sandbox.pendingWebhooks()).toBe(0);
  });

  it.each([
    [200, 1],
    [201, 1],
    [202, 2],
    [204, 2],
    [301, 2],
    [401, 2],
    [503, 2],
  ])('for the response %i makes %i attempts', async (status, attempts) => {
    receiver.answer = (_request, response) =>
      void response.writeHead(receiver.received.length === 1 ? status : 200).end();
    const sandbox = await start({ timeScale: 1000 });

    sandbox.purchase({ AcctId: first(sandbox), Amount: 1 });
    await until(() => sandbox.pendingWebhooks() === 0, 'delivery');

    expect(sandbox.deliveries.map(({ status: got }) => got)).toEqual(attempts === 1 ? [status] : [status, 200]);
  });

  it('gives a receiver 10 seconds, or 20 if so set, divided by the time scale', async () => {
    receiver.answer = () => {};
    const patiently = await start({ timeScale: 1, timeoutSeconds: 20, assumptions: {} });
    patiently.purchase({ AcctId: first(patiently), Amount: 1 });

    const [ten, twenty] = await Promise.all(
      ([10, 20] as const).map(async (timeoutSeconds) => {
        const sandbox = await start({ timeScale: 5, timeoutSeconds, assumptions: {} });
        sandbox.purchase({ AcctId: first(sandbox), Amount: 1 });
        await until(() => sandbox.deliveries.length === 1, 'a timeout');
        return sandbox.deliveries[0];
      }),
    );

    for (const delivery of [ten, twenty])
      expect(delivery).toMatchObject({ status: null, error: 'timeout', dropped: false });
    expect(ten?.durationMs).toBeGreaterThanOrEqual(1990);
    expect(ten?.durationMs, 'not twenty').toBeLessThan(3990);
    expect(twenty?.durationMs).toBeGreaterThanOrEqual(3990);
    // Twenty real seconds are not over yet, even on a busy machine.
    expect(patiently.deliveries).toEqual([]);
  });

  it('retries when nothing listens', async () => {
    const sandbox = await start({ timeScale: 1000, webhooks: 'http://127.0.0.1:9/nobody' });

    sandbox.purchase({ AcctId: first(sandbox), Amount: 1 });
    await until(() => sandbox.deliveries.length >= 2, 'a second attempt');

    expect(sandbox.deliveries[0]).toMatchObject({ status: null, error: 'ECONNREFUSED' });
  });

  it('stores webhooks in an outage and releases them all', async () => {
    const sandbox = await start();
    expect(sandbox.outage(true)).toBe(0);
    for (const Amount of [1, 2, 3]) sandbox.purchase({ AcctId: first(sandbox), Amount });
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(receiver.received).toHaveLength(0);

    expect(sandbox.outage(false)).toBe(3);
    await until(() => receiver.received.length === 3, 'the stored webhooks');

    expect(receiver.received.map(({ body }) => body.Data.TransactionAmount)).toEqual(
      expect.arrayContaining([-1, -2, -3]),
    );
    expect(sandbox.deliveries.every(({ attempt }) => attempt === 1)).toBe(true);
  });

  it('delays a retry that is due during an outage until the service resumes', async () => {
    const sandbox = await start({ timeScale: 500 });
    receiver.answer = (_request, response) => {
      const isFirst = receiver.received.length === 1;
      // Before the answer: a busy machine may be late to see the first attempt, and then the retry would be due.
      if (isFirst) sandbox.outage(true);
      response.writeHead(isFirst ? 500 : 200).end();
    };
    sandbox.purchase({ AcctId: first(sandbox), Amount: 1 });
    await until(() => sandbox.deliveries.length === 1, 'the first attempt');

    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(receiver.received).toHaveLength(1);
    expect(sandbox.outage(false)).toBe(1);
    await until(() => sandbox.pendingWebhooks() === 0, 'the retry');

    expect(sandbox.deliveries.map(({ attempt, status }) => [attempt, status])).toEqual([
      [1, 500],
      [2, 200],
    ]);
  });

  it('sends duplicates and changes the order on demand', async () => {
    const sandbox = await start();
    sandbox.misbehave({ copies: 2 });
    sandbox.purchase({ AcctId: first(sandbox), Amount: 1 });
    await until(() => receiver.received.length === 2, 'two copies');
    expect(receiver.received[0]!.body).toEqual(receiver.received[1]!.body);

    sandbox.misbehave({ copies: 1, reorder: 3 });
    for (const Amount of [10, 11, 12]) sandbox.purchase({ AcctId: first(sandbox), Amount });
    await until(() => receiver.received.length === 5, 'the batch');
    expect(receiver.received.slice(2).map(({ body }) => body.Data.TransactionAmount)).toEqual([-12, -11, -10]);

    sandbox.misbehave({ reorder: 1 });
    expect(sandbox.repeatWebhook('authorization')).toBe(true);
    await until(() => receiver.received.length === 6, 'the repetition');
    expect(receiver.received[5]!.body).toEqual(receiver.received[2]!.body);
  });

  it.each([
    ['to a slow receiver', false],
    ['after an outage that began while they were on their way', true],
  ])('sends ACTIVE before BLOCKED, even %s', async (_where, isOut) => {
    receiver.answer = (_request, response) =>
      void setTimeout(() => response.writeHead(200).end(), receiver.received.length === 1 ? 150 : 0);
    const sandbox = await start();
    const inactive = sandbox.accounts().find(({ CardList }) => CardList[0]?.CardStatus === 'INACTIVE')!;

    sandbox.setStatus({ AcctId: inactive.AcctId, CardStatus: 'BLOCKED' });
    if (isOut) {
      expect(sandbox.outage(true)).toBe(2);
      await new Promise((resolve) => setTimeout(resolve, 150));
      expect(sandbox.outage(false), 'the second waits behind the first').toBe(2);
    }
    await until(() => sandbox.deliveries.length === 2, 'two webhooks');

    expect(receiver.received.map(({ body }) => body.Data.CardList[0].CardStatus)).toEqual(['ACTIVE', 'BLOCKED']);
    // The second is sent only after the response to the first.
    expect((receiver.received[1]?.atMs ?? 0) - (receiver.received[0]?.atMs ?? 0)).toBeGreaterThan(140);
  });

  it.each([
    ['2.0.1.3', -1],
    ['2.0.1.2', 1],
    ['2.0.1.10', -1],
    ['2.1', -1],
    ['2.0', 1],
  ])('in version %s uses the sign of that version (debits %i)', async (webhookVersion, sign) => {
    const sandbox = await start({ webhookVersion });
    const AcctId = first(sandbox);

    const { NetworkTransactionId } = sandbox.purchase({ AcctId, Amount: 5 });
    sandbox.settle({ NetworkTransactionId });
    sandbox.refund({ NetworkTransactionId, Amount: 2 });
    sandbox.reverse(sandbox.purchase({ AcctId, Amount: 6, Pin: 'correct' }));
    sandbox.purchase({ AcctId, Amount: 90_000 });
    await until(() => receiver.received.length === 6, 'six webhooks');

    const amounts = receiver.received.map(({ path, headers, body }) => [
      path,
      headers['x-service-version'],
      body.Data.TransactionAmount,
    ]);
    expect(new Set(amounts.map((each) => each.join(' ')))).toEqual(
      new Set([
        `/hooks/authorization ${webhookVersion} ${5 * sign}`,
        `/hooks/settlement ${webhookVersion} ${5 * sign}`,
        `/hooks/settlement ${webhookVersion} ${-2 * sign}`,
        `/hooks/pin ${webhookVersion} ${6 * sign}`,
        `/hooks/reversal ${webhookVersion} ${-6 * sign}`,
        `/hooks/decline ${webhookVersion} ${90_000 * sign}`,
      ]),
    );
  });

  it('sends every kind with exactly the fields of the specification', async () => {
    const sandbox = await start();
    const AcctId = first(sandbox);
    const { NetworkTransactionId } = sandbox.purchase({ AcctId, Amount: 5 });
    sandbox.settle({ NetworkTransactionId });
    sandbox.reverse(sandbox.purchase({ AcctId, Amount: 6, Pin: 'correct' }));
    sandbox.purchase({ AcctId, Amount: 90_000 });
    sandbox.ship(sandbox.createOrder({ FirstName: 'New', LastName: 'Holder' }));
    sandbox.createOrder({ FirstName: 'Virtual', LastName: 'Card', VirtualCard: true, FundCardAmount: 50 });
    await until(
      () => new Set(receiver.received.map(({ path }) => path)).size === 8 && sandbox.pendingWebhooks() === 0,
      'all eight kinds',
    );

    for (const { path, body } of receiver.received) {
      const kind = path.split('/').at(-1) as keyof typeof DATA_SCHEMAS;
      expect(Envelope.safeParse(body).error).toBeUndefined();
      expect(DATA_SCHEMAS[kind].safeParse(body.Data).error, kind).toBeUndefined();
    }
  });

  it.each([
    [false, ['reversal', 'settlement', 'pin', 'decline']],
    [true, ['authorization', 'reversal', 'settlement', 'pin', 'decline']],
  ])(
    'states the amount the merchant requested in authorizations: %s',
    async (requestedAmountOfAuthorizations, expected) => {
      const sandbox = await start({ assumptions: { requestedAmountOfAuthorizations } });
      const AcctId = first(sandbox);
      sandbox.settle(sandbox.purchase({ AcctId, Amount: 5 }));
      sandbox.reverse(sandbox.purchase({ AcctId, Amount: 6, Pin: 'correct' }));
      sandbox.purchase({ AcctId, Amount: 90_000 });
      await until(() => receiver.received.length === 5 && sandbox.pendingWebhooks() === 0, 'all five webhooks');

      const saying = receiver.received.filter(({ body }) => 'MerchantRequestedAmount' in body.Data);
      const kinds = new Set(saying.map(({ path }) => path.split('/').at(-1) ?? ''));
      expect([...kinds].toSorted()).toEqual(expected.toSorted());
    },
  );

  it('sends no webhook of a kind without a URL', async () => {
    const sandbox = await sandboxes.start({ seed: 'small', webhookUrls: { decline: `${receiver.url}/only-declines` } });

    sandbox.purchase({ AcctId: first(sandbox), Amount: 1 });
    sandbox.purchase({ AcctId: first(sandbox), Amount: 90_000 });
    await until(() => sandbox.pendingWebhooks() === 0 && sandbox.deliveries.length > 0, 'delivery');

    expect(receiver.received.map(({ path }) => path)).toEqual(['/hooks/only-declines']);
    expect(sandbox.deliveries).toHaveLength(1);
  });

  it('keeps bodies out of Redis', async () => {
    receiver.answer = (_request, response) => void response.writeHead(500).end();
    const sandbox = await start();
    sandbox.createOrder({ FirstName: 'Virtual', LastName: 'Card', VirtualCard: true });
    await until(() => sandbox.deliveries.some(({ kind }) => kind === 'virtual-card'), 'the first attempt');

    const { CardNumber } = receiver.received.find(({ path }) => path.endsWith('virtual-card'))!.body.Data as {
      CardNumber: string;
    };
    const dump = await dumpRedis(sandboxes.redisUrl());

    expect(CardNumber).toMatch(/^\d{16}$/);
    expect(dump).toContain('webhook-');
    expect(dump).not.toContain(CardNumber);
  });
});

/** The complete contents of a Redis as text. */
async function dumpRedis(url: string): Promise<string> {
  const { Redis } = await import('ioredis');
  const redis = new Redis(url);
  const parts: string[] = [];
  for (const key of await redis.keys('*')) {
    const type = await redis.type(key);
    if (type === 'hash') parts.push(key, JSON.stringify(await redis.hgetall(key)));
    else parts.push(key);
  }
  await redis.quit();
  return parts.join('\n');
}
