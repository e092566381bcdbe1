import { expect, it } from 'vitest';
import { urlOf, useRedis } from '../support/on-redis.ts';
import { runCommand } from '../support/run-command.ts';

const redis = useRedis();

async function run(command: string) {
  const [name = '', ...args] = command.split(' ');
  const AUDIT_KEY = 'a-key-of-32-characters-or-more-0123';
  return await runCommand(name, args, { REDIS_URL: await urlOf(redis()), AUDIT_KEY });
}

it.each([
  ['audit verify', /^The record is whole: 0 records, /],
  ['audit export --csv', /^\uFEFFrecord,at,.*\r\n$/],
  ['policy replay', /^0 of 0 decisions would be different\.\n$/],
])(
  '`%s` says that this Redis has no data, which is usually the wrong one, and leaves it empty',
  async (command, out) => {
    const ended = await run(command);

    expect(ended).toMatchObject({ code: 0, out: expect.stringMatching(out) });
    expect(ended.err).toMatch(/^This Redis has no data of Cardbell: correct REDIS_URL or PROGRAM, /);
    expect(await redis().dbsize()).toBe(0);
  },
);

it('a Redis that other commands have found empty still has nothing to back up', async () => {
  for (const command of ['replay run q_1', 'replay discard q_1 --reason x', 'audit export --csv']) await run(command);

  expect(await run('backup -')).toMatchObject({ code: 1, out: '' });
});
