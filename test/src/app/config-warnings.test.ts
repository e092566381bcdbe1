import { expect, it } from 'vitest';
import { workerConfig } from '../../../src/app/config.ts';

const env = {
  SLACK_BOT_TOKEN: 'xoxb-1',
  ALERTS_CHANNEL: 'C0ALERTS',
  CARD_API_URL: 'https://card.example/v4',
  CARD_API_TOKEN: 'api-token-0123456789',
};

it.each([
  ['CARD_API_URL', 'http://card.example/v4'],
  ['SLACK_API_URL', 'http://10.0.0.1/api/'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://collector:4318'],
  ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'http://10.0.0.1:4318/v1/traces'],
  ['REDIS_TLS_INSECURE', 'true'],
  ['REDIS_SENTINEL_PASSWORD', 'sentinel-password'],
  ['REDIS_URL', 'rediss://one:1,redis://two:2'],
])('warns about %s=%s without printing the value', (name, value) => {
  const { warnings } = workerConfig({ ...env, [name]: value });

  expect(warnings).toEqual([expect.stringMatching(new RegExp(`^${name}`))]);
  expect(warnings.join()).not.toContain(value);
});

it.each(['http://127.0.0.1:4010/v4', 'http://localhost:4010/v4', 'http://[::1]:4010/v4', 'https://card.example/v4'])(
  'does not warn about CARD_API_URL=%s',
  (url) => {
    expect(workerConfig({ ...env, CARD_API_URL: url }).warnings).toEqual([]);
  },
);

it('warns about a queue page without an admin port, because nobody can reach it', () => {
  const page = { QUEUE_PAGE_PASSWORD: 'a password of sixteen' };
  expect(workerConfig({ ...env, ...page }).warnings).toEqual([
    expect.stringMatching(/^QUEUE_PAGE_PASSWORD.*ADMIN_PORT/),
  ]);
  expect(workerConfig({ ...env, ...page, ADMIN_PORT: '9464' }).warnings).toEqual([]);
});

it('warns about TLS settings if Redis is reached without TLS', () => {
  const plain = { REDIS_URL: 'redis://redis.example', REDIS_TLS_INSECURE: 'true' };
  expect(workerConfig({ ...env, ...plain }).warnings).toEqual([expect.stringMatching(/^REDIS_TLS_INSECURE.*rediss:/)]);
  expect(workerConfig({ ...env, ...plain, REDIS_URL: 'rediss://redis.example' }).warnings).toEqual([
    expect.stringMatching(/^REDIS_TLS_INSECURE.*impersonate Redis/),
  ]);
});
