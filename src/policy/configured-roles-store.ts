import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import { stateKey } from '../core/keys.ts';
import type { Role } from './decide.ts';

const Names = z.object({ operators: z.array(z.string()), approvers: z.array(z.string()) });

/** Who may what, as the web process was last started with: for mentions and for what is shown, never for a permission. */
export interface ConfiguredRoles {
  keep(names: { operators: readonly string[]; approvers: readonly string[] }): Promise<void>;
  /** User ids and user group ids. Empty when no web process has started yet. */
  whoMay(role: Role): Promise<string[]>;
}

/** The worker does not know the variables of the web process; this is how it knows whom to mention. */
export function createConfiguredRoles(redis: Redis | Cluster): ConfiguredRoles {
  const key = stateKey('whos-who');
  return {
    async keep(names) {
      await redis.set(key, JSON.stringify(Names.parse(names)));
    },
    async whoMay(role) {
      const text = await redis.get(key);
      if (text === null) return [];
      const { operators, approvers } = Names.parse(JSON.parse(text));
      return role === 'approver' ? approvers : [...new Set([...operators, ...approvers])];
    },
  };
}
