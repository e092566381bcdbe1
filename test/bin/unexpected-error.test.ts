import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { beforeEach, expect, it } from 'vitest';
import { stateKey, webKeys } from '../../src/core/keys.ts';
import { urlOf, useRedis } from '../support/on-redis.ts';

const redis = useRedis();
beforeEach(async () => void (await redis().set(webKeys.since, Date.now())));

const envOf = async (): Promise<Record<string, string>> => ({
  PATH: process.env.PATH ?? '',
  REDIS_URL: await urlOf(redis()),
});

it('an unexpected error of a command is one line without the values of the Redis command', async () => {
  await redis().set(stateKey('quarantine'), 'not a set');
  const env = await envOf();
  const ended = await new Promise<{ code: unknown; out: string; err: string }>((resolve) => {
    execFile(process.execPath, ['dist/bin/replay.js', 'list'], { env }, (error, out, err) =>
      resolve({ code: error?.code, out, err }),
    );
  });

  expect(ended).toMatchObject({ code: 1, out: '' });
  expect(ended.err).toMatch(/^Unexpected error: ReplyError: WRONGTYPE [^\n]*\n$/);
});

it.each(['recover --since 2h', 'audit export --csv', 'shards 2'])(
  '`%s` ends with 69 and says that Redis accepts no writes, and what to do',
  async (command) => {
    const env = {
      ...(await envOf()),
      ALERTS_CHANNEL: 'C0ALERTS',
      SLACK_BOT_TOKEN: 'xoxb-1',
      SLACK_API_URL: 'http://127.0.0.1:1/api/',
      CARD_API_URL: 'http://127.0.0.1:1/v4',
      CARD_API_TOKEN: 'a-token-that-is-long-enough',
    };
    const [name, ...args] = command.split(' ');
    await redis().config('SET', 'min-replicas-to-write', '1');
    const ended = await new Promise<{ code: unknown; err: string }>((resolve) => {
      execFile(process.execPath, [`dist/bin/${name}.js`, ...args], { env }, (error, _out, err) =>
        resolve({ code: error?.code, err }),
      );
    });
    await redis().config('SET', 'min-replicas-to-write', '0');

    expect(ended.code).toBe(69);
    expect(ended.err).toMatch(/Redis refuses to run commands \(NOREPLICAS\): .* The doctor says which\./);
    expect(ended.err).not.toMatch(/script|Unexpected/);
  },
);

it('a command whose output nobody reads any more ends without an error message', async () => {
  const child = spawn(process.execPath, ['dist/bin/trigger.js', '--list'], { env: await envOf() });
  child.stdout.destroy();
  const ended = once(child, 'close');

  expect(await text(child.stderr)).toBe('');
  await ended;
});

it('every command handles unexpected errors this way', () => {
  // The first one only starts the others, which are processes or commands; these are parts of commands.
  const others = [
    'cardbell.ts',
    'arguments.ts',
    'measured-clock.ts',
    'open-record.ts',
    'reach-redis.ts',
    'scan-keys.ts',
    'store-trouble.ts',
    'unexpected-error.ts',
    'web-address.ts',
  ];
  const commands = readdirSync('bin').filter((name) => name.endsWith('.ts') && !others.includes(name));

  for (const name of commands)
    expect(readFileSync(`bin/${name}`, 'utf8'), name).toMatch(/^import '\.\/unexpected-error\.ts';$/m);
});
