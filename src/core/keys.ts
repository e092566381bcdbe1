import { shardTag } from './shards.ts';

/**
 * Every key that Cardbell writes to Redis begins with one of these prefixes.
 *
 * The braces are a hash tag: keys that a script or transaction uses together must be in one slot of a Redis Cluster.
 * Other keys have different tags, so that a cluster can spread them.
 */

/** BullMQ's prefix in a shard. */
export const queuePrefix = (shard = 0): string => `{cardbell${shardTag(shard)}:queue}`;
export const QUEUE_PREFIX = queuePrefix();

/** Keys of the web process: its inbox, and which events it has seen. Only webhooks are split into shards. */
export const intakeKey = (name: string, shard = 0): string => `{cardbell${shardTag(shard)}:in}:${name}`;

/** When webhooks were last accepted, when Cardbell first ran, and the gaps in between. */
export const webKeys = {
  open: intakeKey('web-open'),
  /** When a web process was last alive, even if it refused webhooks. */
  alive: intakeKey('web-alive'),
  since: intakeKey('web-since'),
  gaps: intakeKey('web-gaps'),
  /** Written to see whether Redis accepts writes. */
  probe: intakeKey('probe'),
  /** The run ids of the servers whose data is not in doubt. */
  servers: intakeKey('servers'),
  /** Shared by web and workers: who is repeating the writes that Redis has lost. */
  repeating: intakeKey('repeating'),
} as const;

/** Keys of the worker: alerts, card histories, locks. */
export const stateKey = (name: string): string => `{cardbell:state}:${name}`;

export const outboxKey = (channel: string, name: string): string => `{cardbell:out:${channel}}:${name}`;

/** The directory of holders and cards. */
export const directoryKey = (name: string): string => `{cardbell:dir}:${name}`;

export const auditKey = (name: string): string => `{cardbell:audit}:${name}`;

/** Prefixes whose keys are all in one slot each. */
export const wholePrefixes = ['{cardbell:state}:', '{cardbell:dir}:', '{cardbell:audit}:'] as const;

/**
 * When the restored backup was taken (ms). Redis does not know what was posted since. Set by a restore, until a while after
 * the next start.
 */
export const restoredKey = stateKey('restored');
