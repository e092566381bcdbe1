import { spawnSync } from 'node:child_process';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type LocalRedis, startRedis } from '../../local/redis.ts';
import { FORMAT } from '../../src/app/stored-format.ts';
import { stateKey } from '../../src/core/keys.ts';
import { startChild } from '../support/child-process.ts';
import { peopleEnv, secrets } from '../support/people.ts';

let redis: LocalRedis;
let store: Redis;

beforeAll(async () => {
  redis = await startRedis();
  store = new Redis(redis.url);
});
afterAll(async () => {
  store.disconnect();
  await redis.stop();
});

const env = () => ({
  REDIS_URL: redis.url,
  SLACK_BOT_TOKEN: secrets.botToken,
  SLACK_API_URL: 'http://127.0.0.1:1/api/',
  SLACK_SIGNING_SECRET: secrets.signingSecret,
  WEBHOOK_SHARED_SECRET: secrets.sharedSecret,
  PORT: '0',
  CARD_API_URL: 'http://127.0.0.1:1/v4',
  CARD_API_TOKEN: secrets.apiToken,
  ...peopleEnv,
});

it.each(['web', 'worker', 'start'] as const)(
  '%s exits with 78 where a newer Cardbell has been, and changes nothing',
  async (name) => {
    await store.flushall();
    await store.set(stateKey('format'), FORMAT + 1);

    const { code } = await startChild(name, env()).exit;

    expect(code).toBe(78);
    expect(await store.keys('*')).toEqual([stateKey('format')]);
  },
);

it.each([
  ['replay', 'run', 'all'],
  ['recover', '--since', '2h'],
  ['audit', 'export', '--csv'],
  ['policy', 'replay'],
  ['backup', '/nowhere/cardbell.backup'],
  ['restore', '/nowhere/cardbell.backup'],
])(
  'cardbell %s exits with 78, says why and changes nothing if a newer Cardbell has used this Redis',
  async (...verb) => {
    await store.flushall();
    await store.set(stateKey('format'), FORMAT + 1);

    const given = { PATH: process.env.PATH ?? '', ...env() };
    const { status, stdout, stderr } = spawnSync(process.execPath, ['dist/bin/cardbell.js', ...verb], {
      env: given,
      encoding: 'utf8',
    });

    expect({ status, stdout }).toEqual({ status: 78, stdout: '' });
    expect(stderr).toMatch(/a newer Cardbell wrote format \d+/);
    expect(await store.keys('*')).toEqual([stateKey('format')]);
  },
);
