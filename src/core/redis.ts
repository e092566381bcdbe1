import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { within } from './deadline.ts';
import { ConfigError, StoreUnavailableError } from './errors.ts';
import { webKeys } from './keys.ts';
import type { Log } from './log.ts';
import { errorsOfCommands, isRefused } from './redis-refused.ts';

/** One Redis server or a cluster: both support the commands we use. */
export type RedisClient = Redis | Cluster;

/** Every server that accepts writes. */
export function serversOf(redis: RedisClient): readonly Redis[] {
  return redis instanceof Cluster ? redis.nodes('master') : [redis];
}

/** Where Redis is, and how to reach it. */
export interface RedisTarget {
  /** One address, or the nodes of a cluster, or sentinels. */
  readonly urls: readonly string[];
  /** If given, the addresses are sentinels that know the server by this name. */
  readonly sentinel?: { readonly master: string; readonly password: string | undefined } | null;
  /** Prefix of every key: `eu:` for the card program `eu`. Keys in commands do not include it. */
  readonly keyPrefix?: string;
  /** For `rediss://`. `ca`: a private certificate authority, in PEM. `isInsecure`: do not verify the certificate. */
  readonly tls?: { readonly ca: string | undefined; readonly isInsecure: boolean };
}

interface ConnectionOptions extends RedisTarget {
  readonly log: Log;
  /** Shown in `CLIENT LIST`. */
  readonly name: string;
}

/** While Redis loads its files it estimates the remaining time, often far too high, so we retry sooner. */
const LOADING_RETRY_MS = 250;

/** A sentinel that has not answered by then is skipped. */
const SENTINEL_ANSWER_MS = 2000;

/** Reconnects within half a second of Redis' return. The service's first retry comes after 15 seconds. */
const retryStrategy = (attempt: number): number => Math.min(50 * attempt, 500);

/**
 * For the web process: a command is sent now or fails now.
 *
 * There is no offline queue, and unanswered commands are not sent again: the service gives up on a webhook that waits
 * for Redis, but retries after 15 seconds when it gets a 503.
 */
export function connectFailFast(options: ConnectionOptions): RedisClient {
  return connect(options, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    connectTimeout: 2000,
    // A frozen server keeps its connections open. This limit is for commands without their own deadline.
    commandTimeout: 2000,
    // A host that is gone never closes its connections. Longer than Redis pauses for a rewrite of its files.
    socketTimeout: 5000,
  });
}

/** For the worker: commands wait until Redis is back, as BullMQ's workers require. */
export function connectPatient(options: ConnectionOptions): RedisClient {
  const client = connect(options, {
    enableOfflineQueue: true,
    maxRetriesPerRequest: null,
    connectTimeout: 5000,
  });
  if (client instanceof Cluster) client.on('+node', writeTogether);
  else writeTogether(client);
  return client;
}

/**
 * Sends everything written in one turn of the event loop with one system call, because a call costs more than most
 * commands. Order and transactions do not change.
 */
function writeTogether(client: Redis): void {
  client.on('connect', () => {
    const { stream } = client;
    stream.write = new Proxy(stream.write, {
      apply(write, self, args) {
        if (stream.writableCorked === 0) {
          stream.cork();
          setImmediate(() => stream.uncork());
        }
        return Reflect.apply(write, self, args);
      },
    });
  });
}

/** Empty for the first card program. */
export const keyPrefixOf = (redis: RedisClient): string => redis.options.keyPrefix ?? '';

/** The name of its card program; empty for the first one. */
export const programOf = (redis: RedisClient): string => keyPrefixOf(redis).replace(/:$/, '');

/** The same server or cluster over a separate connection that adds no prefix to keys. */
export function withoutKeyPrefix(redis: RedisClient): RedisClient {
  const plain = redis instanceof Cluster ? redis.duplicate([], { keyPrefix: '' }) : redis.duplicate({ keyPrefix: '' });
  // The other connection logs when Redis is down.
  plain.on('error', () => {});
  return plain;
}

/** How long startup waits for Redis (ms). */
export const STARTUP_WAIT_MS = 1500;

/** Resolves when the connection is ready, or after `maxWaitMs`. */
export async function whenReady(redis: RedisClient, maxWaitMs: number): Promise<void> {
  if (redis.status === 'ready') return;
  const ready = new Promise<void>((resolve) => void redis.once('ready', () => resolve()));
  await within(maxWaitMs, ready, () => {});
}

/** Errors from a Redis that is full, loading its files, without a master, or moving keys between cluster servers. */
const troubles =
  /^(?:OOM|READONLY|LOADING|MASTERDOWN|NOREPLICAS|MISCONF|BUSY|CLUSTERDOWN|TRYAGAIN|MOVED|ASK)\b|Too many Cluster redirections|attempted to access a non local key|Failed to refresh slots cache|Cluster isn't ready|Connection is closed|Stream isn't writeable|Command aborted due to connection close|Command timed out|max retries per request/i;

/**
 * True when Redis could not run a command because of its own state, so a retry may succeed. A transaction reports the
 * reason in the errors of its commands.
 */
export function isStoreTrouble(error: unknown): boolean {
  if (error instanceof StoreUnavailableError) return true;
  if (!(error instanceof Error)) return false;
  return troubles.test(error.message) || errorsOfCommands(error).some(isStoreTrouble);
}

/** True when Redis refused a write because it has reached `maxmemory`. */
export function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('OOM');
}

const PROBE_DEADLINE_MS = 700;
const PROBE_KEPT_MS = 60_000;

/**
 * Why Redis cannot be used: it does not answer promptly, it is full, it accepts no writes, like a replica after a failover, or
 * it refuses the user. Null when it can be used.
 *
 * @param mayWrite keys that do not exist, and that the process must be permitted to write.
 */
export async function whyUnusable(redis: RedisClient, mayWrite: readonly string[] = []): Promise<string | null> {
  if (redis.status !== 'ready') return 'redis is not connected';
  const writes = [redis.set(webKeys.probe, '1', 'PX', PROBE_KEPT_MS), ...mayWrite.map((key) => redis.del(key))];
  const write = Promise.all(writes).then(
    () => null,
    (error: unknown) => {
      if (isRefused(error)) return 'redis refuses this user';
      if (isOutOfMemory(error)) return 'redis is full';
      return isReply(error) ? 'redis accepts no writes' : 'redis does not answer';
    },
  );
  return await within(PROBE_DEADLINE_MS, write, () => 'redis does not answer');
}

/**
 * That one address is enough for this Redis, and that it has the database. The client of one server of a cluster would
 * be refused most keys. A number that Redis rejects is reported once by ioredis, which then goes on with database 0:
 * that may hold somebody else's data.
 *
 * @throws ConfigError
 */
export async function requireFittingAddress(redis: RedisClient): Promise<void> {
  if (redis instanceof Cluster) return;
  if (await isOneOfSeveral(redis))
    throw new ConfigError([
      'REDIS_URL: expected two or more addresses, separated by commas, because this Redis is a cluster. If you have only one address, write it twice. Nothing was changed.',
    ]);
  try {
    await redis.select(redis.options.db ?? 0);
  } catch (error) {
    if (!isReply(error) || !/out of range/i.test(error.message)) throw error;
    throw new ConfigError([
      'REDIS_URL: expected the number of a database that Redis has, usually 0 to 15. Nothing was changed.',
    ]);
  }
}

/** Whether a server shares the keys of a cluster with others. Replicas have the keys of their primary. */
async function isOneOfSeveral(redis: Redis): Promise<boolean> {
  try {
    return (await countPrimaries(redis)) > 1;
  } catch (error) {
    // Without a cluster, or the right to ask, Redis answers with an error.
    if (isReply(error)) return false;
    throw error;
  }
}

/** The number of servers that have keys of a cluster, as one of them knows it. */
async function countPrimaries(node: Redis): Promise<number> {
  const ranges = await node.cluster('SLOTS');
  return new Set(ranges.map(([, , primary]) => primary?.slice(0, 2).join(':'))).size;
}

/** Redis answered with an error. ioredis exports its class without a type. */
export function isReply(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ReplyError';
}

/** ioredis types this option differently for clusters. We do not use it. */
type Options = Omit<RedisOptions, 'replyMapping'>;

function connect({ log, name, ...target }: ConnectionOptions, redisOptions: Options): RedisClient {
  const options: Options = {
    ...redisOptions,
    retryStrategy,
    maxLoadingRetryTime: LOADING_RETRY_MS,
    // A primary that became a replica keeps its connections open. A new connection leads to the new primary. `true`: the
    // refused command is not sent again.
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
    connectionName: `cardbell-${name}`,
    ...(target.keyPrefix === undefined ? {} : { keyPrefix: target.keyPrefix }),
  };
  const client = open(target, options);
  let isDown = false;
  client.on('error', (error: Error & { readonly code?: unknown }) => {
    // One line per outage, not per attempt. When a name has several addresses, only the error code says why.
    const reason = withoutUrl(error.message || String(error.code));
    if (!isDown) log.error({ reason, connection: name }, 'redis connection lost');
    isDown = true;
  });
  client.on('ready', () => {
    if (isDown) log.info({ connection: name }, 'redis connection is back');
    isDown = false;
  });
  return client;
}

function open(target: RedisTarget, options: Options): RedisClient {
  const { urls, sentinel } = target;
  const [first = ''] = urls;
  const own = credentials(first, target);
  if (sentinel != null) {
    const sentinels = urls
      .map((url) => new URL(url))
      .map(({ hostname: host, port }) => ({ host, port: Number(port || 26_379) }));
    const database = Number(new URL(first).pathname.slice(1));
    return new Redis({
      ...options,
      ...own,
      db: database,
      sentinels,
      name: sentinel.master,
      enableTLSForSentinelMode: own.tls !== undefined,
      ...(own.tls === undefined ? {} : { sentinelTLS: own.tls }),
      ...(sentinel.password === undefined ? {} : { sentinelPassword: sentinel.password }),
      sentinelRetryStrategy: retryStrategy,
      sentinelCommandTimeout: SENTINEL_ANSWER_MS,
    });
  }
  // ioredis prefers TLS from the address to TLS from the options, so it is set in the options alone.
  if (urls.length === 1) return new Redis(first.replace(/^rediss:/, 'redis:'), { ...options, ...own });
  const { keyPrefix = '', ...ofNodes } = options;
  return new Cluster([...urls], {
    keyPrefix,
    redisOptions: { ...ofNodes, ...own },
    clusterRetryStrategy: retryStrategy,
    // Names stay names: the certificates of managed clusters are for names, not for IP addresses.
    dnsLookup: (address, done) => done(null, address),
    enableOfflineQueue: options.enableOfflineQueue ?? true,
  });
}

/** Nodes discovered later have no URL of their own: they use the user, password and TLS of the first one. */
function credentials(url: string, { tls }: RedisTarget): Options {
  const { protocol, username, password } = new URL(url);
  const trust = {
    ...(tls?.ca === undefined ? {} : { ca: tls.ca }),
    ...(tls?.isInsecure === true ? { rejectUnauthorized: false } : {}),
  };
  return {
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
    ...(protocol === 'rediss:' ? { tls: trust } : {}),
  };
}

function withoutUrl(message: string): string {
  return message.replace(/rediss?:\/\/\S+/g, '[redis address]');
}

/**
 * Each server gets a new run id when it starts.
 *
 * @throws StoreUnavailableError when a server that has keys of the cluster is down.
 */
export async function runIdsOf(redis: RedisClient): Promise<Set<string>> {
  const nodes = serversOf(redis);
  if (redis instanceof Cluster) {
    const [first] = nodes;
    if (first !== undefined && (await countPrimaries(first)) > nodes.length) {
      // The client forgets a server that is down, and looks for it only when needed.
      redis.refreshSlotsCache();
      throw new StoreUnavailableError('a server of the cluster is down');
    }
  }
  const said = await Promise.all(nodes.map(async (node) => /^run_id:(\w+)/m.exec(await node.info('server'))?.[1]));
  return new Set(said.filter((id) => id !== undefined));
}
