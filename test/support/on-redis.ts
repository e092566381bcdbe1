import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, inject } from 'vitest';

/** The Redis of this test process (redis-servers.ts), emptied before each test. */
export function useRedis(): () => Redis {
  let redis: Redis;
  beforeAll(async () => {
    const socket = inject('redisSockets')[Number(process.env.VITEST_POOL_ID) - 1];
    if (socket === undefined) throw new Error(`no Redis server for test process ${process.env.VITEST_POOL_ID}`);
    redis = new Redis(socket);
    await expectAlone(redis);
    // A test of full memory may have changed it.
    await redis.config('SET', 'maxmemory', '0');
  });
  beforeEach(async () => {
    await redis.flushall();
  });
  afterAll(() => {
    redis.disconnect();
  });
  return () => redis;
}

/** The address of a Redis, for a command. */
export async function urlOf(redis: Redis): Promise<string> {
  const [, port] = (await redis.config('GET', 'port')) as string[];
  return `redis://127.0.0.1:${port}`;
}

/** Two processes on one Redis would empty it for each other, and tests would fail for no apparent reason. */
async function expectAlone(redis: Redis): Promise<void> {
  await redis.client('SETNAME', `test-process-${process.pid}`);
  const names = [...String(await redis.client('LIST')).matchAll(/ name=(test-process-\d+)/g)].map(([, name]) => name);
  if (new Set(names).size > 1) throw new Error(`several test processes use one Redis: ${names.join(', ')}`);
}
