/**
 * Every key that Cardbell writes to Redis begins with one of these prefixes.
 *
 * The braces are a hash tag: keys that one script or transaction uses together must be in one slot of a Redis Cluster.
 * Keys that need not be together have different tags, so that a cluster can spread them.
 */

/** BullMQ's prefix. */
export const QUEUE_PREFIX = '{cardbell:queue}';

/** The web process: its inbox, and which events it has seen. */
export const intakeKey = (name: string): string => `{cardbell:in}:${name}`;

/** When webhooks were last taken, when Cardbell first ran, and the gaps in between. */
export const webKeys = {
  open: intakeKey('web-open'),
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

/** What all keys begin with, in the order in which work goes through them, but for the outboxes, which come last. */
export const keyPrefixes = [
  '{cardbell:in}:',
  `${QUEUE_PREFIX}:`,
  '{cardbell:state}:',
  '{cardbell:dir}:',
  '{cardbell:audit}:',
] as const;

/** Set for a while when a backup was restored: when it was taken (ms). What was posted since then is not known here. */
export const restoredKey = stateKey('restored');
