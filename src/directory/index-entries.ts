import type { RedisClient } from '../core/redis.ts';
import { type DirectoryAccount, type DirectoryCard, groupIn, holderOf } from './account.ts';
import {
  type CardQuery,
  digitsIn,
  fitOfName,
  foldId,
  isLongEnough,
  type MatchKind,
  nameKeys,
  nameWords,
} from './card-query.ts';

/** Sorts after any other text: the upper end of a prefix range. */
const LAST = '\u{10ffff}';

/**
 * The index entries of an account: members `kind:key:acctId` of a sorted set with equal scores. Redis keeps them in
 * alphabetical order, so that `ZRANGEBYLEX` finds exact matches and prefixes.
 */
export function indexEntries(account: DirectoryAccount): string[] {
  const entries = [
    `a:${account.acctId}`,
    ...nameKeys(account.firstName, account.lastName).map((key) => `n:${key}`),
    ...(account.customId === null ? [] : [`x:${foldId(account.customId)}`]),
    ...(account.email === null ? [] : [`e:${foldId(account.email)}`]),
    ...(waitsForActivation(account) ? ['w:activation'] : []),
    ...account.cards.flatMap((card) => [
      ...(card.last4 === null ? [] : [`4:${card.last4}`]),
      ...(card.cardId === null ? [] : [`c:${card.cardId}`]),
    ]),
  ];
  return [...new Set(entries)].map((entry) => `${entry}:${account.acctId}`);
}

function waitsForActivation({ accountStatus, cards }: DirectoryAccount): boolean {
  return accountStatus !== 'CLOSED' && cards.some(({ status }) => status === 'INACTIVE');
}

/** What an incomplete query can mean, each as the beginnings of index entries that an account must have. */
function meaningsOf(typed: string): readonly (readonly string[])[] {
  const digits = digitsIn(typed);
  if (typed.trim() === '') return [['n:']];
  const custom = [`x:${foldId(typed)}`];
  if (digits !== null) return [...['4', 'a', 'c'].map((kind) => [`${kind}:${digits}`]), custom];
  return [custom, nameWords(typed).map((word) => `n:${word}`)];
}

/** Whether an account matches an incomplete query. */
export function begins(account: DirectoryAccount, typed: string): boolean {
  const entries = indexEntries(account);
  const hasEntry = (beginning: string): boolean => entries.some((entry) => entry.startsWith(beginning));
  return typed.trim() === '' || meaningsOf(typed).some((each) => each.length > 0 && each.every(hasEntry));
}

/** Reads the index. Returns account ids; the caller checks whether each account really matches. */
export function createIndexReader(redis: RedisClient, indexKey: string) {
  const range = async (from: string, limit: number): Promise<number[]> => {
    const members = await redis.zrangebylex(indexKey, `[${from}`, `[${from}${LAST}`, 'LIMIT', 0, limit);
    return members.map((member) => Number(member.slice(member.lastIndexOf(':') + 1)));
  };
  const exact = (kind: string, key: string) => range(`${kind}:${key}:`, 1000);

  /** Accounts with an entry for each beginning. */
  const withAll = async (beginnings: readonly string[], limit: number): Promise<number[]> => {
    if (beginnings.length === 0) return [];
    const sets = await Promise.all(beginnings.map((each) => range(each, beginnings.length === 1 ? limit : -1)));
    const [smallest, ...others] = sets.map((ids) => new Set(ids)).toSorted((a, b) => a.size - b.size);
    return [...(smallest ?? [])].filter((id) => others.every((ids) => ids.has(id)));
  };

  return {
    /** Accounts that a complete query can mean. */
    async candidates(query: CardQuery): Promise<number[]> {
      const wordRange = (word: string): string => (isLongEnough(word) ? `n:${word}` : `n:${word}:`);
      const batch = query.words.length > 1 ? [query.words.join('')] : [];
      const found = await Promise.all([
        query.id === null ? [] : exact('a', String(query.id)),
        query.id === null ? [] : exact('c', String(query.id)),
        query.last4 === null ? [] : exact('4', query.last4),
        query.customId === null ? [] : exact('x', query.customId),
        withAll(query.words.map(wordRange), 5000),
        withAll(batch.map(wordRange), 5000),
      ]);
      return [...new Set(found.flat())];
    },

    /** Accounts that match an incomplete query. */
    async beginnings(typed: string, limit: number): Promise<number[]> {
      // One account has up to about eight keys with the same prefix.
      const found = await Promise.all(meaningsOf(typed).map((each) => withAll(each, limit * 8)));
      return [...new Set(found.flat())].slice(0, limit);
    },

    /** Accounts with a card that waits to be activated. -1: all. */
    waiting: (limit: number) => range('w:activation:', limit),

    byEmail: (email: string) => exact('e', foldId(email)),
  };
}

/** Why an account matches a query, and with which of its cards. Null when it does not. */
export function matchOf(account: DirectoryAccount, query: CardQuery): CardMatch | null {
  const byCardId = account.cards.filter((card) => query.id !== null && card.cardId === query.id);
  const byLast4 = account.cards.filter((card) => query.last4 !== null && card.last4 === query.last4);
  const fit = fitOfName(query.words, account.firstName, account.lastName);
  if (account.acctId === query.id) return toMatch(account, 'account_id', account.cards);
  if (account.customId !== null && query.customId === foldId(account.customId))
    return toMatch(account, 'custom_id', account.cards);
  if (byCardId.length > 0) return toMatch(account, 'card_id', [...new Set([...byCardId, ...byLast4])]);
  if (byLast4.length > 0) return toMatch(account, 'last4', byLast4);
  return fit === null ? null : toMatch(account, fit, account.cards);
}

/** An account that a query can mean. */
export type CardMatch = ReturnType<typeof toMatch>;

/**
 * @param matchedBy the strongest kind of match.
 * @param cards those that matched; all of the account's cards when the account matched.
 */
export function toMatch(account: DirectoryAccount, matchedBy: MatchKind, cards: readonly DirectoryCard[]) {
  const { acctId, customId, isVirtual } = account;
  return { acctId, holder: holderOf(account), group: groupIn(account), customId, isVirtual, cards, matchedBy };
}
