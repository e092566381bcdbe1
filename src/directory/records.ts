import { setTimeout as wait } from 'node:timers/promises';
import type { Cluster, Redis } from 'ioredis';
import { StoreUnavailableError } from '../core/errors.ts';
import { defineScript, readScript } from '../core/redis-script.ts';
import { DirectoryAccount, lacksDetails } from './account.ts';
import { indexEntries } from './index-entries.ts';

/** Scores of accounts whose cards are still to be asked for; others have the time of their last answer. */
const NEEDED_SOON = 0;
const NEEDED_LATER = 1;

const saveSource = readScript(new URL('./save-accounts.lua', import.meta.url));

const READ_CHUNK = 500;
const WRITE_CHUNK = 100;
const TRIES = 50;

export type Change = (known: DirectoryAccount | null, acctId: number) => DirectoryAccount | null;

/** The accounts in Redis: one hash, one index, one list of who needs details. All keys share a hash tag. */
export function createRecords(redis: Redis | Cluster, keyOf: (name: string) => string) {
  const keys = { accounts: keyOf('accounts'), index: keyOf('index'), details: keyOf('details') };
  const save = defineScript(redis, saveSource);

  async function readTexts(ids: readonly number[]): Promise<(string | null)[]> {
    const texts: (string | null)[] = [];
    for (const chunk of chunksOf(ids, READ_CHUNK))
      texts.push(...(await redis.hmget(keys.accounts, ...chunk.map(String))));
    return texts;
  }

  async function changeSome(ids: readonly number[], change: Change): Promise<number[]> {
    const texts = await readTexts(ids);
    const args = ids.flatMap((acctId, place): string[] => {
      const text = texts[place] ?? '';
      const known = parse(text);
      const changed = change(known, acctId);
      if (changed === null) return [];
      const json = JSON.stringify(changed);
      if (json === text) return [];
      const before = known === null ? [] : indexEntries(known);
      const after = indexEntries(changed);
      const removed = before.filter((entry) => !after.includes(entry));
      const head = [String(acctId), text, json, String(needOf(changed)), String(removed.length), ...removed];
      return [...head, String(after.length), ...after];
    });
    if (args.length === 0) return [];
    const failed = (await save.run([keys.accounts, keys.index, keys.details], args)) as string[];
    return failed.map(Number);
  }

  return {
    keys,

    async read(acctId: number): Promise<DirectoryAccount | null> {
      return parse((await redis.hget(keys.accounts, String(acctId))) ?? '');
    },

    async readMany(ids: readonly number[]): Promise<DirectoryAccount[]> {
      return (await readTexts(ids)).map((text) => parse(text ?? '')).filter((account) => account !== null);
    },

    /** Applies `change` to each account, again where somebody else was faster. Null leaves the account alone. */
    async change(ids: readonly number[], change: Change): Promise<void> {
      for (const chunk of chunksOf(ids, WRITE_CHUNK)) {
        let left: readonly number[] = chunk;
        for (let tries = 0; left.length > 0; tries += 1) {
          if (tries === TRIES) throw new StoreUnavailableError('directory accounts changed too often to be written');
          if (tries > 0) await wait(Math.random() * tries * 2);
          left = await changeSome(left, change);
        }
      }
    },

    /** Every account, in no order. One that is changed meanwhile may come twice. */
    async *all(): AsyncGenerator<DirectoryAccount> {
      let cursor = '0';
      do {
        const [next, fields] = await redis.hscan(keys.accounts, cursor, 'COUNT', READ_CHUNK);
        for (const [index, text] of fields.entries()) {
          const account = index % 2 === 1 ? parse(text) : null;
          if (account !== null) yield account;
        }
        cursor = next;
      } while (cursor !== '0');
    },

    async count(): Promise<number> {
      return redis.hlen(keys.accounts);
    },

    async countLackingDetails(): Promise<number> {
      return redis.zcount(keys.details, '-inf', NEEDED_LATER);
    },

    /** Whose cards to ask for next: those never asked for, accounts in use first; then the longest ago before `staleMs`. */
    async nextForDetails(limit: number, staleMs: number | null): Promise<number[]> {
      const until = staleMs ?? NEEDED_LATER;
      return (await redis.zrangebyscore(keys.details, '-inf', until, 'LIMIT', 0, limit)).map(Number);
    },

    /** The API would not tell: not to be asked about again before the rest had their turn. */
    async markAsked(acctId: number, atMs: number): Promise<void> {
      await redis.zadd(keys.details, 'XX', atMs, String(acctId));
    },
  };
}

function needOf(account: DirectoryAccount): number {
  if (!lacksDetails(account)) return Date.parse(account.detailsAt ?? '');
  return account.accountStatus === 'CLOSED' ? NEEDED_LATER : NEEDED_SOON;
}

/** A text of an older release that no longer fits counts as unknown: the API fills it again. */
function parse(text: string): DirectoryAccount | null {
  if (text === '') return null;
  const parsed = DirectoryAccount.safeParse(JSON.parse(text));
  return parsed.success ? parsed.data : null;
}

function chunksOf<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_none, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}
