import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { AccountDetails, Business } from '../card-api/schema-account.ts';
import { CardApiError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { type DirectoryAccount, withDetails, withListed } from './account.ts';
import type { ApiQuota, createApiQuota } from './api-quota.ts';
import type { createRecords } from './records.ts';

/** What the directory asks the card API. */
export interface DirectorySource {
  listAccounts(options?: { deadlineMs?: number; maxRetries?: number }): Promise<Pick<Business, 'accounts'>>;
  getAccount(acctId: number, options?: { deadlineMs?: number; maxRetries?: number }): Promise<AccountDetails>;
}

interface Deps {
  readonly source: DirectorySource;
  readonly records: ReturnType<typeof createRecords>;
  readonly polite: ReturnType<typeof createApiQuota>;
  readonly limits: ApiQuota;
  readonly remember: { listedAt(): Promise<string | null>; setListedAt(at: string): Promise<void> };
  readonly now: () => Date;
  readonly log: Log | null;
}

const ONE_ACCOUNT_MS = 5_000;
const LIST_MS = 30_000;
const FILL_BATCH = 4;

export type Listing = 'listed' | 'fresh' | 'somebody_else' | 'failed';

/** Brings what the card API knows into the records, politely. Failures are logged, never thrown: alerts go on. */
export function createLoader({ source, records, polite, limits, remember, now, log }: Deps) {
  const running = new Map<number, Promise<DirectoryAccount | null>>();
  const stopping = new AbortController();
  const me = randomUUID();
  let filling: Promise<void> | null = null;
  /** Asked for while a filling was ending: it may have looked before there was something to fill. */
  let isWantedAgain = false;

  /** Lists all accounts, when the politeness allows it. */
  async function list(force: boolean): Promise<Listing> {
    const listedAt = await remember.listedAt();
    if (!force && listedAt !== null && now().getTime() - Date.parse(listedAt) < limits.listFreshMs) return 'fresh';
    if (!(await polite.mayList())) return 'somebody_else';
    const at = now().toISOString();
    try {
      // One call counts against ten an hour, so it is not repeated by itself.
      const { accounts } = await source.listAccounts({ deadlineMs: LIST_MS, maxRetries: 0 });
      const byId = new Map(accounts.map((account) => [account.acctId, account]));
      await records.change([...byId.keys()], (known, acctId) => {
        const listed = byId.get(acctId);
        return listed === undefined ? known : withListed(known, listed, at);
      });
      await remember.setListedAt(at);
      log?.info({ accounts: byId.size }, 'directory listed');
      return 'listed';
    } catch (error) {
      const code = codeOf(error);
      const isRateLimit = error instanceof CardApiError && error.code === 'rate_limited';
      await polite.listFailed(isRateLimit ? (error.retryAfterMs ?? limits.listEveryMs) : null);
      log?.warn({ code }, 'directory could not be listed');
      return 'failed';
    }
  }

  /** Asks for one account; calls for the same account in this process share one. Null when the API would not tell. */
  function load(acctId: number): Promise<DirectoryAccount | null> {
    const same = running.get(acctId);
    if (same !== undefined) return same;
    const loading = loadNow(acctId).finally(() => running.delete(acctId));
    running.set(acctId, loading);
    return loading;
  }

  async function loadNow(acctId: number): Promise<DirectoryAccount | null> {
    const at = now().toISOString();
    try {
      const details = await source.getAccount(acctId, { deadlineMs: ONE_ACCOUNT_MS, maxRetries: 0 });
      await records.change([acctId], (known) => withDetails(known, { ...details, acctId }, at));
      return await records.read(acctId);
    } catch (error) {
      await noteFailure(acctId, error);
      return null;
    }
  }

  async function noteFailure(acctId: number, error: unknown): Promise<void> {
    if (!(error instanceof CardApiError)) throw error;
    log?.warn({ code: error.code, status: error.status }, 'directory could not load an account');
    if (error.code === 'rate_limited') await polite.backOff(error.retryAfterMs);
    const isHopeless = error.code === 'refused' || error.code === 'bad_answer' || error.code === 'server_error';
    if (!isHopeless) return;
    await polite.rememberRefused(acctId);
    await records.markAsked(acctId, now().getTime());
  }

  /** Completes missing cards in the background, then refreshes the stalest. Ends when there is nothing to do. */
  function fill(): Promise<void> {
    isWantedAgain = filling !== null;
    filling ??= fillAll()
      .catch((error: unknown) => {
        if (!stopping.signal.aborted) log?.warn({ code: codeOf(error) }, 'directory filling ended early');
      })
      .finally(() => {
        filling = null;
        if (isWantedAgain && !stopping.signal.aborted) void fill();
      });
    return filling;
  }

  async function fillAll(): Promise<void> {
    try {
      while (!stopping.signal.aborted && (await polite.mayFill(me))) {
        const missing = await records.nextForDetails(FILL_BATCH, null);
        const stale = now().getTime() - limits.detailsStaleMs;
        const batch = missing.length > 0 ? missing : await records.nextForDetails(FILL_BATCH, stale);
        if (batch.length === 0) return;
        if (!(await fillSome(batch))) return;
      }
    } finally {
      await polite.stopFilling(me);
    }
  }

  /** @returns false when the API is away: the next refresh goes on. */
  async function fillSome(batch: readonly number[]): Promise<boolean> {
    const loads: Promise<DirectoryAccount | null>[] = [];
    for (const acctId of batch) {
      for (let waitMs = await polite.take('background'); waitMs > 0; waitMs = await polite.take('background')) {
        await wait(Math.min(waitMs, 20_000), undefined, { signal: stopping.signal, ref: false });
        if (!(await polite.mayFill(me))) return false;
      }
      loads.push(load(acctId));
    }
    const loaded = await Promise.all(loads);
    const left = await records.nextForDetails(batch.length, null);
    // Neither loaded nor marked as asked: nothing was reached.
    return loaded.some((account) => account !== null) || !batch.every((acctId) => left.includes(acctId));
  }

  /**
   * Asks for every account whose cards were last asked for before `beforeMs`. Takes as long as politeness demands.
   *
   * @returns false when somebody else fills, or the API is away: not all are up to date.
   */
  async function reloadOlderThan(beforeMs: number): Promise<boolean> {
    while (!stopping.signal.aborted && (await polite.mayFill(me))) {
      const batch = await records.nextForDetails(FILL_BATCH, beforeMs);
      if (batch.length === 0) return true;
      if (!(await fillSome(batch))) return false;
    }
    return false;
  }

  return {
    reloadOlderThan,
    list,
    load,
    fill,
    async idle(): Promise<void> {
      while (filling !== null) await filling;
    },
    async stop(): Promise<void> {
      stopping.abort();
      await filling;
    },
  };
}

function codeOf(error: unknown): string {
  return error instanceof CardApiError ? error.code : error instanceof Error ? error.constructor.name : 'unknown';
}
