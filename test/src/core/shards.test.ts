import keySlot from 'cluster-key-slot';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { intakeKey, queuePrefix } from '../../../src/core/keys.ts';
import { SHARDS_MAX, shardOf, shardsOf } from '../../../src/core/shards.ts';

const SLOTS = 16_384;
/** The number of these keys on each node of a cluster whose nodes share the slots evenly. */
const spread = (keys: readonly string[], nodes: number): number[] =>
  keys.reduce(
    (counts, key) => {
      const node = Math.floor((keySlot(key) * nodes) / SLOTS);
      return counts.map((count, index) => count + (index === node ? 1 : 0));
    },
    Array.from({ length: nodes }, () => 0),
  );

it.each([
  [16, 3, 5, 6],
  [16, 6, 2, 3],
  [16, 16, 1, 1],
  [4, 4, 1, 1],
  [8, 4, 2, 2],
])(
  '%i shards are spread evenly over %i nodes: %i to %i inboxes each, and as many queues',
  (shards, nodes, least, most) => {
    const inboxes = shardsOf(shards).map((shard) => intakeKey('webhooks', shard));
    const queues = shardsOf(shards).map((shard) => `${queuePrefix(shard)}:alerts:wait`);

    for (const counts of [spread(inboxes, nodes), spread(queues, nodes)])
      expect([Math.min(...counts), Math.max(...counts)]).toEqual([least, most]);
  },
);

it('gives each shard distinct keys, and the first shard the unsharded key names', () => {
  const keys = shardsOf(SHARDS_MAX).flatMap((shard) => [intakeKey('webhooks', shard), `${queuePrefix(shard)}:alerts`]);

  expect(new Set(keys).size).toBe(2 * SHARDS_MAX);
  expect(keys.slice(0, 2)).toEqual(['{cardbell:in}:webhooks', '{cardbell:queue}:alerts']);
});

it('maps any id to one shard, which is the first without shards', () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 1, max: SHARDS_MAX }), (id, shards) => {
      expect(shardsOf(shards)).toContain(shardOf(id, shards));
      expect(shardOf(id, shards)).toBe(shardOf(id, shards));
      expect(shardOf(id, 1)).toBe(0);
    }),
  );
});

it.each([2, 3, 4, 16])('%i shards get about the same number of ids', (shards) => {
  const counts = shardsOf(shards).map(() => 0);
  for (let index = 0; index < 16_000; index += 1) {
    const shard = shardOf(`evt_${(index * 7919).toString(36)}`, shards);
    counts[shard] = (counts[shard] ?? 0) + 1;
  }

  for (const count of counts) expect(count / (16_000 / shards)).toBeCloseTo(1, 0.7);
});
