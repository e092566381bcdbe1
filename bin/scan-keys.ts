import { keyPrefixOf, type RedisClient, serversOf } from '../src/core/redis.ts';

/**
 * All keys of a card program that match a pattern, from all servers, in pages. SCAN and its answer ignore prefixes, so
 * this adds and strips them.
 */
export async function* scanKeys(redis: RedisClient, pattern: string, page: number): AsyncGenerator<string[]> {
  const prefix = keyPrefixOf(redis);
  for (const node of serversOf(redis)) {
    const stream = node.scanStream({ match: `${prefix}${pattern}`, count: page }) as AsyncIterable<string[]>;
    for await (const keys of stream) yield keys.map((key) => key.slice(prefix.length));
  }
}
