import { describe, expect, it } from 'vitest';
import { isRefused } from '../../../src/core/redis-refused.ts';

const reply = (message: string) => Object.assign(new Error(message), { name: 'ReplyError' });

describe('an error of Redis is about the user or its password', () => {
  it.each([
    "NOPERM this user has no permissions to run the 'select' command",
    'NOAUTH Authentication required.',
    'WRONGPASS invalid username-password pair or user is disabled.',
    'ERR ACL failure in script: No permissions to access a key script: abc, on @user_script:1.',
    "ERR The user executing the script can't access this command or subcommand script: abc, on @user_script:1.",
    'All sentinels are unreachable. Retrying from scratch after 10ms. Last error: WRONGPASS invalid password',
  ])('%s', (message) => {
    expect(isRefused(reply(message))).toBe(true);
  });

  it('when it is inside the error of a transaction, of a cluster, or of a library', () => {
    const cause = reply('NOPERM this user has no permissions to access one of the keys');

    expect(isRefused(Object.assign(reply('EXECABORT Transaction discarded'), { previousErrors: [cause] }))).toBe(true);
    expect(isRefused(Object.assign(new Error('Failed to refresh slots cache.'), { lastNodeError: cause }))).toBe(true);
    expect(isRefused(new Error('it failed', { cause }))).toBe(true);
  });

  it.each([
    'WRONGTYPE Operation against a key',
    "OOM command not allowed when used memory > 'maxmemory'",
    'ECONNREFUSED',
  ])('but not %s', (message) => {
    expect(isRefused(reply(message))).toBe(false);
    expect(isRefused(message)).toBe(false);
  });
});
