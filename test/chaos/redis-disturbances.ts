import { setTimeout as sleep } from 'node:timers/promises';
import { outboxKey, stateKey, webKeys } from '../../src/core/keys.ts';
import { channels } from '../support/people.ts';
import { until } from '../support/until.ts';
import type { ChaosCluster } from './cluster.ts';
import type { Random } from './random.ts';

/** Pause without kills before Redis loses data, because a process that dies cannot repeat its latest writes. */
const NOBODY_DIES_MS = 3000;
/** Time after which all processes have noticed the loss, and begun to repeat their latest writes. */
const NOTICED_MS = 8000;
/** Under load, repeating them takes longer than that. */
const REPEATED_WITHIN_MS = 120_000;
const FULL_MS = 3000;

/** Disturbances of Redis. Each returns a description of what it did. */
export function redisDisturbances(cluster: ChaosCluster, random: Random, longest: number) {
  let serial = 0;
  return {
    async freezeRedis() {
      await cluster.freezeRedis(random.integer(300, longest));
      return 'Redis frozen';
    },
    async restartRedis() {
      await cluster.restartRedis(random.integer(100, longest / 2));
      return 'Redis killed and restarted';
    },
    async rewindRedis() {
      await sleep(NOBODY_DIES_MS);
      await cluster.rewindRedis(random.integer(300, 2000));
      await sleep(NOTICED_MS);
      const areRepeated = async () => (await cluster.store.keys(`${webKeys.repeating}:*`)).length === 0;
      await until(areRepeated, 'all processes have repeated their writes', REPEATED_WITHIN_MS);
      return 'Redis came back older';
    },
    async fillRedis() {
      const info = await cluster.store.info('memory');
      const used = Number(/^used_memory:(\d+)/m.exec(info)?.[1]);
      // Webhooks are refused, but accepted ones have room to be processed.
      await cluster.store.config('SET', 'maxmemory', Math.round(used * 1.12));
      await sleep(Math.min(longest, FULL_MS));
      await cluster.store.config('SET', 'maxmemory', 0);
      return 'Redis nearly full';
    },
    async slowRedis() {
      cluster.wire.slow(random.integer(20, 250));
      await sleep(random.integer(500, longest / 2));
      cluster.wire.slow(0);
      return 'Redis slow';
    },
    async cutRedis() {
      cluster.wire.cut();
      return 'connections to Redis cut';
    },
    /** Adds two outbox entries of a newer version: one that this version can post, and one that it must set aside. */
    async storeNewerFields() {
      serial += 1;
      const message = { text: `A notice of a newer version, ${newerMark(serial)}.`, blocks: [] };
      const notice = { kind: 'notice', message, audience: 'team', priority: 'record', tint: 'red' };
      await put(`newer-field-${serial}`, notice);
      await put(`newer-kind-${serial}`, { kind: 'poll', question: 'Lunch?' });
      return 'fields of a newer version stored';
    },
  };

  async function put(id: string, entry: object): Promise<void> {
    const { store } = cluster;
    const channel = channels.alerts;
    await store.sadd(stateKey('outbox-channels'), channel);
    await store.hset(outboxKey(channel, 'entries'), id, JSON.stringify({ id, ...entry }));
    await store.zadd(outboxKey(channel, 'queue'), Date.now(), id);
  }
}

/** Marks of notices that only {@link redisDisturbances} stores. */
const NEWER_FROM = 900_000;
export const newerMark = (serial: number): string => `K${NEWER_FROM + serial}X`;
