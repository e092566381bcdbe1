import { beforeEach, describe, expect, it } from 'vitest';
import { AccountDetails, Business, ListedAccount } from '../../../src/card-api/schema-account.ts';
import { createLock } from '../../../src/core/lock.ts';
import { createLog, type Log } from '../../../src/core/log.ts';
import { apiQuotaDefaults, createApiQuota } from '../../../src/directory/api-quota.ts';
import { createFiller, createLoader, type DirectorySource } from '../../../src/directory/loader.ts';
import { createRecords } from '../../../src/directory/records.ts';
import { refusal, unanswered } from '../../support/card-api-errors.ts';
import { useRedis } from '../../support/on-redis.ts';
import { until } from '../../support/until.ts';

const redis = useRedis();
const startMs = Date.parse('2026-11-20T12:00:00Z');
let clockMs = startMs;
/** What the card service lists. */
let accounts: number[] = [];
beforeEach(() => {
  clockMs = startMs;
  accounts = [];
});
const now = (): Date => new Date(clockMs);
/** What a gateway answers with a page instead of JSON. */
const page = unanswered({ status: 404 });
const detailsOf = (acctId: number) => AccountDetails.parse({ AccountId: acctId, CardList: [{ CardId: acctId * 10 }] });

function loading(
  getAccount: DirectorySource['getAccount'],
  limits: Partial<typeof apiQuotaDefaults> = {},
  { unreadable = 0, log = null }: { readonly unreadable?: number; readonly log?: Log | null } = {},
) {
  const asked: number[] = [];
  const listed: unknown[] = [];
  const records = createRecords(redis());
  const shared = { records, limits: { ...apiQuotaDefaults, ...limits }, now, log };
  const quota = createApiQuota(redis(), shared.limits);
  const source: DirectorySource = {
    async listAccounts(options) {
      listed.push(options);
      const rows = accounts.map((acctId) => ListedAccount.parse({ AccountId: acctId }));
      return { ...Business.parse({}), accounts: rows, unreadable };
    },
    getAccount: async (acctId, options) => {
      asked.push(acctId);
      return await getAccount(acctId, options);
    },
  };
  const loader = createLoader({ ...shared, source, quota });
  const filler = createFiller({ ...shared, quota, loader, tryLock: createLock(redis(), { maxWaitMs: 0 }) });
  /** Accounts of which the directory has learned that they exist, and nothing else. */
  async function know(...ids: number[]): Promise<void> {
    await createLoader({ ...shared, source: { ...source, getAccount: async (id) => detailsOf(id) }, quota }).load(0);
    const some = await records.read(0);
    if (some === null) throw new Error('it was loaded');
    await records.change(ids, (_known, acctId) => ({ ...some, acctId, detailsAt: null }));
  }
  return { loader, filler, records, asked, listed, know };
}

describe('an account for a person who waits', () => {
  it('is not asked for again right after the card service has refused it', async () => {
    const { loader, asked } = loading(() => Promise.reject(refusal()));

    expect(await loader.loadIfAllowed(7)).toBeNull();
    expect(await loader.loadIfAllowed(7)).toBeNull();

    expect(asked).toEqual([7]);
  });

  it('is asked for again if the card service was only away', async () => {
    let isAway = true;
    const { loader, asked } = loading(async (acctId) => {
      if (isAway) throw unanswered();
      return detailsOf(acctId);
    });

    expect(await loader.loadIfAllowed(7)).toBeNull();
    isAway = false;

    expect(await loader.loadIfAllowed(7)).toMatchObject({ acctId: 7, cards: [{ cardId: 70 }] });
    expect(asked).toEqual([7, 7]);
  });

  it('is not asked for beyond the quota', async () => {
    const { loader, asked } = loading(async (acctId) => detailsOf(acctId), { detailsBurst: 1, detailsPerMinute: 1 });

    await loader.loadIfAllowed(7);
    expect(await loader.loadIfAllowed(8)).toBeNull();

    expect(asked).toEqual([7]);
  });
});

it('stores an account under the number that was asked for, whatever number the card service repeats', async () => {
  const { loader, records } = loading(async () => detailsOf(99));

  expect(await loader.load(7)).toMatchObject({ acctId: 7 });
  expect(await records.read(99)).toBeNull();
});

it('keeps the cards of an account while the card service answers for it without them', async () => {
  let lacksCards = false;
  const { loader, records } = loading(async (acctId) => {
    if (lacksCards) throw refusal(null, { code: 'bad_answer', status: 200 });
    return detailsOf(acctId);
  });
  await loader.load(7);
  lacksCards = true;

  expect(await loader.load(7)).toBeNull();

  expect(await records.read(7)).toMatchObject({ cards: [{ cardId: 70 }] });
});

it('throws a fault of ours, which is no failure of the card service', async () => {
  const { loader } = loading(() => Promise.reject(new Error('a fault of ours')));

  await expect(loader.load(7)).rejects.toThrow('a fault of ours');
});

it('gives the card service half a minute to list all accounts, and asks once', async () => {
  const { loader, listed } = loading(() => Promise.reject(refusal()));

  expect(await loader.list(true)).toBe('listed');

  expect(listed).toEqual([{ attemptMs: 30_000, maxRetries: 0 }]);
});

it('warns in the log how many accounts of the list could not be read: their holders are not found', async () => {
  const lines: string[] = [];
  const log = createLog({ level: 'warn', process: 'test', destination: { write: (line) => void lines.push(line) } });
  accounts = [7];

  await loading(async (acctId) => detailsOf(acctId), {}, { unreadable: 2, log }).loader.list(true);

  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ accounts: 1, unreadable: 2 }]);
});

it("lists and reads accounts again after Redis' clock went back, not only when it gets there again", async () => {
  const { loader, records } = loading(async (acctId) => detailsOf(acctId), { listEveryMs: 1 });
  accounts = [7];
  await loader.load(7);
  // One list a millisecond is permitted.
  const listed = () => until(async () => (await loader.list(false)) === 'listed', 'the accounts are listed');
  await listed();
  expect(await loader.list(false)).toBe('fresh');

  clockMs -= 3_600_000;

  await listed();
  expect(await records.nextForDetails(1, null)).toEqual([7]);
});

it('only one worker at a time reads accounts in the background, and the next one after it', async () => {
  let answer = (): void => {};
  const answering = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const first = loading(async (acctId) => {
    await answering;
    return detailsOf(acctId);
  });
  const second = loading(async (acctId) => detailsOf(acctId));
  await first.know(1);

  const filling = first.filler.fill();
  await expect.poll(() => first.asked).toEqual([1]);
  await second.filler.fill();
  expect(second.asked).toEqual([]);

  answer();
  await filling;
  await second.know(2);
  await second.filler.fill();
  expect(second.asked).toEqual([2]);
});

it('a worker that was frozen while it read in the background does not go on beside the next one', async () => {
  const { filler, asked, know } = loading(async (acctId) => {
    // Another worker has taken the lock since.
    await redis().set('{cardbell:state}:lock:directory-fill', 'another');
    return detailsOf(acctId);
  });
  await know(1, 2, 3, 4, 5);

  await filler.fill();

  expect(asked).toHaveLength(4);
});

describe('a reload of old accounts', () => {
  it('is complete when none is left, and goes on after one that the card service refuses', async () => {
    const { filler, asked, know } = loading(async (acctId) => {
      if (acctId === 1) throw refusal();
      return detailsOf(acctId);
    });
    await know(1, 2, 3, 4, 5);

    expect(await filler.reloadOlderThan(now().getTime() - 1)).toBe(true);

    expect(asked.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5]);
  });

  it('is incomplete when the card service is away', async () => {
    const { filler, asked, know } = loading(() => Promise.reject(unanswered()));
    await know(1, 2, 3, 4, 5);

    expect(await filler.reloadOlderThan(now().getTime() - 1)).toBe(false);

    expect(asked, 'one batch').toHaveLength(4);
  });

  it('is incomplete when the card service is away, also if it answered for these accounts before', async () => {
    let isAway = false;
    const { filler, asked, know } = loading(async (acctId) => {
      if (isAway) throw unanswered();
      return detailsOf(acctId);
    });
    await know(1, 2, 3, 4, 5);
    await filler.fill();
    isAway = true;
    asked.length = 0;

    expect(await filler.reloadOlderThan(now().getTime() + 1)).toBe(false);

    expect(asked, 'one batch').toHaveLength(4);
  });

  it('goes on after one for which a gateway always answers with a page, while others are answered', async () => {
    const { filler, asked, know } = loading(async (acctId) => {
      if (acctId === 1) throw page;
      return detailsOf(acctId);
    });
    await know(1, 2, 3, 4, 5);

    expect(await filler.reloadOlderThan(now().getTime() - 1)).toBe(true);

    expect(asked.filter((acctId) => acctId === 1)).toHaveLength(2);
  });

  it('is incomplete when a gateway answers for every account, because the service has just stopped', async () => {
    let isAway = false;
    const { filler, records, know } = loading(async (acctId) => {
      if (isAway) throw page;
      return detailsOf(acctId);
    });
    await know(1, 2, 3, 4, 5);
    clockMs = now().getTime() + 1000;
    await filler.fill();
    isAway = true;
    clockMs += 1000;

    expect(await filler.reloadOlderThan(clockMs)).toBe(false);
    expect(await filler.reloadOlderThan(clockMs)).toBe(false);
    expect(await records.nextForDetails(9, clockMs)).toHaveLength(6);
  });

  it('is incomplete when the process stops', async () => {
    const { filler, asked, know } = loading(async (acctId) => detailsOf(acctId));
    await know(1);

    await filler.stop();

    expect(await filler.reloadOlderThan(now().getTime() - 1)).toBe(false);
    expect(asked).toEqual([]);
  });
});
