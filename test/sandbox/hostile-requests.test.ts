import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LocalRedis, startRedis } from '../../local/redis.ts';
import { type Sandbox, startSandbox } from '../../sandbox/server.ts';

const token = 'hostile-token-0123';
let redis: LocalRedis;
let sandbox: Sandbox;
beforeAll(async () => {
  redis = await startRedis();
  sandbox = await startSandbox({ token, secret: 'hostile-secret-0123', redisUrl: redis.url });
});
afterAll(async () => {
  await sandbox.stop();
  await redis.stop();
});

/** Sends the path unchanged, because `fetch` would normalize it. */
async function ask(path: string, headers: Record<string, string> = {}, body?: string) {
  const { port } = new URL(sandbox.url);
  return await new Promise<{ status: number; text: string }>((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        path,
        method: body === undefined ? 'GET' : 'POST',
        headers: { 'content-type': 'application/json', authorization: `token ${token}`, ...headers },
      },
      (response) => {
        let text = '';
        response.on('data', (part: Buffer) => {
          text += part.toString();
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

describe('the sandbox answers the hostile request', () => {
  it.each([
    ['//', 404],
    ['//evil.example/v4', 404],
    ['/v4/%zz', 400],
    ['/simulate/%zz', 400],
    ['/simulate/constructor', 404],
    ['/schemas/constructor.json', 404],
    ['/%', 400],
  ])('GET %s with %i, and keeps running', async (path, status) => {
    const { status: answered, text } = await ask(path);

    expect([answered, Object.keys(JSON.parse(text))]).toEqual([status, ['Message']]);
    expect((await ask('/v4/ping')).status).not.toBe(0);
  });

  it.each(['2026-02-30T00:00:00', '2026-04-31T10:00:00', '2025-02-29T00:00:00'])(
    'for a range from %s, a nonexistent day, with 400',
    async (day) => {
      const path = `/v4/Details/TransactionDetails?StartDate=${day}&EndDate=${day}`;

      expect((await ask(path)).status).toBe(400);
      const real = '2026-02-28T00:00:00';
      expect((await ask(`/v4/Details/TransactionDetails?StartDate=${real}&EndDate=${real}`)).status).toBe(200);
    },
  );
});

describe('/simulate', () => {
  it.each([
    ['MerchantName', 'SMITH & SONS '.repeat(10)],
    ['MerchantCountry', 'Mexico'],
  ])('takes any %s', async (field, text) => {
    const body = JSON.stringify({ AcctId: sandbox.accounts()[0]?.AcctId, Amount: 1, [field]: text });

    expect((await ask('/simulate/purchase', {}, body)).status).toBe(200);
  });

  const purchase = (headers: Record<string, string>) => {
    const acctId = sandbox.accounts()[0]?.AcctId;
    return ask('/simulate/purchase', headers, JSON.stringify({ AcctId: acctId, Amount: 1 }));
  };

  it.each([
    ['a page of another site', { origin: 'https://evil.example' }],
    ['a page with an opaque origin', { origin: 'null' }],
    ['a foreign host name', { host: 'evil.example' }],
  ])('is closed to %s', async (_who, headers) => {
    expect((await purchase(headers)).status).toBe(403);
  });

  it.each([
    ['a program', {}],
    ['a page on this machine', { origin: 'http://localhost:4000' }],
  ])('is open to %s', async (_who, headers) => {
    expect((await purchase(headers)).status).toBe(200);
  });
});
