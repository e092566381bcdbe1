import { setTimeout as sleep } from 'node:timers/promises';
import { within } from '../core/deadline.ts';
import type { StoredEvent } from '../core/event.ts';
import { firstPermitted } from '../core/first-permitted.ts';
import { createLock } from '../core/lock.ts';
import type { Log } from '../core/log.ts';
import type { RedisClient } from '../core/redis.ts';
import type { OfGroup } from '../policy/roles-for-card.ts';
import { type DirectoryAccount, groupIn, lacksDetails, saysSomething, withEvent } from './account.ts';
import { type ApiQuota, apiQuotaDefaults, createApiQuota } from './api-quota.ts';
import { type CardQuery, interpret, isByName } from './card-query.ts';
import { begins, type CardMatch, createIndexReader, matchOf, toMatch } from './index-entries.ts';
import { createFiller, createLoader, type DirectorySource, type Loader } from './loader.ts';
import { isUnsure } from './newest-status.ts';
import { createRecords } from './records.ts';

export interface DirectoryDeps {
  readonly redis: RedisClient;
  /** The card API; null in the web process, which has no token and only reads. */
  readonly loader: DirectorySource | null;
  readonly now: () => Date;
  readonly log?: Log;
  readonly apiQuota?: Partial<ApiQuota>;
}

export type Directory = ReturnType<typeof createDirectory>;

/** Filters entries to those that someone may see. */
type Permitted<Entry> = (entries: readonly Entry[]) => Promise<readonly Entry[]>;
const everything = async <Entry>(entries: readonly Entry[]): Promise<readonly Entry[]> => entries;

const ACCOUNT_WAIT_MS = 1_000;
const LISTED_WAIT_MS = 8_000;
const LOOK_AGAIN_MS = 200;
const FIND_WAIT_MS = 3_000;
const FIND_LOADS = 200;
const FIND_CONCURRENCY = 8;
const FIND_MATCHES = 200;
const EMPTY_ACCOUNT_FRESH_MS = 5 * 60_000;
/** How long whatever does not loosen a card waits for its group. */
const GROUP_WAIT_MS = 3_000;

/** Who holds which card. The worker stores it in Redis, from the card API and from webhooks. Both processes read it. */
export function createDirectory(deps: DirectoryDeps) {
  const { redis, loader: source, now, log = null } = deps;
  const limits: ApiQuota = { ...apiQuotaDefaults, ...deps.apiQuota };
  const records = createRecords(redis);
  const index = createIndexReader(redis, records.keys.index);
  const quota = createApiQuota(redis, limits);
  const loader = source === null ? null : createLoader({ source, records, quota, limits, now, log });
  const tryLock = createLock(redis, { maxWaitMs: 0 });
  const filler = loader === null ? null : createFiller({ loader, records, quota, limits, tryLock, now, log });

  /**
   * One account. When the account is unknown or has no cards, asks the API, for at most a second. Without an answer,
   * returns the stored account or null.
   */
  async function account(acctId: number): Promise<DirectoryAccount | null> {
    const stored = await records.read(acctId);
    const askedAt = stored?.detailsAt == null ? 0 : Date.parse(stored.detailsAt);
    const isGood = stored !== null && (stored.cards.length > 0 || now().getTime() - askedAt < EMPTY_ACCOUNT_FRESH_MS);
    if (isGood || loader === null) return stored;
    return (await within(ACCOUNT_WAIT_MS, loader.loadIfAllowed(acctId), () => null)) ?? stored;
  }

  return {
    ...createFinder(records, index, quota, loader),
    account,
    /** The account's current state in the API, for decisions that cannot be undone. Null when the API fails. */
    reload: async (acctId: number): Promise<DirectoryAccount | null> => loader?.load(acctId) ?? null,
    /** The same, at most seconds old, for decisions about a card's limits. Null when the API does not answer in time. */
    current: async (acctId: number) => (await loader?.current(acctId).catch(() => null)) ?? null,
    status: () => statusOf(records),
    all: records.all,
    /** Asks the API again for every account last read before `beforeMs`. False when some could not be read. */
    reloadOlderThan: async (beforeMs: number): Promise<boolean> => (await filler?.reloadOlderThan(beforeMs)) ?? false,

    /**
     * Lists all accounts if the API quota allows it, then reads their cards in the background. Never throws a CardApiError.
     */
    async refresh({ force = false }: { readonly force?: boolean } = {}): Promise<void> {
      await loader?.list(force);
      void filler?.fill();
    },

    /** After a start, waits up to a few seconds until all accounts were listed once. Listing them continues. */
    async untilListed(): Promise<void> {
      const end = performance.now() + LISTED_WAIT_MS;
      while ((await records.listedAt()) === null && performance.now() < end) {
        const listing = loader && (await within(end - performance.now(), loader.list(false), () => 'failed'));
        if (listing === 'failed') return;
        if (listing !== 'listed') await sleep(LOOK_AGAIN_MS);
      }
    },

    /** Stores the facts from a webhook about holders and cards. */
    async learn(event: StoredEvent): Promise<void> {
      if (event.acctId === null || !saysSomething(event)) return;
      let isIncomplete = false;
      await records.change([event.acctId], (stored) => {
        const changed = withEvent(stored, event, now().toISOString());
        isIncomplete = changed !== null && changed !== stored && (lacksDetails(changed) || isUnsure(changed));
        return changed;
      });
      if (isIncomplete) void filler?.fill();
    },

    /** Accounts with a card that waits to be activated. Reads only Redis. */
    waitingForActivation: (limit: number, permitted: Permitted<DirectoryAccount>) =>
      firstPermitted({ idsOf: index.waiting, read: records.readMany, permitted, limit }),
    /** The same, all of them. */
    allWaitingForActivation: async () => records.readMany(await index.waiting(-1)),
    findByEmail: async (email: string) => records.readMany(await index.byEmail(email)),
    /** Waits until a call that nobody waits for leaves enough of the API quota to people. Shared by all workers. */
    waitForQuota: () => quota.waitForBackground(),
    /** Resolves when no background read is running. */
    idle: (): Promise<void> => filler?.idle() ?? Promise.resolve(),
    stop: (): Promise<void> => filler?.stop() ?? Promise.resolve(),
  };
}

async function statusOf({ count, countLackingDetails, listedAt }: ReturnType<typeof createRecords>) {
  const [accounts, lackingDetails, at] = await Promise.all([count(), countLackingDetails(), listedAt()]);
  return {
    accounts,
    /** Accounts whose cards have not been read yet, so that a search by last four digits does not find them. */
    lackingDetails,
    /** When all accounts were last listed; null: never. */
    listedAt: at,
  };
}

/** The first accounts that a query can mean and somebody may see. Reads only Redis. */
function createLookUp(records: ReturnType<typeof createRecords>, index: ReturnType<typeof createIndexReader>) {
  return async function lookUp(
    query: CardQuery,
    isPermitted: (match: CardMatch) => Promise<boolean> = async () => true,
  ): Promise<CardMatch[]> {
    const found = await firstPermitted({
      idsOf: () => index.candidates(query),
      read: async (ids) => (await records.readMany(ids)).flatMap((account) => matchOf(account, query) ?? []),
      permitted: async (matches) => {
        const may = await Promise.all(matches.map(isPermitted));
        return matches.filter((_, at) => may[at]);
      },
      limit: FIND_MATCHES,
    });
    const hasFullName = found.some(({ matchedBy }) => matchedBy === 'full_name');
    return found
      .filter(({ matchedBy }) => !hasFullName || matchedBy === 'full_name' || !isByName(matchedBy))
      .toSorted((a, b) => (a.holder ?? '').localeCompare(b.holder ?? '') || a.acctId - b.acctId);
  };
}

/** Finds accounts by a person's input, and requests accounts from the API that are not stored yet. */
function createFinder(
  records: ReturnType<typeof createRecords>,
  index: ReturnType<typeof createIndexReader>,
  quota: ReturnType<typeof createApiQuota>,
  loader: Loader | null,
) {
  const lookUp = createLookUp(records, index);
  return {
    /** Every account that the text can mean: last four digits, card id, account id, CustomId or holder's name. */
    async find(
      text: string,
      isPermitted: (match: CardMatch) => Promise<boolean> = async () => true,
    ): Promise<CardMatch[]> {
      const query = interpret(text);
      let isKnown = false;
      const isShown = (match: CardMatch): Promise<boolean> => {
        isKnown = true;
        return isPermitted(match);
      };
      const matches = await lookUp(query, isShown);
      if (loader === null) return matches;
      // The four digits may also match another card that has not been read yet.
      const isSure = isKnown && (query.last4 === null || (await records.countLackingDetails()) === 0);
      if (isSure) return matches;
      const deadline = performance.now() + FIND_WAIT_MS;
      await within(FIND_WAIT_MS, complete(loader, query, !isKnown, deadline), () => null);
      return lookUp(query, isShown);
    },
    /** The same without asking the API, to test how many words of a sentence name a card. */
    findKnown: (text: string) => lookUp(interpret(text)),
    /** Completions of the input so far. Reads only Redis. */
    async search(typed: string, limit: number, permitted: Permitted<CardMatch> = everything): Promise<CardMatch[]> {
      return await firstPermitted({
        idsOf: (most) => index.beginnings(typed, most),
        read: async (ids) => (await records.readMany(ids)).map((account) => toCompletion(account, typed)),
        permitted,
        limit,
      });
    },
    /** Those of some accounts that complete the input so far. Reads only Redis. */
    async searchAmong(acctIds: readonly number[], typed: string): Promise<CardMatch[]> {
      const accounts = await records.readMany(acctIds);
      return accounts.filter((account) => begins(account, typed)).map((account) => toCompletion(account, typed));
    },
  };

  /** Asks the API for every account that the query could still mean. */
  async function complete(api: Loader, { id }: CardQuery, isUnknown: boolean, until: number): Promise<void> {
    if (isUnknown) await Promise.all([api.list(true), id !== null && id > 0 ? api.loadIfAllowed(id) : null]);
    if (id === null) return;
    const queue = await records.nextForDetails(FIND_LOADS, null);
    const work = async (): Promise<void> => {
      for (let acctId = queue.shift(); acctId !== undefined; acctId = queue.shift()) {
        if (performance.now() >= until || (await quota.take('person')) > 0) return;
        await api.load(acctId);
      }
    };
    await Promise.all(Array.from({ length: FIND_CONCURRENCY }, work));
  }
}

function toCompletion(account: DirectoryAccount, typed: string): CardMatch {
  const { id, words } = interpret(typed);
  const digits = typed.trim().replace(/^\D+/, '');
  const cards = id === null ? [] : account.cards.filter((card) => card.last4?.startsWith(digits));
  if (cards.length > 0) return toMatch(account, 'last4', cards);
  return toMatch(account, words.length > 0 ? 'name' : 'account_id', account.cards);
}

interface GroupDeps {
  readonly directory: Pick<Directory, 'account' | 'current'>;
  readonly hasCardGroups: () => boolean;
}

/**
 * The group of a card, read now if it is not known yet or decides whether the card is loosened. Null: none; undefined: it
 * could not be read in time.
 */
export function createGroupOfCard({ directory, hasCardGroups }: GroupDeps) {
  return async function groupOfCard(acctId: number, isLooser = false): Promise<string | null | undefined> {
    if (!hasCardGroups()) return null;
    if (isLooser) return groupIn(await directory.current(acctId));
    const stored = groupIn(await directory.account(acctId));
    if (stored !== undefined) return stored;
    return groupIn(await within(GROUP_WAIT_MS, directory.current(acctId), () => null));
  };
}

/** The group of a card, which may have changed since the facts about it were stored. They count while it is not read yet. */
export function createGroupOfFacts({ directory, hasCardGroups }: GroupDeps) {
  return async ({ acctId, group }: OfGroup): Promise<string | null | undefined> => {
    if (acctId === null || !hasCardGroups()) return group ?? null;
    const current = groupIn(await directory.account(acctId));
    return current === undefined ? (group ?? undefined) : current;
  };
}
