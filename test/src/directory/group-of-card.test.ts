import { expect, it, vi } from 'vitest';
import type { DirectoryAccount } from '../../../src/directory/account.ts';
import { createGroupOfCard } from '../../../src/directory/directory.ts';

const account = (group: string | null, detailsAt: string | null) => ({ group, detailsAt }) as DirectoryAccount;
const read = account('Sales', '2026-11-20T15:00:00.000Z');
const onlyFromWebhook = account(null, null);

function groupOf(known: DirectoryAccount | null, reload: () => Promise<DirectoryAccount | null>, hasCardGroups = true) {
  const directory = { account: async () => known, reload };
  return createGroupOfCard({ directory, hasCardGroups: () => hasCardGroups })(7);
}

it('reads the group of a card only when it is not known and matters', async () => {
  const reload = vi.fn(async () => read);

  expect(await groupOf(read, reload)).toBe('Sales');
  expect(await groupOf(onlyFromWebhook, reload, false)).toBeNull();
  expect(reload).not.toHaveBeenCalled();
  expect(await groupOf(onlyFromWebhook, reload)).toBe('Sales');
});

it('does not know the group when the card service fails or does not answer within three seconds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const never = groupOf(onlyFromWebhook, () => new Promise(() => {}));
  await vi.advanceTimersByTimeAsync(3000);

  expect(await never).toBeUndefined();
  vi.useRealTimers();
  expect(await groupOf(onlyFromWebhook, () => Promise.reject(new Error('away')))).toBeUndefined();
});
