import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type LocalRedis, startRedis } from '../../local/redis.ts';

/** A separate Redis per test file, emptied before each test. */
export function useRedis(): () => Redis {
  let server: LocalRedis;
  let redis: Redis;
  beforeAll(async () => {
    server = await startRedis();
    redis = new Redis(server.socket);
  });
  beforeEach(async () => {
    await redis.flushall();
  });
  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });
  return () => redis;
}
