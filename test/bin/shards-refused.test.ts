import { afterEach, expect, it } from 'vitest';
import { claimFormat, FORMAT, MOVING, readFormat } from '../../src/app/stored-format.ts';
import { intakeKey } from '../../src/core/keys.ts';
import { urlOf, useRedis } from '../support/on-redis.ts';
import { runCommand } from '../support/run-command.ts';

const redis = useRedis();
afterEach(async () => {
  await redis().acl('DELUSER', 'limited');
});

/** `cardbell shards 2` as a user who may do everything else. */
async function move(denied: string) {
  await redis().acl('SETUSER', 'limited', 'on', '>x', '~*', '+@all', denied);
  await claimFormat(redis());
  await redis().xadd(intakeKey('webhooks'), '*', 'text', '{}');
  const REDIS_URL = (await urlOf(redis())).replace('//', '//limited:x@');
  return await runCommand('shards', ['2'], { REDIS_URL });
}

it('a move by a user who may not remove what was moved changes nothing', async () => {
  const ended = await move('-unlink');

  expect(ended).toMatchObject({ code: 78, out: '' });
  expect(ended.err).toMatch(/^Redis refuses this user or password\. Use the worker's REDIS_URL[^\n]*\n$/);
  expect(await readFormat(redis())).toBe(FORMAT);
});

it('a move that Redis refuses halfway says that it has to be finished', async () => {
  const ended = await move('-xrange');

  expect(ended).toMatchObject({ code: 78, out: '' });
  expect(ended.err).toMatch(
    /^Redis refuses this user or password\. The move is not finished.* run it again with the worker's REDIS_URL\.\n$/,
  );
  expect(await readFormat(redis())).toBe(MOVING);
});
