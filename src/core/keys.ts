/**
 * Every key that Cardbell writes to Redis begins with one of these.
 *
 * The braces are a hash tag: keys that one script or transaction touches together live in one slot of a Redis Cluster.
 * What need not live together has a tag of its own, so that a cluster can spread it.
 */

/** BullMQ's prefix. */
export const QUEUE_PREFIX = '{cardbell:queue}';

/** The web process' side: the inbox and the memory of what was seen. */
export const intakeKey = (name: string): string => `{cardbell:in}:${name}`;

/** When the door was last known to be open, since when Cardbell runs at all, and every time that it was closed. */
export const webKeys = {
  open: intakeKey('web-open'),
  since: intakeKey('web-since'),
  gaps: intakeKey('web-gaps'),
} as const;

/** Alerts, card histories, locks: what the worker knows. */
export const stateKey = (name: string): string => `{cardbell:state}:${name}`;

/** One channel's outbox. */
export const outboxKey = (channel: string, name: string): string => `{cardbell:out:${channel}}:${name}`;

/** The directory of holders and cards. */
export const directoryKey = (name: string): string => `{cardbell:dir}:${name}`;

/** The audit chain. */
export const auditKey = (name: string): string => `{cardbell:audit}:${name}`;
