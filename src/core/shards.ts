/** Maximum number of shards for webhooks, their stored state and their jobs. */
export const SHARDS_MAX = 16;

/**
 * Hash tag of each shard. The letters spread the inboxes of the first 2, 4, 8 or 16 shards evenly over the slots of a
 * cluster, and their queues too. Shard 0 also holds everything that is not split.
 */
const tags = [
  ['', ':01ih', ':02dc', ':03gg'],
  [':04cy', ':05ju', ':06mv', ':07dz'],
  [':08ph', ':09cw', ':10kw', ':11hs'],
  [':12bi', ':13am', ':14bb', ':15af'],
].flat();

export const shardTag = (shard: number): string => tags[shard] ?? '';

export const shardsOf = (shards: number): number[] => Array.from({ length: shards }, (_, shard) => shard);

/** The shard of an event or a job: the same for an id in every process. */
export function shardOf(id: string, shards: number): number {
  if (shards === 1) return 0;
  // FNV-1a, then a step that mixes the upper bits into the lower ones.
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at += 1) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  hash ^= hash >>> 15;
  return (hash >>> 0) % shards;
}
