import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { buffer, text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { claimFormat } from '../../src/app/stored-format.ts';
import { QUEUE_PREFIX, stateKey } from '../../src/core/keys.ts';
import { urlOf, useRedis } from '../support/on-redis.ts';

const redis = useRedis();

/** Runs a command with these bytes on its standard input. */
async function run(verb: 'backup' | 'restore', file: string, input = Buffer.alloc(0)) {
  const env = { PATH: process.env.PATH, REDIS_URL: await urlOf(redis()) };
  const child = spawn(process.execPath, [`dist/bin/${verb}.js`, file], { env });
  child.stdin.on('error', () => {
    // A command that refuses to start does not read it.
  });
  child.stdin.end(input);
  const ended = once(child, 'close');
  const [out, err] = await Promise.all([buffer(child.stdout), text(child.stderr)]);
  const [code] = (await ended) as [number];
  return { code, out, err };
}

it('"-" is standard output for a backup and standard input for a restore', async () => {
  await claimFormat(redis());
  await redis().set(stateKey('links'), 'x'.repeat(100_000));

  const backup = await run('backup', '-');
  await redis().flushall();
  const cutOff = await run('restore', '-', backup.out.subarray(0, -10));
  const restored = await run('restore', '-', backup.out);

  expect(backup).toMatchObject({ code: 0, err: '-: 2 keys.\n' });
  expect(cutOff).toMatchObject({ code: 1, err: expect.stringMatching(/damaged|cut off/) });
  expect(restored).toMatchObject({ code: 0, err: '' });
  expect(await redis().get(stateKey('links'))).toBe('x'.repeat(100_000));
});

it('a restore names what it leaves out, without a number that could be searched for in vain', async () => {
  await claimFormat(redis());
  await redis().hset(`${QUEUE_PREFIX}:actions:meta`, 'version', 'x');
  const backup = await run('backup', '-');
  await redis().flushall();

  const help = await run('restore', '--help');
  const { out } = await run('restore', '-', backup.out);

  const leftOut = 'Open requests, claims, unfinished actions and delegates that approvers named are left out';
  expect(String(help.out)).toContain(leftOut);
  expect(String(out)).toMatch(/^Restored 0 keys as of \S+Z\. /);
  expect(String(out)).toContain(`${leftOut}.`);
  expect(String(out)).not.toMatch(/left out \d/i);
});

it('a restore of a damaged file says so in one line, also if more than one thing is wrong with it', async () => {
  // Longer than what is unpacked at once: its checksum is compared after the first line turned out to be no JSON.
  const damaged = gzipSync(`no JSON\n${randomBytes(50_000).toString('base64')}`);
  damaged.writeUInt32LE(0, damaged.length - 8);

  const { code, err } = await run('restore', '-', damaged);

  expect({ code, err }).toEqual({
    code: 1,
    err: '- is not a backup of Cardbell, or is damaged. Nothing was changed.\n',
  });
});

it('a backup of a Redis without data ends with 1 and says what to correct', async () => {
  const { code, out, err } = await run('backup', '-');

  expect({ code, out: String(out) }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(/^The backup was not written: Redis has no data of .*: correct REDIS_URL or PROGRAM$/m);
});

it('a restore into a Redis that is too small says so in one line without the data', async () => {
  for (let n = 0; n < 20; n += 1) await redis().set(stateKey(`alert:${n}`), `Sam Rivera ${'x'.repeat(1_000_000)}`);
  const backup = await run('backup', '-');
  await redis().flushall();
  await redis().config('SET', 'maxmemory', '8mb');

  const { code, err } = await run('restore', '-', backup.out);
  await redis().config('SET', 'maxmemory', '0');

  expect(code).toBe(1);
  expect(err).toMatch(/^Redis did not take everything \(ReplyError: OOM [^\n]*\)\. It holds a part [^\n]*\n$/);
  expect(err).not.toContain('Rivera');
});
