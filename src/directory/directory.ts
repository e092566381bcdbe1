import type { Cluster, Redis } from 'ioredis';
import { within } from '../core/deadline.ts';
import type { StoredEvent } from '../core/event.ts';
import type { Log } from '../core/log.ts';
import { type DirectoryAccount, lacksDetails, withEvent } from './account.ts';
import { type ApiQuota, apiQuotaDefaults, createApiQuota } from './api-quota.ts';
import { type CardQuery, interpret } from './card-query.ts';
import { type CardMatch, createIndexReader, matchOf, toMatch } from './index-entries.ts';
import { createLoader, type DirectorySource, type Listing } from './loader.ts';
import { createRecords } from './records.ts';

export interface DirectoryDeps {
  readonly redis: Redis | Cluster;
  /** Names a key; all names must get the same hash tag. */
  readonly keyOf: (name: string) => string;
  /** The card API; null in a process that only reads, which has no token. */
  readonly loader: DirectorySource | null;
  readonly now?: () => Date;
  readonly log?: Log;
  readonly apiQuota?: Partial<ApiQuota>;
}

export interface DirectoryStatus {
  readonly accounts: number;
  /** Accounts whose cards have not been asked for yet: their last four digits are not found. */
  readonly lackingDetails: number;
  /** Last complete list; null: never. */
  readonly listedAt: string | null;
}

export interface Directory {
  /** Lists all accounts where politeness allows and goes on filling in their cards in the background. Never throws for the API. */
  refresh(options?: { force?: boolean }): Promise<DirectoryStatus & { readonly listing: Listing | 'no_loader' }>;
  /** What is known of one account; asks the API when it is unknown or without cards. Null or old facts after a second without answer. */
  account(acctId: number): Promise<DirectoryAccount | null>;
  /** The same straight from the API, for decisions that cannot be taken back. Null when the API would not tell. */
  reload(acctId: number): Promise<DirectoryAccount | null>;
  /** Takes what a webhook tells about holders and cards. */
  learn(event: StoredEvent): Promise<void>;
  /** Every account that a person's word can mean: last four digits, card id, account id, CustomId, holder's name. */
  find(query: string): Promise<CardMatch[]>;
  /** The same without ever asking the API: for trying how many words of a sentence name a card. */
  findKnown(query: string): Promise<CardMatch[]>;
  /** What the text typed so far can become. Redis only. */
  search(typed: string, limit: number): Promise<CardMatch[]>;
  findByEmail(email: string): Promise<DirectoryAccount[]>;
  /** Accounts with a card that waits for its activation, as far as known. Redis only. */
  waitingForActivation(limit: number): Promise<DirectoryAccount[]>;
  /** Asks the API for every account that it was last asked for before, politely. False when not all could be. */
  reloadOlderThan(beforeMs: number): Promise<boolean>;
  /** Every account that is known. */
  all(): AsyncGenerator<DirectoryAccount>;
  status(): Promise<DirectoryStatus>;
  /** Resolves when background filling rests. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

const ACCOUNT_WAIT_MS = 1_000;
const FIND_WAIT_MS = 3_000;
const FIND_LOADS = 200;
const FIND_CONCURRENCY = 8;
const FIND_MATCHES = 200;
const EMPTY_ACCOUNT_FRESH_MS = 5 * 60_000;

/** Who holds which card, kept in Redis by the worker from the card API and from webhooks, read by everybody. */
export function createDirectory({
  redis,
  keyOf,
  loader: source,
  now = () => new Date(),
  log,
  apiQuota,
}: DirectoryDeps): Directory {
  const limits: ApiQuota = { ...apiQuotaDefaults, ...apiQuota };
  const records = createRecords(redis, keyOf);
  const index = createIndexReader(redis, records.keys.index);
  const polite = createApiQuota(redis, keyOf, limits);
  const remember = {
    listedAt: () => redis.get(keyOf('listed-at')),
    setListedAt: async (at: string): Promise<void> => void (await redis.set(keyOf('listed-at'), at)),
  };
  const loader =
    source === null ? null : createLoader({ source, records, polite, limits, remember, now, log: log ?? null });

  const status = async (): Promise<DirectoryStatus> => {
    const [accounts, lackingDetails, listedAt] = await Promise.all([
      records.count(),
      records.countLackingDetails(),
      remember.listedAt(),
    ]);
    return { accounts, lackingDetails, listedAt };
  };

  async function lookUp(query: CardQuery): Promise<CardMatch[]> {
    const candidates = await index.candidates(query);
    const found = (await records.readMany(candidates.slice(0, FIND_MATCHES))).flatMap(
      (account) => matchOf(account, query) ?? [],
    );
    const hasWholeName = found.some(({ isWholeName }) => isWholeName);
    return found
      .filter(({ match, isWholeName }) => !hasWholeName || isWholeName || match.matchedBy !== 'name')
      .map(({ match }) => match)
      .toSorted((a, b) => (a.holder ?? '').localeCompare(b.holder ?? '') || a.acctId - b.acctId);
  }

  async function find(text: string): Promise<CardMatch[]> {
    const query = interpret(text);
    const known = await lookUp(query);
    if (loader === null) return known;
    // Four digits may be those of a second card that is not known yet.
    const isSure = known.length > 0 && (query.last4 === null || (await records.countLackingDetails()) === 0);
    if (isSure) return known;
    const deadline = performance.now() + FIND_WAIT_MS;
    await within(FIND_WAIT_MS, complete(query, known.length === 0, deadline), () => null);
    return lookUp(query);
  }

  /** Asks the API for what could still make the query mean something. */
  async function complete(query: CardQuery, isUnknown: boolean, until: number): Promise<void> {
    if (loader === null) return;
    const isLate = (): boolean => performance.now() >= until;
    const { id } = query;
    const ask = async (acctId: number): Promise<void> => {
      const isWelcome = acctId > 0 && !(await polite.wasRefused(acctId)) && (await polite.take('person')) === 0;
      if (isWelcome) await loader.load(acctId);
    };
    if (isUnknown) await Promise.all([loader.list(true), id === null ? null : ask(id)]);
    if (id === null) return;
    const queue = await records.nextForDetails(FIND_LOADS, null);
    const work = async (): Promise<void> => {
      for (let acctId = queue.shift(); acctId !== undefined && !isLate(); acctId = queue.shift()) {
        if ((await polite.take('person')) > 0) return;
        await loader.load(acctId);
      }
    };
    await Promise.all(Array.from({ length: FIND_CONCURRENCY }, work));
  }

  async function account(acctId: number): Promise<DirectoryAccount | null> {
    const known = await records.read(acctId);
    const askedAt = known?.detailsAt === null || known === null ? 0 : Date.parse(known.detailsAt);
    const isGood = known !== null && (known.cards.length > 0 || now().getTime() - askedAt < EMPTY_ACCOUNT_FRESH_MS);
    if (isGood || loader === null) return known;
    const loading = (async () =>
      (await polite.wasRefused(acctId)) || (await polite.take('person')) > 0 ? null : loader.load(acctId))();
    return (await within(ACCOUNT_WAIT_MS, loading, () => null)) ?? known;
  }

  return {
    account,
    find,
    findKnown: (text) => lookUp(interpret(text)),
    reload: async (acctId) => loader?.load(acctId) ?? null,
    status,
    all: records.all,
    reloadOlderThan: async (beforeMs) => (await loader?.reloadOlderThan(beforeMs)) ?? false,

    async refresh({ force = false } = {}) {
      if (loader === null) return { ...(await status()), listing: 'no_loader' };
      const listing = await loader.list(force);
      void loader.fill();
      return { ...(await status()), listing };
    },

    async learn(event) {
      if (event.acctId === null) return;
      let isIncomplete = false;
      await records.change([event.acctId], (known) => {
        const changed = withEvent(known, event, now().toISOString());
        isIncomplete = changed !== null && changed !== known && lacksDetails(changed);
        return changed;
      });
      if (isIncomplete) void loader?.fill();
    },

    async search(typed, limit) {
      const query = interpret(typed);
      const accounts = await records.readMany(await index.beginnings(typed, limit));
      return accounts.map((one) => {
        const digits = query.id === null ? null : String(query.id);
        const cards =
          digits === null ? [] : one.cards.filter((card) => card.last4?.startsWith(typed.trim().replace(/^\D+/, '')));
        return cards.length > 0
          ? toMatch(one, 'last4', cards)
          : toMatch(one, query.words.length > 0 ? 'name' : 'account_id', one.cards);
      });
    },

    waitingForActivation: async (limit) => records.readMany(await index.waiting(limit)),
    findByEmail: async (email) => records.readMany(await index.byEmail(email)),
    idle: () => loader?.idle() ?? Promise.resolve(),
    stop: () => loader?.stop() ?? Promise.resolve(),
  };
}
