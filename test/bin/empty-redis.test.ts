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
  ['audit export --csv', /"record","at".*\r\n$/],
  ['policy replay', /^0 of 0 decisions would be different\.\n$/],
])(
  '`%s` says that this Redis has no data, which is usually the wrong one',
  async (command, out) => {
    const ended = await run(command);

    expect(ended).toMatchObject({ code: 0, out: expect.stringMatching(out) });
    expect(ended.err).toMatch(/^This Redis has no data of Cardbell: correct REDIS_URL or PROGRAM, /);
    },
);
