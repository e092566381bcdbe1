import type { TestProject } from 'vitest/node';
import { startRedis } from '../../local/redis.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Unix sockets of the Redis servers of a project's test processes, by `VITEST_POOL_ID`. */
    redisSockets: readonly string[];
  }
}

/** Starts a Redis server for each test process: starting one for each test file would take a tenth of the total time. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const servers = await Promise.all(Array.from({ length: project.config.maxWorkers }, () => startRedis()));
  project.provide(
    'redisSockets',
    servers.map(({ socket }) => socket),
  );
  return async () => {
    await Promise.all(servers.map((server) => server.stop()));
  };
}
