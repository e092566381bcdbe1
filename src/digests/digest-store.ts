import type { Cluster, Redis } from 'ioredis';
import { stateKey } from '../core/keys.ts';
import { createRecordHash } from '../core/record-store.ts';
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
  const store = createRecordHash({ redis, schema: DigestSchedule, key: stateKey('digests') });
  const idOf = (channel: string, kind: DigestKind): string => `${channel}:${kind}`;
  return {
    set: (schedule) => store.put(idOf(schedule.channel, kindOf(schedule)), schedule),
    get: (channel, kind) => store.get(idOf(channel, kind)),
    async ofChannel(channel) {
      const both = await Promise.all([store.get(idOf(channel, 'daily')), store.get(idOf(channel, 'weekly'))]);
      return both.filter((schedule) => schedule !== null);
    },
    remove: (channel, kind) => store.delete(idOf(channel, kind)),
    all: store.all,
  };
}
