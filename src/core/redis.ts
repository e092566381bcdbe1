import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { within } from './deadline.ts';
import { StoreUnavailableError } from './errors.ts';
import type { Log } from './log.ts';

/** One Redis server or a cluster: both speak the commands that we use. */
export type RedisClient = Redis | Cluster;

/** Every server that takes writes. */
export function serversOf(redis: RedisClient): readonly Redis[] {
  return redis instanceof Cluster ? redis.nodes('master') : [redis];
}

/** Where Redis is, and how it is reached. */
export interface RedisTarget {
  /** One address, or the nodes of a cluster, or sentinels. */
  readonly urls: readonly string[];
  /** Given: the addresses are those of sentinels, which know the server by this name. */
  readonly sentinel?: { readonly master: string; readonly password: string | undefined } | null;
  /** What every key begins with: `eu:` for the card program `eu`. Keys in commands are without it. */
  readonly keyPrefix?: string;
  /** For `rediss://`. `ca`: a private certificate authority, in PEM. `isInsecure`: the certificate is not checked. */
  readonly tls?: { readonly ca: string | undefined; readonly isInsecure: boolean };
}

export interface ConnectionOptions extends RedisTarget {
  readonly log: Log;
  /** Shown in `CLIENT LIST`. */
  readonly name: string;
}

/** While Redis loads its files it estimates how long that takes, often far too long: so it is asked again sooner. */
const LOADING_RETRY_MS = 250;

/** Reconnects within half a second of Redis' return. The service's first retry comes after 15 seconds. */
const retryStrategy = (attempt: number): number => Math.min(50 * attempt, 500);

/**
 * For the web process: a command either goes out now or fails now.
 *
 * There is no offline queue, and unanswered commands are not sent again: the service gives up on a webhook that waits for
 * Redis, while after an answer of 503 it tries again in 15 seconds.
 */
export function connectFailFast(options: ConnectionOptions): RedisClient {
  return connect(options, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    connectTimeout: 2000,
    // A frozen server keeps its connections. This is for commands without a deadline of their own.
    commandTimeout: 2000,
  });
}

/** For the worker: commands wait until Redis is back, as BullMQ's workers require. */
export function connectPatient(options: ConnectionOptions): RedisClient {
  const client = connect(options, { enableOfflineQueue: true, maxRetriesPerRequest: null, connectTimeout: 5000 });
  if (client instanceof Cluster) client.on('+node', writeTogether);
  else writeTogether(client);
  return client;
}

/**
 * What is written in one turn of the event loop leaves in one system call, which costs more than most commands. Order and
 * transactions stay as they are.
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

/** What its keys begin with; empty for the first card program. */
export const keyPrefixOf = (redis: RedisClient): string => redis.options.keyPrefix ?? '';

/** The same server or cluster over a connection of its own whose keys are as they are written. */
export function withoutKeyPrefix(redis: RedisClient): RedisClient {
  const plain = redis instanceof Cluster ? redis.duplicate([], { keyPrefix: '' }) : redis.duplicate({ keyPrefix: '' });
  // The other connection says in the log that Redis is away.
  plain.on('error', () => {});
  return plain;
}

/** Keys of a card program that match a pattern, of all servers, in pages: neither SCAN nor its answer knows prefixes. */
export async function* scanKeys(redis: RedisClient, pattern: string, page: number): AsyncGenerator<string[]> {
  const prefix = keyPrefixOf(redis);
  for (const node of serversOf(redis)) {
    const stream = node.scanStream({ match: `${prefix}${pattern}`, count: page }) as AsyncIterable<string[]>;
    for await (const keys of stream) yield keys.map((key) => key.slice(prefix.length));
  }
}

/** Resolves when the connection is ready, or after `maxWaitMs`. */
export async function whenReady(redis: RedisClient, maxWaitMs: number): Promise<void> {
  if (redis.status === 'ready') return;
  const ready = new Promise<void>((resolve) => void redis.once('ready', () => resolve()));
  await within(maxWaitMs, ready, () => {});
}

/** What Redis says while it is full, loads its files, has no master, or moves keys between the servers of a cluster. */
const troubles =
  /^(?:OOM|READONLY|LOADING|MASTERDOWN|NOREPLICAS|MISCONF|BUSY|CLUSTERDOWN|TRYAGAIN|MOVED|ASK)\b|Too many Cluster redirections|attempted to access a non local key|Failed to refresh slots cache|Cluster isn't ready|Connection is closed|Command aborted due to connection close|Command timed out|max retries per request/i;

/**
 * True when Redis could not do what was asked because of its own state, so that the same may succeed later. A transaction
 * tells the reason in the errors of its commands.
 */
export function isStoreTrouble(error: unknown): boolean {
  if (error instanceof StoreUnavailableError) return true;
  if (!(error instanceof Error)) return false;
  const commands = 'previousErrors' in error && Array.isArray(error.previousErrors) ? error.previousErrors : [];
  return troubles.test(error.message) || commands.some(isStoreTrouble);
}

const PING_DEADLINE_MS = 700;

/** Whether Redis is there and answers soon. */
export async function isAnswering(redis: RedisClient): Promise<boolean> {
  if (redis.status !== 'ready') return false;
  const ping = redis.ping().catch(() => 'failed');
  return (await within(PING_DEADLINE_MS, ping, () => 'late')) === 'PONG';
}

/** ioredis types this option differently for clusters, and we do not use it. */
type Options = Omit<RedisOptions, 'replyMapping'>;

function connect({ log, name, ...target }: ConnectionOptions, redisOptions: Options): RedisClient {
  const options: Options = {
    ...redisOptions,
    retryStrategy,
    maxLoadingRetryTime: LOADING_RETRY_MS,
    connectionName: `cardbell-${name}`,
    ...(target.keyPrefix === undefined ? {} : { keyPrefix: target.keyPrefix }),
  };
  const client = open(target, options, redisOptions.enableOfflineQueue ?? true);
  let isDown = false;
  client.on('error', (error: Error & { readonly code?: unknown }) => {
    // One line for each outage, not for each attempt. Where a name has several addresses, only the code says why.
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

function open(target: RedisTarget, options: Options, enableOfflineQueue: boolean): RedisClient {
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
    });
  }
  // ioredis takes TLS from the address over TLS from the options: so it stands in the options alone.
  if (urls.length === 1) return new Redis(first.replace(/^rediss:/, 'redis:'), { ...options, ...own });
  const { keyPrefix = '', ...ofNodes } = options;
  return new Cluster([...urls], {
    keyPrefix,
    redisOptions: { ...ofNodes, ...own },
    clusterRetryStrategy: retryStrategy,
    enableOfflineQueue,
  });
}

/** Nodes that are learned later have no address of their own: user, password and TLS are the first one's. */
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
