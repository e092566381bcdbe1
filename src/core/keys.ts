import { shardTag } from './shards.ts';

/**
 * Every key that Cardbell writes to Redis begins with one of these prefixes.
 *
 * The braces are a hash tag: keys that one script or transaction uses together must be in one slot of a Redis Cluster.
 * Keys that need not be together have different tags, so that a cluster can spread them.
 */

/** BullMQ's prefix in a shard. */
export const queuePrefix = (shard = 0): string => `{cardbell${shardTag(shard)}:queue}`;
export const QUEUE_PREFIX = queuePrefix();

/** The web process: its inbox, and which events it has seen. Only webhooks are split into shards. */
export const intakeKey = (name: string, shard = 0): string => `{cardbell${shardTag(shard)}:in}:${name}`;

/** When webhooks were last taken, when Cardbell first ran, and the gaps in between. */
export const webKeys = {
  open: intakeKey('web-open'),
  /** When a web process was last alive, whether or not it took webhooks. */
  alive: intakeKey('web-alive'),
  since: intakeKey('web-since'),
  gaps: intakeKey('web-gaps'),
  /** Of web and workers: who is writing again what Redis has lost. */
  repeating: intakeKey('repeating'),
} as const;

/** The worker: alerts, card histories, locks. */
export const stateKey = (name: string): string => `{cardbell:state}:${name}`;

/** The outbox of one channel. */
export const outboxKey = (channel: string, name: string): string => `{cardbell:out:${channel}}:${name}`;

/** The directory of holders and cards. */
export const directoryKey = (name: string): string => `{cardbell:dir}:${name}`;

/** The audit chain. */
export const auditKey = (name: string): string => `{cardbell:audit}:${name}`;

/** What the keys begin with that are in one slot each. */
export const wholePrefixes = ['{cardbell:state}:', '{cardbell:dir}:', '{cardbell:audit}:'] as const;

/** Set for a while when a backup was restored: when it was taken (ms). What was posted since then is not known here. */
export const restoredKey = stateKey('restored');
