import { expect, it } from 'vitest';
import { deleteForeign } from '../../../src/app/foreign-variables.ts';

it('each process drops the secrets of the other, says so, and keeps its own', () => {
  const all = {
    CARD_API_TOKEN: 'token-of-the-card-api',
    SLACK_SIGNING_SECRET: 'signing-secret',
    SLACK_APP_TOKEN_FILE: '/run/secrets/app-token',
    WEBHOOK_SHARED_SECRET: 'webhook-secret',
    SLACK_BOT_TOKEN: 'xoxb-1',
  };
  const [web, worker] = [{ ...all }, { ...all }];

  const said = [...deleteForeign('web', web), ...deleteForeign('worker', worker)];

  expect(Object.keys(web)).toEqual([
    'SLACK_SIGNING_SECRET',
    'SLACK_APP_TOKEN_FILE',
    'WEBHOOK_SHARED_SECRET',
    'SLACK_BOT_TOKEN',
  ]);
  expect(Object.keys(worker)).toEqual(['CARD_API_TOKEN', 'SLACK_BOT_TOKEN']);
  expect(said).toHaveLength(4);
  expect(said[0]).toMatch(/^CARD_API_TOKEN: the web process must not have/);
  expect(said.join()).not.toMatch(/token-of|signing-secret|webhook-secret/);
  expect(deleteForeign('web', web)).toEqual([]);
});
