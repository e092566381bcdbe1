import { expect, it } from 'vitest';
import { createLinks, FORMER_HOLDER_MS } from '../../../src/holders/link-store.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();

function setUp() {
  let nowMs = Date.parse('2026-11-20T15:00:00.000Z');
  const links = createLinks(redis(), () => nowMs);
  const link = (acctId: number, userId: string) =>
    links.link({ acctId, userId, provedBy: 'approver', by: 'U0ANA', at: new Date(nowMs).toISOString() });
  return { links, link, advance: (ms: number) => (nowMs += ms) };
}

it('links one person to an account, and any number of accounts to a person', async () => {
  const { links, link } = setUp();
  await link(20, 'U0HUGO');
  await link(3, 'U0HUGO');
  await link(20, 'U0HUGO');

  expect((await links.ofUser('U0HUGO')).map(({ acctId }) => acctId)).toEqual([3, 20]);
  expect(await links.ofAccount(3)).toMatchObject({ userId: 'U0HUGO', provedBy: 'approver' });
  expect(await links.isHolder('U0HUGO')).toBe(true);
});

it('replaces the previous holder of the account, and does not confuse an id with a longer one', async () => {
  const { links, link } = setUp();
  await link(1, 'U0HUGO');
  await link(1, 'U0HUGO2');

  expect(await links.ofUser('U0HUGO')).toEqual([]);
  expect(await links.isHolder('U0HUGO')).toBe(false);
  expect((await links.ofUser('U0HUGO2')).map(({ acctId }) => acctId)).toEqual([1]);
});

it('remembers a former holder for a day', async () => {
  const { links, link, advance } = setUp();
  await link(1, 'U0HUGO');
  await links.unlink(1);

  expect(await links.ofAccount(1)).toBeNull();
  expect(await links.wasHolderLately('U0HUGO', 1)).toBe(true);
  expect(await links.wasHolderLately('U0SAM', 1)).toBe(false);

  advance(FORMER_HOLDER_MS + 1);

  expect(await links.wasHolderLately('U0HUGO', 1)).toBe(false);
});
