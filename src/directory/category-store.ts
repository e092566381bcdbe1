import type { Cluster, Redis } from 'ioredis';
import { stateKey } from '../core/keys.ts';

/** Merchant categories by name, as spend rules of the program have shown them. */
export interface Categories {
  learn(categories: readonly { readonly id: number; readonly name: string }[]): Promise<void>;
  /** Null: no rules that were read so far name it. */
  idOf(name: string): Promise<number | null>;
}

/** The specification shows no list of categories: their numbers are learned from every card's rules that are read. */
export function createCategories(redis: Redis | Cluster): Categories {
  const key = stateKey('merchant-categories');
  const fold = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return {
    async learn(categories) {
      const fields = categories.flatMap(({ id, name }) => [fold(name), String(id)]);
      if (fields.length > 0) await redis.hset(key, ...fields);
    },
    async idOf(name) {
      const id = await redis.hget(key, fold(name));
      return id === null ? null : Number(id);
    },
  };
}
