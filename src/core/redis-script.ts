import type { Cluster, Redis } from 'ioredis';

/** A Lua script, sent once and called by its digest afterwards. */
export interface RedisScript {
  run(keys: readonly string[], args: readonly (string | number)[]): Promise<unknown>;
}

/**
 * Registers a Lua script with a client under `name`, which must be unique in the process.
 *
 * ioredis loads it again by itself where a server does not know it (restart, failover, a new node).
 */
export function defineScript(redis: Redis | Cluster, name: string, lua: string): RedisScript {
  redis.defineCommand(name, { lua });
  const commands = redis as unknown as Record<string, (...args: (string | number)[]) => Promise<unknown>>;
  return {
    async run(keys, args) {
      return commands[name]?.call(redis, keys.length, ...keys, ...args);
    },
  };
}
