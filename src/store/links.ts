import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import { stateKey } from '../keys.ts';

/** Whose card it is: one Slack user for each account, any number of accounts for each user. */
export const Link = z.strictObject({
  acctId: z.int().positive(),
  userId: z.string(),
  /** How it was proved: an approver said so, or the e-mail addresses match and the holder confirmed. */
  provedBy: z.enum(['approver', 'email']),
  /** Slack user who settled it: the approver, or the holder. */
  by: z.string(),
  /** UTC ISO 8601. */
  at: z.string(),
});
export type Link = z.infer<typeof Link>;

export interface Links {
  /** Replaces whoever the account was linked to before. */
  link(link: Link): Promise<void>;
  unlink(acctId: number): Promise<void>;
  /** Null: nobody is linked to the account. */
  ofAccount(acctId: number): Promise<Link | null>;
  ofUser(userId: string): Promise<Link[]>;
  all(): Promise<Link[]>;
}

/** Links between Slack users and card accounts. They stay until somebody takes them away. */
export function createLinks(redis: Redis | Cluster): Links {
  const key = stateKey('links');
  const all = async (): Promise<Link[]> =>
    Object.values(await redis.hgetall(key)).map((text) => Link.parse(JSON.parse(text)));
  return {
    async link(link) {
      await redis.hset(key, String(link.acctId), JSON.stringify(Link.parse(link)));
    },
    async unlink(acctId) {
      await redis.hdel(key, String(acctId));
    },
    async ofAccount(acctId) {
      const text = await redis.hget(key, String(acctId));
      return text === null ? null : Link.parse(JSON.parse(text));
    },
    ofUser: async (userId) => (await all()).filter((link) => link.userId === userId),
    all,
  };
}
