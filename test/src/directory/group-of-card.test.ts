import { expect, it, vi } from 'vitest';
import type { DirectoryAccount } from '../../../src/directory/account.ts';
import { createGroupOfCard, createGroupOfFacts } from '../../../src/directory/directory.ts';

const account = (group: string | null, detailsAt: string | null) => ({ group, detailsAt }) as DirectoryAccount;
const sleep = <T>(ms: number, value: T): Promise<T> => new Promise((done) => setTimeout(() => done(value), ms));
const read = account('Sales', '2026-11-20T15:00:00.000Z');
const onlyFromWebhook = account(null, null);

interface Given {
  readonly known: DirectoryAccount | null;
  readonly hasCardGroups?: boolean;
  readonly isLooser?: boolean;
}

function groupOf(current: () => Promise<DirectoryAccount | null>, { known, hasCardGroups = true, isLooser }: Given) {
  const directory = { account: async () => known, current };
  return createGroupOfCard({ directory, hasCardGroups: () => hasCardGroups })(7, isLooser);
}

it('reads the group of a card only when it is not known and matters', async () => {
  const current = vi.fn(async () => read);

  expect(await groupOf(current, { known: read })).toBe('Sales');
  expect(await groupOf(current, { known: onlyFromWebhook, hasCardGroups: false, isLooser: true })).toBeNull();
  expect(current).not.toHaveBeenCalled();
  expect(await groupOf(current, { known: onlyFromWebhook })).toBe('Sales');
});

it('looks up the group of a card that stored facts are about, and waits for nobody', async () => {
  const current = vi.fn(async () => read);
  const groupBy = (group: string | null, known: DirectoryAccount | null, hasCardGroups = true) =>
    createGroupOfFacts({ directory: { account: async () => known, current }, hasCardGroups: () => hasCardGroups })({
      acctId: 7,
      group,
    });

  expect(await groupBy('Sales', null)).toBe('Sales');
  expect(await groupBy('Field', read), 'the card has moved').toBe('Sales');
  expect(await groupBy('Field', account(null, '2026-11-20T15:00:00.000Z')), 'the card has left its group').toBeNull();
  expect(await groupBy('Field', onlyFromWebhook)).toBe('Field');
  expect(await groupBy(null, read)).toBe('Sales');
  expect(await groupBy(null, account(null, '2026-11-20T15:00:00.000Z'))).toBeNull();
  expect(await groupBy(null, onlyFromWebhook)).toBeUndefined();
  expect(await groupBy(null, onlyFromWebhook, false)).toBeNull();
  expect(current).not.toHaveBeenCalled();
});

it('reads the group of a card again before the card is loosened, and then trusts no older one', async () => {
  const moved = account('Field', '2026-11-20T15:30:00.000Z');

  expect(await groupOf(async () => moved, { known: read, isLooser: true })).toBe('Field');
  expect(await groupOf(async () => null, { known: read, isLooser: true })).toBeUndefined();
});

it('waits for a slow card service only if that decides whether the card is loosened', async () => {
  vi.useFakeTimers();
  const slow = () => sleep(9000, read);
  const told = groupOf(slow, { known: onlyFromWebhook });
  const judged = groupOf(slow, { known: onlyFromWebhook, isLooser: true });
  await vi.advanceTimersByTimeAsync(9000);
  vi.useRealTimers();

  expect(await told).toBeUndefined();
  expect(await judged).toBe('Sales');
});
