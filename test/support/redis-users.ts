import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LocalRedis } from '../../local/redis.ts';

/** A Redis with the shipped users, who may also use the keys of card program `eu` (docs/programs.md), and one for the test. */
export function redisUsers() {
  const folder = mkdtempSync(join(tmpdir(), 'cardbell-acl-'));
  const file = join(folder, 'users.acl');
  for (const [user, password] of [
    ['web', 'WEB-PASSWORD'],
    ['worker', 'WORKER-PASSWORD'],
  ] as const) {
    mkdirSync(join(folder, user));
    writeFileSync(join(folder, user, 'url'), `redis://${user}:${password}@redis:6379\n`);
  }
  const env = { PATH: process.env['PATH'], ADDRESSES: folder, USERS: file, PROGRAMS: 'eu' };
  execFileSync('sh', ['deploy/redis/with-users.sh', 'true'], { env });
  appendFileSync(file, 'user tester on nopass ~* &* +@all\n');
  const urlOf = ({ port }: LocalRedis, user: string, password: string): string =>
    `redis://${user}:${password}@127.0.0.1:${port}`;
  return {
    redisArgs: ['--aclfile', file],
    /** URL for the test. */
    of: (redis: LocalRedis): LocalRedis => ({ ...redis, url: urlOf(redis, 'tester', 'any') }),
    webEnv: (redis: LocalRedis) => ({ REDIS_URL: urlOf(redis, 'web', 'WEB-PASSWORD') }),
    workerEnv: (redis: LocalRedis) => ({ REDIS_URL: urlOf(redis, 'worker', 'WORKER-PASSWORD') }),
  };
}
