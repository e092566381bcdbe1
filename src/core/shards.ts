/** Into how many parts webhooks, what is remembered of them and their jobs can be split. */
export const SHARDS_MAX = 16;

/**
 * What stands in the hash tags of each shard. The letters are chosen so that the inboxes of the first 2, 4, 8 or 16 shards lie
 * evenly over the slots of a cluster, and so do their queues. Shard 0 is where everything is that is not split.
 */
const tags = [
  ['', ':01ih', ':02dc', ':03gg'],
  [':04cy', ':05ju', ':06mv', ':07dz'],
  [':08ph', ':09cw', ':10kw', ':11hs'],
  [':12bi', ':13am', ':14bb', ':15af'],
].flat();

export const shardTag = (shard: number): string => tags[shard] ?? '';

/** The numbers of the shards. */
export const shardsOf = (shards: number): number[] => Array.from({ length: shards }, (_, shard) => shard);

/** The shard of an event, or of a job: the same for an id in every process. */
export function shardOf(id: string, shards: number): number {
  if (shards === 1) return 0;
  // FNV-1a, and then a step that carries the upper bits down.
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at += 1) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  hash ^= hash >>> 15;
  return (hash >>> 0) % shards;
}
