import { beforeEach, expect, it } from 'vitest';
import { directoryKey } from '../../../src/core/keys.ts';
import { DirectoryAccount } from '../../../src/directory/account.ts';
import { type ChangeAccount, createRecords } from '../../../src/directory/records.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
let records: ReturnType<typeof createRecords>;
beforeEach(() => {
  records = createRecords(redis());
});

const at = '2026-11-20T12:00:00.000Z';
const accountOf = (acctId: number, over: Partial<DirectoryAccount> = {}): DirectoryAccount =>
  DirectoryAccount.parse({
    acctId,
    firstName: 'Jane',
    lastName: 'Doe',
    namesAt: null,
    customId: null,
    isVirtual: false,
    group: null,
    accountStatus: 'OPEN',
    availableCents: 0,
    email: null,
    cards: [],
    detailsAt: null,
    ...over,
  });

async function save(...accounts: DirectoryAccount[]): Promise<void> {
  for (const account of accounts) await records.change([account.acctId], () => account);
}

async function all(): Promise<number[]> {
  const found: number[] = [];
  for await (const { acctId } of records.all()) found.push(acctId);
  return found;
}

it('applies a change again to what another process has written meanwhile', async () => {
  await save(accountOf(1));
  const add: ChangeAccount = (known) => known && { ...known, availableCents: (known.availableCents ?? 0) + 1 };
  const processes = Array.from({ length: 8 }, () => createRecords(redis()));

  await Promise.all(processes.map((one) => one.change([1], add)));

  expect((await records.read(1))?.availableCents).toBe(8);
});

it('leaves an account and its index alone if there is nothing to change', async () => {
  await save(accountOf(1));

  await records.change([1, 2], (known) => (known === null ? null : { ...known }));

  expect(await all()).toEqual([1]);
  expect(await records.count()).toBe(1);
});

it('treats an account that an older release stored and that no longer fits as unknown, until it is written again', async () => {
  await save(accountOf(1));
  await redis().hset(directoryKey('accounts'), '2', '{"acctId":2,"holder":"of another release"}');

  expect(await records.read(2)).toBeNull();
  expect(await records.readMany([1, 2])).toMatchObject([{ acctId: 1 }]);
  expect(await all()).toEqual([1]);

  await records.change([2], (known) => (known === null ? accountOf(2) : null));
  expect((await all()).toSorted((a, b) => a - b)).toEqual([1, 2]);
});

it('reads accounts next that were never read, open ones first, and then those that were read before a time', async () => {
  await save(
    accountOf(1, { detailsAt: at }),
    accountOf(2, { accountStatus: 'CLOSED' }),
    accountOf(3),
    accountOf(4, { detailsAt: '2026-11-20T13:00:00.000Z' }),
  );

  expect(await records.nextForDetails(9, null)).toEqual([3, 2]);
  expect(await records.nextForDetails(9, Date.parse(at))).toEqual([3, 2, 1]);
  expect(await records.countLackingDetails()).toBe(2);
});

it('moves an account that the API refused to the end, and adds none that is not known', async () => {
  await save(accountOf(1), accountOf(2));

  await records.markAsked(1, Date.parse(at));
  await records.markAsked(99, 0);

  expect(await records.nextForDetails(9, null)).toEqual([2]);
  expect(await records.nextForDetails(9, Date.parse(at))).toEqual([2, 1]);
});
