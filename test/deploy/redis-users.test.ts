import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { pages } from '../support/documented-commands.ts';
import { useRedis } from '../support/on-redis.ts';

const redis = useRedis();

/** What the docs run with `redis-cli`, and the variable that has the URL of its user. */
const documented = pages.flatMap((page) =>
  [...readFileSync(page, 'utf8').matchAll(/`redis-cli ([^`]+)`/g)].map(([, text = '']) => ({
    page,
    text: text.replaceAll(/\s+/g, ' '),
  })),
);

it('every redis-cli command of the docs names a user who may run it', async () => {
  const line = /`(user admin [^`]+)`/.exec(readFileSync('docs/install/README.md', 'utf8'))?.[1];
  expect(line).toBeDefined();
  const users = [...readFileSync('deploy/redis/users.acl', 'utf8').split('\n'), line ?? ''];
  for (const user of users.filter((text) => /^user (?:web|worker|admin) /.test(text)))
    await redis().call('ACL', 'SETUSER', ...user.split(' ').slice(1));

  expect(documented.length).toBeGreaterThan(3);
  for (const { page, text } of documented) {
    const [, variable = '', command = ''] = /^-u "\$(\w+)" (.+)$/.exec(text) ?? [];
    const user = { REDIS_URL: 'worker', ADMIN_REDIS_URL: 'admin' }[variable];
    expect(user, `${page}: ${text}`).toBeDefined();
    // `--latency` pings; `--rdb` reads like a replica; `--cluster call` runs a command on each server.
    const run = command
      .replace('--latency', 'ping')
      .replace('--rdb', 'psync ? 0')
      .replace(/^--cluster call \S+ (.+) --cluster-only-masters$/, '$1')
      .split(' ');
    expect(await redis().call('ACL', 'DRYRUN', user ?? '', ...run), `${page}: ${text}`).toBe('OK');
  }
  await redis().call('ACL', 'DELUSER', 'web', 'worker', 'admin');
});

it('the documented address of the admin names a database, because otherwise flushdb empties the first one', () => {
  const [, address = ''] = /`ADMIN_REDIS_URL=(\S+)`/.exec(readFileSync('docs/operations.md', 'utf8')) ?? [];

  expect(new URL(address).pathname).toMatch(/^\/\d+$/);
});
