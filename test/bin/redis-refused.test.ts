import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type LocalRedis, startRedis } from '../../local/redis.ts';
import { claimFormat, FORMAT, readFormat, readShards } from '../../src/app/stored-format.ts';
import { stateKey, webKeys } from '../../src/core/keys.ts';
import { createWorkers } from '../../src/ops/health.ts';
import { redisUsers } from '../support/redis-users.ts';
import { runCommand } from '../support/run-command.ts';

const users = redisUsers();
let redis: LocalRedis;
let store: Redis;
beforeAll(async () => {
  redis = await startRedis({ extraArgs: users.redisArgs });
  store = new Redis(users.of(redis).url);
});
beforeEach(async () => {
  await store.flushall();
  await claimFormat(store);
  await store.set(stateKey('links'), 'x');
  await store.set(webKeys.since, Date.now());
});
afterAll(async () => {
  store.disconnect();
  await redis.stop();
});

const urls = () => ({
  web: users.webEnv(redis).REDIS_URL,
  worker: users.workerEnv(redis).REDIS_URL,
  nobody: redis.url,
  'the wrong password': users.workerEnv(redis).REDIS_URL.replace('WORKER-PASSWORD', 'ANOTHER'),
});
const others = {
  ALERTS_CHANNEL: 'C0ALERTS',
  SLACK_BOT_TOKEN: 'xoxb-1',
  SLACK_API_URL: 'http://127.0.0.1:1/api/',
  CARD_API_URL: 'http://127.0.0.1:1/v4',
  CARD_API_TOKEN: 'a-token-that-is-long-enough',
};
const folder = mkdtempSync(join(tmpdir(), 'cardbell-refused-'));
const commands = [
  ['audit', 'verify'],
  ['audit', 'export', '--csv'],
  ['policy', 'replay'],
  ['replay', 'list'],
  ['recover', '--since', '2h', '--dry-run'],
  ['backup', join(folder, 'one.backup')],
  ['shards', '2'],
] as const;
const refused =
  "Redis refuses this user or password. Use the worker's REDIS_URL (docs/install/README.md). Nothing was changed.\n";

it.each(['web', 'nobody', 'the wrong password'] as const)(
  'each command with the REDIS_URL of %s changes nothing, and says which one to use',
  async (user) => {
    const before = await store.keys('*');

    for (const [name, ...args] of commands)
      expect(await runCommand(name, args, { ...others, REDIS_URL: urls()[user] }), name).toEqual({
        code: 78,
        out: '',
        err: refused,
      });

    expect(await readFormat(store)).toBe(FORMAT);
    expect(await store.keys('*')).toEqual(before);
    expect(readdirSync(folder)).toEqual([]);
  },
);

it('a command of a program whose keys the user may not use says where these rights are explained', async () => {
  await store.acl('SETUSER', 'only-first', 'on', '>x', '~{cardbell:*', '+@all', '-@admin', '-@dangerous', '+info');
  const REDIS_URL = redis.url.replace('//', '//only-first:x@');
  const ended = await runCommand('replay', ['list'], { ...others, REDIS_URL, PROGRAMS: 'eu', PROGRAM: 'eu' });

  expect(ended).toMatchObject({ code: 78, out: '' });
  expect(ended.err).toContain('docs/programs.md');
  expect(ended.err).toContain('Nothing was changed.');
});

it('the worker’s REDIS_URL is accepted', async () => {
  expect(await runCommand('shards', ['2'], { REDIS_URL: urls().worker })).toMatchObject({ code: 0, err: '' });
  expect(await readShards(store)).toBe(2);
});

it('a command that Redis refuses later says which REDIS_URL to use, in one line', async () => {
  await store.acl('SETUSER', 'no-lists', 'on', '>x', '~*', '+@all', '-lrange');
  const ended = await runCommand('audit', ['verify'], { REDIS_URL: redis.url.replace('//', '//no-lists:x@') });

  expect(ended).toMatchObject({ code: 78, out: '' });
  expect(ended.err).toMatch(/^Redis refuses this user or password\. Use the worker's REDIS_URL[^\n]*\n$/);
});

it.each(['web', 'nobody', 'the wrong password'] as const)(
  'the doctor of the worker says that Redis refuses the REDIS_URL of %s, not that it does not answer',
  async (user) => {
    const { code, out, err } = await runCommand('doctor', [], { ...others, REDIS_URL: urls()[user] });

    expect({ code, err }).toEqual({ code: 1, err: '' });
    expect(out).toMatch(/FIX {3}Redis refuses this user or password\n +→ use the worker's REDIS_URL/);
    expect(out).not.toContain('does not answer → start Redis');
    expect(out).not.toContain('FIX   Redis does not answer');
  },
);

it('the doctor says so, too, of a user who may read everything but write nothing', async () => {
  await store.acl('SETUSER', 'reader', 'on', '>x', '~*', '+@read', '+@connection', '+info', '+time', '+config|get');
  const { out } = await runCommand('doctor', [], { ...others, REDIS_URL: redis.url.replace('//', '//reader:x@') });

  expect(out).toMatch(/FIX {3}Redis refuses this user or password\n/);
});

it('the doctor of web, as the Redis user of web, may read which processes run', async () => {
  await createWorkers(store).beat('one', { isCardApiAway: false });
  // A killed worker, which it removes.
  await store.hset(stateKey('workers'), 'two', JSON.stringify({ atMs: Date.now() - 60_000, isCardApiAway: false }));
  const { CARD_API_URL: _url, CARD_API_TOKEN: _token, ...ofBoth } = others;
  const env = { ...ofBoth, SLACK_SIGNING_SECRET: 'signing-secret', WEBHOOK_SHARED_SECRET: 'shared-secret-of-web' };
  const { code, out } = await runCommand('doctor', [], { ...env, REDIS_URL: urls().web });

  expect(code).toBe(1);
  expect(out).toContain('ok    1 worker on this Redis\n');
  expect(out).toMatch(/FIX {3}no web process uses this Redis: .*\n +→ start it;/);
});
