import type { ChainableCommander } from 'ioredis';
import { ForgedError, isFaultOfOurs } from './errors.ts';
import { stateKey } from './keys.ts';
import type { RedisClient } from './redis.ts';
import { defineScript, readScript } from './redis-script.ts';
import type { Signer } from './sign.ts';
import { fromStored, type Reads, toStored } from './unknown-fields.ts';

/**
 * How records of one type are written to and read from Redis. All stores use it, so put anything here that applies to
 * every stored record.
 */
interface RecordFormat<T> {
  /** @throws ZodError when the record does not fit its schema. */
  write(record: T): string;
  /** @throws ZodError when stored data does not match the schema; ForgedError when it should be signed and is not. */
  read(text: string): T;
  /** Null when Redis has nothing. */
  readOrNull(text: string | null | undefined): T | null;
}

/**
 * @param signer given for records that can loosen a card: they are signed, so that someone who can write to Redis
 * cannot change them. Null in a process that only shows them: it can neither sign nor verify.
 */
export function recordFormat<T>(schema: Reads<T>, signer?: Signer | null): RecordFormat<T> {
  const read = (text: string): T => {
    const stored: unknown = JSON.parse(text);
    if (signer === undefined) return fromStored(schema, stored);
    const { signature, ...said } = stored as Record<string, unknown>;
    if (signer !== null && !signer.verify(said, signature)) throw new ForgedError();
    return fromStored(schema, said);
  };
  return {
    write(record) {
      if (signer === null) throw new Error('this process has no key to sign its records');
      const said = toStored(schema, record);
      return JSON.stringify(signer === undefined ? said : { ...(said as object), signature: signer.sign(said) });
    },
    read,
    readOrNull: (text) => (text === null || text === undefined ? null : read(text)),
  };
}

/** Kinds of records that this version could not read in part. Kept until ops are notified. */
export const unreadableKey = stateKey('unreadable');

/** Returns the records this version can read and skips the rest, so that one newer record does not hide the others. */
export async function readEach<T>(
  redis: RedisClient,
  kind: string,
  texts: readonly (string | null)[],
  format: RecordFormat<T>,
): Promise<T[]> {
  const records: T[] = [];
  let hasUnreadable = false;
  for (const text of texts) {
    try {
      if (text !== null) records.push(format.read(text));
    } catch (error) {
      if (!isFaultOfOurs(error)) throw error;
      hasUnreadable = true;
    }
  }
  if (hasUnreadable) await redis.sadd(unreadableKey, kind);
  return records;
}

/** Adds commands to the transaction of a change. Their keys must be in the same slot as the record's. */
type Also = (change: ChainableCommander) => unknown;

interface Changed<T> {
  readonly isChanged: boolean;
  /** The current record. Null when there is none. */
  readonly stands: T | null;
}

interface StoreOptions<T, Id> {
  readonly redis: RedisClient;
  readonly schema: Reads<T>;
  /** Given when the records are signed; null: see `recordFormat`. */
  readonly signer?: Signer | null;
  /** Distinguishes a signed record from a copy of another id's record. */
  readonly idOf?: (record: T) => Id;
  readonly keyOf: (id: Id) => string;
  readonly ttlSeconds: number;
}

/** @throws ForgedError for a validly signed record of another id. */
function ofId<T, Id>(id: Id, record: T | null, { idOf }: Pick<StoreOptions<T, Id>, 'idOf'>): T | null {
  if (record !== null && idOf !== undefined && idOf(record) !== id) throw new ForgedError();
  return record;
}

/** Records by id, each with a key. Each `put` and `delete` is one transaction. */
export function createRecordStore<T, Id = string>(options: StoreOptions<T, Id>) {
  const { redis, keyOf, ttlSeconds } = options;
  const format = recordFormat(options.schema, options.signer);
  return {
    get: async (id: Id): Promise<T | null> => ofId(id, format.readOrNull(await redis.get(keyOf(id))), options),
    put: (id: Id, record: T, also?: Also): Promise<void> =>
      inOne(redis, (change) => change.set(keyOf(id), format.write(record), 'EX', ttlSeconds), also),
    delete: (id: Id, also?: Also): Promise<void> => inOne(redis, (change) => change.del(keyOf(id)), also),
  };
}

const changeScript = readScript(new URL('./change-record.lua', import.meta.url));

interface OpenStoreOptions<T> extends StoreOptions<T, string> {
  /** Sorted set of the ids of open records. All keys of the store must share its slot. */
  readonly openKey: string;
  /** Sort order of open records, smallest first. Null when the record is not open. */
  readonly orderOf: (record: T) => number | null;
}

export type OpenRecordStore<T> = ReturnType<typeof createOpenRecordStore<T>>;

/** Records by id, each with a key. The store knows which of them are open. */
export function createOpenRecordStore<T>(options: OpenStoreOptions<T>) {
  const { redis, keyOf, openKey, orderOf } = options;
  const format = recordFormat(options.schema, options.signer);
  return {
    ...createChangingRecordStore(options),
    /** The open ones in order. */
    async open(): Promise<T[]> {
      const ids = await redis.zrange(openKey, '0', '-1');
      if (ids.length === 0) return [];
      const texts = await redis.mget(ids.map(keyOf));
      // The record of an open id has expired. Nothing else would remove the id.
      const expired = ids.filter((_id, index) => texts[index] === null);
      if (expired.length > 0) await redis.zrem(openKey, ...expired);
      const records = await readEach(redis, openKey, texts, format);
      // A record may be closed between the two reads.
      return records.filter((record) => orderOf(record) !== null);
    },
  };
}

/** A key for each record, which changes in one step. */
export function createChangingRecordStore<T, Id = string>(
  options: StoreOptions<T, Id> & Partial<Pick<OpenStoreOptions<T>, 'openKey' | 'orderOf'>>,
) {
  const { redis, keyOf, ttlSeconds, openKey, orderOf } = options;
  const script = defineScript(redis, changeScript);
  const format = recordFormat(options.schema, options.signer);
  return {
    get: createRecordStore(options).get,
    /**
     * Reads a record and stores its next version in one step. If someone else changes it in between, it is read again.
     *
     * @param next what the record becomes; null leaves it unchanged.
     */
    async change(id: Id, next: (current: T | null) => T | null): Promise<Changed<T>> {
      const key = keyOf(id);
      for (let text = (await redis.get(key)) ?? ''; ; ) {
        const current = text === '' ? null : format.read(text);
        const becomes = next(current);
        if (becomes === null) return { isChanged: false, stands: current };
        const args = [format.write(becomes), text, ttlSeconds, orderOf?.(becomes) ?? '', String(id)];
        const stands = (await script.run([key, ...(openKey === undefined ? [] : [openKey])], args)) as string | 0;
        if (stands === 0) return { isChanged: true, stands: becomes };
        text = stands;
      }
    },
  };
}

/** Records that are always read together: one hash without expiry. */
export function createRecordHash<T>(
  options: Omit<StoreOptions<T, string>, 'keyOf' | 'ttlSeconds'> & { readonly key: string },
) {
  const { redis, key } = options;
  const format = recordFormat(options.schema, options.signer);
  return {
    get: async (id: string): Promise<T | null> => ofId(id, format.readOrNull(await redis.hget(key, id)), options),
    put: (id: string, record: T, also?: Also): Promise<void> =>
      inOne(redis, (change) => change.hset(key, id, format.write(record)), also),
    delete: (id: string, also?: Also): Promise<void> => inOne(redis, (change) => change.hdel(key, id), also),
    /** In no order. */
    all: async (): Promise<T[]> => await readEach(redis, key, await redis.hvals(key), format),
  };
}

/** Runs several changes as one transaction. */
async function inOne(redis: RedisClient, ...changes: readonly (Also | undefined)[]): Promise<void> {
  const transaction = redis.multi();
  for (const change of changes) change?.(transaction);
  await commit(transaction);
}

/** Runs a transaction. Throws if any command failed: `exec` itself resolves in that case. @returns the answers. */
export async function commit(change: ChainableCommander): Promise<unknown[]> {
  const answers = (await change.exec()) ?? [];
  for (const [error] of answers) if (error !== null) throw error;
  return answers.map(([, answer]) => answer);
}
