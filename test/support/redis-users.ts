import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LocalRedis } from '../../local/redis.ts';

/** A Redis with the shipped users, who may also use the keys of card program `eu` (docs/programs.md), and one for the test. */
export function redisUsers() {
  const file = join(mkdtempSync(join(tmpdir(), 'cardbell-acl-')), 'users.acl');
  const shipped = readFileSync('deploy/redis/users.acl', 'utf8').replaceAll(/ (%R)?~(\{\S+)/g, ' $1~$2 $1~eu:$2');
  writeFileSync(file, `${shipped}user tester on nopass ~* &* +@all\n`);
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
