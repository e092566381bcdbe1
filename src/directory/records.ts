import { setTimeout as wait } from 'node:timers/promises';
import { batched } from '../core/batched.ts';
import { chunksOf } from '../core/chunks.ts';
import { StoreUnavailableError } from '../core/errors.ts';
import { directoryKey } from '../core/keys.ts';
import type { RedisClient } from '../core/redis.ts';
import { defineScript, readScript } from '../core/redis-script.ts';
import { DirectoryAccount, lacksDetails } from './account.ts';
import { indexEntries } from './index-entries.ts';
import { isUnsure } from './newest-status.ts';

/** Scores of accounts whose cards have not been read. Other accounts have the time of the last answer as their score. */
const NEEDED_SOON = 0;
const NEEDED_LATER = 1;
/** The score of an account that must be read again: its last answer counts as long ago. */
const NEEDED_AGAIN = 2;

const saveSource = readScript(new URL('./save-accounts.lua', import.meta.url));

const READ_CHUNK = 500;
const WRITE_CHUNK = 100;
const TRIES = 50;

export type ChangeAccount = (stored: DirectoryAccount | null, acctId: number) => DirectoryAccount | null;

/** The accounts in Redis: a hash, an index, and a list of the accounts whose cards must be read. */
export function createRecords(redis: RedisClient) {
  const keys = { accounts: directoryKey('accounts'), index: directoryKey('index'), details: directoryKey('details') };
  const listedAtKey = directoryKey('listed-at');
  const save = defineScript(redis, saveSource);

  async function readTexts(ids: readonly number[]): Promise<(string | null)[]> {
    const texts: (string | null)[] = [];
    for (const chunk of chunksOf(ids, READ_CHUNK))
      texts.push(...(await redis.hmget(keys.accounts, ...chunk.map(String))));
    return texts;
  }

  const readText = batched(readTexts);

  /** @returns the ids of accounts that another process changed at the same time. */
  async function changeSome(ids: readonly number[], change: ChangeAccount): Promise<number[]> {
    const texts = await readTexts(ids);
    const args = ids.flatMap((acctId, place) => changeArgs(acctId, texts[place] ?? '', change));
    if (args.length === 0) return [];
    return ((await save.run([keys.accounts, keys.index, keys.details], args)) as string[]).map(Number);
  }

  return {
    keys,
    read: async (acctId: number) => parse((await readText(acctId)) ?? ''),
    readMany: async (ids: readonly number[]) =>
      (await readTexts(ids)).map((text) => parse(text ?? '')).filter((account) => account !== null),

    /** Applies `change` to each account, and retries when another process was faster. Null leaves the account unchanged. */
    async change(ids: readonly number[], change: ChangeAccount): Promise<void> {
      for (const chunk of chunksOf(ids, WRITE_CHUNK)) {
        let left: readonly number[] = chunk;
        for (let tries = 0; left.length > 0; tries += 1) {
          if (tries === TRIES) throw new StoreUnavailableError('directory accounts changed too often to be written');
          if (tries > 0) await wait(Math.random() * tries * 2);
          left = await changeSome(left, change);
        }
      }
    },

    /** Every account, unordered. An account that changes in the meantime may be returned twice. */
    async *all(): AsyncGenerator<DirectoryAccount> {
      let cursor = '0';
      do {
        const [next, fields] = await redis.hscan(keys.accounts, cursor, 'COUNT', READ_CHUNK);
        for (const [place, text] of fields.entries()) {
          const account = place % 2 === 1 ? parse(text) : null;
          if (account !== null) yield account;
        }
        cursor = next;
      } while (cursor !== '0');
    },

    count: () => redis.hlen(keys.accounts),
    countLackingDetails: () => redis.zcount(keys.details, '-inf', NEEDED_LATER),

    /** The accounts to read next: first those never read, open before closed; then those read before `staleMs`. */
    async nextForDetails(limit: number, staleMs: number | null): Promise<number[]> {
      const until = staleMs ?? NEEDED_LATER;
      return (await redis.zrangebyscore(keys.details, '-inf', until, 'LIMIT', 0, limit)).map(Number);
    },

    /** The API refused the account: moves it to the end of the queue. */
    async markAsked(acctId: number, atMs: number): Promise<void> {
      await redis.zadd(keys.details, 'XX', atMs, String(acctId));
    },

    listedAt: () => redis.get(listedAtKey),
    async setListedAt(at: string): Promise<void> {
      await redis.set(listedAtKey, at);
    },
  };
}

/** The arguments of `save-accounts.lua` for one account; empty when it is unchanged. */
function changeArgs(acctId: number, text: string, change: ChangeAccount): string[] {
  const stored = parse(text);
  const changed = change(stored, acctId);
  const json = changed === null ? text : JSON.stringify(changed);
  if (changed === null || json === text) return [];
  const before = stored === null ? [] : indexEntries(stored);
  const after = indexEntries(changed);
  const removed = before.filter((entry) => !after.includes(entry));
  const head = [String(acctId), text, json, String(needOf(changed)), String(removed.length), ...removed];
  return [...head, String(after.length), ...after];
}

function needOf(account: DirectoryAccount): number {
  if (!lacksDetails(account)) return isUnsure(account) ? NEEDED_AGAIN : Date.parse(account.detailsAt ?? '');
  return account.accountStatus === 'CLOSED' ? NEEDED_LATER : NEEDED_SOON;
}

/** An account that an older release stored and that no longer fits counts as unknown: the API returns it again. */
function parse(text: string): DirectoryAccount | null {
  if (text === '') return null;
  const parsed = DirectoryAccount.safeParse(JSON.parse(text));
  return parsed.success ? parsed.data : null;
}
