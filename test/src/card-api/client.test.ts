import { afterEach, beforeEach, expect, it } from 'vitest';
import { parseAssumptions } from '../../../src/card-api/assumptions.ts';
import { type FakeApi, startFakeApi } from './fake-api.ts';

let api: FakeApi;

beforeEach(async () => {
  api = await startFakeApi();
});
afterEach(async () => {
  await api.close();
});

it('never includes an invalid token, which is rejected without naming it', () => {
  expect(() => api.client({ token: 'line\nbreak' })).toThrow(/^(?![\s\S]*break)[\s\S]*CARD_API_TOKEN/);
});

it('the path and body of a call can be overridden', async () => {
  const assumptions = parseAssumptions('{"setCardStatusPaths":["/Cards/{acctId}/State"],"blockedBody":{"Status":2}}');

  await api.client({ assumptions }).setCardStatus(5, 'BLOCKED');

  expect(api.received[0]).toMatchObject({
    method: 'PUT',
    path: '/v4/Cards/5/State',
    text: '{"Status":2}',
    contentType: 'application/json',
  });
});
