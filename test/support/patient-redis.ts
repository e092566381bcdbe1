import { afterAll, beforeAll } from 'vitest';
import { type LocalRedis, startRedis } from '../../local/redis.ts';
import { createLog } from '../../src/core/log.ts';
import { connectPatient, type RedisClient, whenReady } from '../../src/core/redis.ts';

/** A Redis of its own for the tests of a file, and a client as the worker has it. */
export function usePatientRedis(): () => { readonly redis: RedisClient; readonly url: string } {
  let server: LocalRedis;
  let redis: RedisClient;
  beforeAll(async () => {
    server = await startRedis();
    const log = createLog({ level: 'silent', process: 'test' });
    redis = connectPatient({ urls: [server.url], log, name: 'test' });
    await whenReady(redis, 5000);
  });
  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });
  return () => ({ redis, url: server.url });
}
