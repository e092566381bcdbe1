import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { documentAt } from '../../sandbox/api/documents.ts';
import { ROUTES } from '../../sandbox/api/routes.ts';
import { SIMULATE_ROUTES } from '../../sandbox/api/simulate.ts';
import { WEBHOOK_KINDS } from '../../sandbox/webhook/kind.ts';
import { assertFitsDocument, assertFitsSchema } from './fits-document.ts';
import type { Payload } from './payload.ts';
import { callApi, useSandboxes } from './running-sandbox.ts';

const sandboxes = useSandboxes();
const document = (path: string): Payload => JSON.parse(JSON.stringify(documentAt(path)));

describe('/openapi.json', () => {
  it('describes every endpoint, simulation and webhook, and like their schemas needs no token', async () => {
    const sandbox = await sandboxes.start({ seed: 'small' });
    const response = await fetch(new URL('/openapi.json', sandbox.url));
    const body: Payload = await response.json();

    expect(response.status).toBe(200);
    const described = Object.entries<object>(body.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described.sort()).toEqual(
      [
        ...ROUTES.map(({ method, path }) => `${method} /v4${path}`),
        ...Object.keys(SIMULATE_ROUTES).map((name) => `POST /simulate/${name}`),
      ].sort(),
    );
    expect(Object.keys(body.webhooks)).toEqual([...WEBHOOK_KINDS]);
    const schema = await fetch(new URL('/schemas/decline.json', sandbox.url));
    expect([schema.status, await schema.json()]).toEqual([200, document('/schemas/decline.json')]);
  });

  it('states the responses of each endpoint, or that it was removed', () => {
    const silent = ROUTES.filter(
      ({ does, response }) =>
        does === '' || (response === undefined && !/Use|no replacement|not operational/i.test(does)),
    );

    expect(silent).toEqual([]);
  });

  it('states what a request must contain', () => {
    const body = document('/openapi.json');
    const { parameters } = body.paths['/v4/Details/{Id}/NetworkTransactions'].get;

    expect(parameters.map(({ name, in: where, required }: Record<string, unknown>) => [name, where, required])).toEqual(
      [
        ['Id', 'path', true],
        ['StartDate', 'query', true],
        ['EndDate', 'query', true],
      ],
    );
    expect(body.paths['/simulate/purchase'].post.requestBody.content['application/json'].schema.required).toEqual([
      'AcctId',
      'Amount',
    ]);
  });
});

it.each(WEBHOOK_KINDS)('/schemas/%s.json is a JSON Schema', (kind) => {
  const body = document(`/schemas/${kind}.json`);

  expect(new Ajv2020({ validateFormats: false }).validateSchema(body)).toBe(true);
  expect(body.properties.Data.required).toContain(kind === 'virtual-card' ? 'AccountId' : 'AcctId');
});

it('the schema check rejects invalid responses and webhooks', () => {
  expect(() => assertFitsDocument('GET', '/v4/Group', 200, { Groups: [{ Id: 'x', Name: 'Sales' }] })).toThrow(
    /Id must be/,
  );
  expect(() => assertFitsDocument('GET', '/v4/Group', 403, { Error: 'no' })).toThrow(/Message/);
  expect(() => assertFitsSchema('card-shipping', { CallbackTime: 'now', Data: {} })).toThrow(/CallbackTime/);
});

it('every response about every account fits the document', async () => {
  const sandbox = await sandboxes.start();
  const days = 'StartDate=2026-01-01T00:00:00&EndDate=2026-01-31T00:00:00';

  for (const { AcctId } of sandbox.accounts()) {
    for (const path of [
      `/Details/AccountDetails/${AcctId}`,
      `/Details/AccountDetails/${AcctId}/Advanced`,
      `/Details/AccountDetails/${AcctId}/RemainingLimit`,
      `/Details/AccountDetails/${AcctId}/RemainingLimits`,
      `/Details/TransactionDetails/${AcctId}?${days}&IncludePendings=1&IncludeDeclines=1`,
      `/Card/Profile/${AcctId}`,
      `/Card/SpendRules/${AcctId}`,
      `/Card/SpendRules/${AcctId}/Advanced`,
    ])
      expect((await callApi(sandbox, 'GET', path)).status, path).toBe(200);
  }
});
