import type { Cluster, Redis } from 'ioredis';
import { stateKey } from '../core/keys.ts';
import { DigestSchedule } from './schedule.ts';

export type DigestKind = 'daily' | 'weekly';

/** A day's digest and a week's may stand beside one another in one channel. */
export function kindOf({ weekday }: Pick<DigestSchedule, 'weekday'>): DigestKind {
  return weekday === null ? 'daily' : 'weekly';
}

export interface Digests {
  /** Replaces the channel's schedule of the same kind. */
  set(schedule: DigestSchedule): Promise<void>;
  get(channel: string, kind: DigestKind): Promise<DigestSchedule | null>;
  ofChannel(channel: string): Promise<DigestSchedule[]>;
  remove(channel: string, kind: DigestKind): Promise<void>;
  all(): Promise<DigestSchedule[]>;
}

/** Who gets a digest when. They stay until somebody takes them away. */
export function createDigests(redis: Redis | Cluster): Digests {
  const key = stateKey('digests');
  const fieldOf = (channel: string, kind: DigestKind): string => `${channel}:${kind}`;
  const get = async (channel: string, kind: DigestKind): Promise<DigestSchedule | null> => {
    const text = await redis.hget(key, fieldOf(channel, kind));
    return text === null ? null : DigestSchedule.parse(JSON.parse(text));
  };
  return {
    async set(schedule) {
      const text = JSON.stringify(DigestSchedule.parse(schedule));
      await redis.hset(key, fieldOf(schedule.channel, kindOf(schedule)), text);
    },
    get,
    async ofChannel(channel) {
      const both = await Promise.all([get(channel, 'daily'), get(channel, 'weekly')]);
      return both.filter((schedule) => schedule !== null);
    },
    async remove(channel, kind) {
      await redis.hdel(key, fieldOf(channel, kind));
    },
    all: async () => Object.values(await redis.hgetall(key)).map((text) => DigestSchedule.parse(JSON.parse(text))),
  };
}
