import type { CardClient } from '../card-api/client.ts';
import { BusyError, CardApiError } from '../core/errors.ts';
import { joinCalls, shareRunning } from '../core/join-calls.ts';
import type { Lease, WithLock } from '../core/lock.ts';
import type { Log } from '../core/log.ts';
import { type DirectoryAccount, withDetails, withListed } from './account.ts';
import type { ApiQuota, createApiQuota } from './api-quota.ts';
import type { createRecords } from './records.ts';

/** The card API calls of the directory. */
export type DirectorySource = Pick<CardClient, 'listAccounts' | 'getAccount'>;

interface LoaderDeps {
  readonly source: DirectorySource;
  readonly records: ReturnType<typeof createRecords>;
  readonly quota: ReturnType<typeof createApiQuota>;
  readonly limits: ApiQuota;
  readonly now: () => Date;
  readonly log: Log | null;
}

/** One read serves all checks of an action, as one answer of Slack does. */
const CURRENT_FOR_MS = 5_000;
const LIST_MS = 30_000;
const FILL_BATCH = 4;

type Listing = 'listed' | 'fresh' | 'somebody_else' | 'failed';

/** Reads accounts from the card API into the records. Failures are logged, never thrown: alerts must not wait for it. */
export type Loader = ReturnType<typeof createLoader>;

export function createLoader(deps: LoaderDeps) {
  const { source, records, quota, now, log } = deps;
  /** When each account's last answer arrived. `detailsAt`, which orders facts, is when it was requested. */
  const answeredAtMs = new Map<number, number>();
  /** Since when a page has been the answer for an account: when the first such request began. */
  const pageSinceMs = new Map<number, number>();
  const load = shareRunning(loadNow);

  return {
    list: createList(deps),
    /** Reads one account; concurrent calls for the same account share a request. Null when the API fails. */
    load,
    /** The same, unless the API has just answered. */
    async current(acctId: number): Promise<DirectoryAccount | null> {
      const isRecent = Math.abs(now().getTime() - (answeredAtMs.get(acctId) ?? 0)) < CURRENT_FOR_MS;
      const known = isRecent ? await records.read(acctId) : null;
      // Redis may have come back without the answer.
      return known !== null && known.detailsAt !== null ? known : await load(acctId);
    },
    /** Reads one account for a person who waits, if the quota allows it and the API has not just refused this account. */
    async loadIfAllowed(acctId: number): Promise<DirectoryAccount | null> {
      return (await quota.wasRefused(acctId)) || (await quota.take('person')) > 0 ? null : await load(acctId);
    },
  };

  async function loadNow(acctId: number): Promise<DirectoryAccount | null> {
    const at = now().toISOString();
    try {
      const details = await source.getAccount(acctId, { maxRetries: 0 });
      answeredAtMs.set(acctId, now().getTime());
      pageSinceMs.delete(acctId);
      await records.change([acctId], (known) =>
        withDetails(known, { ...details, acctId }, { at, mergedAt: now().toISOString() }),
      );
      return await records.read(acctId);
    } catch (error) {
      await noteFailure(acctId, error, Date.parse(at));
      return null;
    }
  }

  async function noteFailure(acctId: number, error: unknown, askedAtMs: number): Promise<void> {
    if (!(error instanceof CardApiError)) throw error;
    log?.warn({ code: error.code, status: error.status }, 'could not load an account into the directory');
    if (error.code === 'rate_limited') await quota.backOff(error.retryAfterMs);
    const isRefused = error.code === 'refused' || error.code === 'bad_answer' || error.code === 'server_error';
    if (!isRefused && !isOnlyHere(acctId, error, askedAtMs)) return;
    await quota.rememberRefused(acctId);
    await records.markAsked(acctId, now().getTime());
  }

  /** True for a repeated page of a gateway while the service answers for other accounts: then it is not stopped. */
  function isOnlyHere(acctId: number, { code, status }: CardApiError, askedAtMs: number): boolean {
    if (code !== 'unavailable' || status === null || status >= 500) return false;
    const sinceMs = pageSinceMs.get(acctId);
    if (sinceMs === undefined) pageSinceMs.set(acctId, askedAtMs);
    return sinceMs !== undefined && [...answeredAtMs.values()].some((atMs) => atMs >= sinceMs);
  }
}

/** Lists all accounts if the quota allows it. */
function createList({ source, records, quota, limits, now, log }: LoaderDeps) {
  return async function list(force: boolean): Promise<Listing> {
    const listedAt = await records.listedAt();
    // After Redis' clock went back, a time far ahead says nothing.
    const ageMs = listedAt === null ? Number.POSITIVE_INFINITY : Math.abs(now().getTime() - Date.parse(listedAt));
    if (!force && ageMs < limits.listFreshMs) return 'fresh';
    if (!(await quota.mayList())) return 'somebody_else';
    try {
      await listAll(now().toISOString());
      return 'listed';
    } catch (error) {
      const isRateLimit = error instanceof CardApiError && error.code === 'rate_limited';
      await quota.listFailed(isRateLimit ? (error.retryAfterMs ?? limits.listEveryMs) : null);
      log?.warn({ code: codeOf(error) }, 'could not list all accounts for the directory');
      return 'failed';
    }
  };

  async function listAll(at: string): Promise<void> {
    // The card service allows ten of these calls per hour, so a failed call is not retried.
    const { accounts, unreadable } = await source.listAccounts({ attemptMs: LIST_MS, maxRetries: 0 });
    const byId = new Map(accounts.map((account) => [account.acctId, account]));
    await records.change([...byId.keys()], (known, acctId) => {
      const listed = byId.get(acctId);
      return listed === undefined ? known : withListed(known, listed, { at, mergedAt: now().toISOString() });
    });
    await records.setListedAt(at);
    log?.[unreadable > 0 ? 'warn' : 'info']({ accounts: byId.size, unreadable }, 'directory listed');
  }
}

interface FillerDeps extends Omit<LoaderDeps, 'source'> {
  readonly loader: Loader;
  /** @throws BusyError immediately while another worker reads in the background. */
  readonly tryLock: WithLock;
}

/** Reads accounts in the background, one worker at a time, at the pace of the quota. */
export function createFiller(deps: FillerDeps) {
  const { records, limits, tryLock, now, log } = deps;
  const stopping = new AbortController();
  let lastFill = Promise.resolve();

  // One that is running may have checked before there was anything to read, so whoever asks meanwhile gets the next one.
  const fillOnce = joinCalls<void>(async () => {
    if (stopping.signal.aborted) return;
    try {
      await tryLock('directory-fill', fillAll);
    } catch (error) {
      if (!(error instanceof BusyError || stopping.signal.aborted))
        log?.warn({ code: codeOf(error) }, 'directory fill ended early');
    }
  });

  /** Reads accounts whose cards are missing, then the stalest ones. Ends when nothing is left to read. */
  function fill(): Promise<void> {
    lastFill = fillOnce();
    return lastFill;
  }

  async function fillAll(lease: Lease): Promise<void> {
    await loadBatches(async () => {
      await lease.confirm();
      const missing = await records.nextForDetails(FILL_BATCH, null);
      const stale = now().getTime() - limits.detailsStaleMs;
      return missing.length > 0 ? missing : await records.nextForDetails(FILL_BATCH, stale);
    });
  }

  /** @returns true when no batch is left; false when it was stopped, or the API is down. */
  async function loadBatches(nextBatch: () => Promise<readonly number[]>): Promise<boolean> {
    let before = '';
    while (!stopping.signal.aborted) {
      const batch = await nextBatch();
      if (batch.length === 0) return true;
      // No account was loaded or marked as refused: the API was not reached. The next refresh or recovery continues.
      if (batch.join() === before) return false;
      before = batch.join();
      await loadBatch(batch, deps, stopping.signal);
    }
    return false;
  }

  return {
    fill,
    // Runs in parallel with a fill: a recovery runs alone, and both use the same quota.
    reloadOlderThan: (beforeMs: number) => loadBatches(() => records.nextForDetails(FILL_BATCH, beforeMs)),
    async idle(): Promise<void> {
      let awaited: Promise<void>;
      do {
        awaited = lastFill;
        await awaited;
      } while (awaited !== lastFill);
    },
    async stop(): Promise<void> {
      stopping.abort();
      await lastFill;
    },
  };
}

async function loadBatch(batch: readonly number[], { loader, quota }: FillerDeps, signal: AbortSignal): Promise<void> {
  const loads: Promise<DirectoryAccount | null>[] = [];
  for (const acctId of batch) {
    await quota.waitForBackground({ signal, ref: false });
    const load = loader.load(acctId);
    // It may fail while the next one waits for the quota. `Promise.all` throws the error then.
    load.catch(() => {});
    loads.push(load);
  }
  await Promise.all(loads);
}

function codeOf(error: unknown): string {
  return error instanceof CardApiError ? error.code : error instanceof Error ? error.constructor.name : 'unknown';
}
