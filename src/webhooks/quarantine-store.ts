import type { Cluster, Redis } from 'ioredis';
import { stateKey } from '../core/keys.ts';
import { QuarantinedWebhook } from '../core/quarantined-webhook.ts';

const KEPT_SECONDS = 30 * 24 * 3600;

export interface QuarantineStore {
  keep(webhook: QuarantinedWebhook): Promise<void>;
  /** Newest first. */
  list(limit: number): Promise<QuarantinedWebhook[]>;
  count(): Promise<number>;
  get(id: string): Promise<QuarantinedWebhook | null>;
  remove(id: string): Promise<boolean>;
}

/** Webhooks that did not fit, redacted, until somebody replays or discards them or 30 days are over. */
export function createQuarantineStore(redis: Redis | Cluster): QuarantineStore {
  const index = stateKey('quarantine');
  const keyOf = (id: string): string => stateKey(`quarantine:${id}`);
  const read = async (id: string): Promise<QuarantinedWebhook | null> => {
    const text = await redis.get(keyOf(id));
    return text === null ? null : QuarantinedWebhook.parse(JSON.parse(text));
  };

  return {
    async keep(webhook) {
      await redis
        .multi()
        .set(keyOf(webhook.id), JSON.stringify(webhook), 'EX', KEPT_SECONDS)
        .zadd(index, String(Date.parse(webhook.receivedAt)), webhook.id)
        .zremrangebyscore(index, '-inf', String(Date.now() - KEPT_SECONDS * 1000))
        .exec();
    },
    async list(limit) {
      const ids = await redis.zrevrange(index, 0, limit - 1);
      const found = await Promise.all(ids.map(read));
      return found.filter((webhook) => webhook !== null);
    },
    count: () => redis.zcount(index, String(Date.now() - KEPT_SECONDS * 1000), '+inf'),
    get: read,
    async remove(id) {
      const [, [, removed] = [null, 0]] = (await redis.multi().del(keyOf(id)).zrem(index, id).exec()) ?? [];
      return removed === 1;
    },
  };
}
