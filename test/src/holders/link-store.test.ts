import { describe, expect, it } from 'vitest';
import { createLinks, createVisibleSince } from '../../../src/holders/link-store.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();

function setUp() {
  let nowMs = Date.parse('2026-11-20T15:00:00.000Z');
  const links = createLinks(redis(), () => new Date(nowMs));
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

it('a holder may read what happened since the card was linked to them, an operator everything', async () => {
  const { links, link } = setUp();
  await link(1, 'U0HUGO');
  const visibleSince = createVisibleSince({ links });
  const by = (userId: string, asHolder: boolean) => ({ asHolder, actor: { userId, teamId: 'T1' } });

  expect(await visibleSince(by('U0HUGO', true), 1)).toBe(Date.parse('2026-11-20T15:00:00.000Z'));
  expect(await visibleSince(by('U0OLGA', false), 1)).toBe(0);
  expect(await visibleSince(by('U0SAM', true), 1), 'unlinked meanwhile').toBe(Number.POSITIVE_INFINITY);
});

describe('a former holder', () => {
  const hours = (count: number): number => count * 3_600_000;

  it.each<[string, (world: ReturnType<typeof setUp>) => Promise<void>]>([
    ['unlinked', ({ links }) => links.unlink(1)],
    ['replaced by another holder', ({ link }) => link(1, 'U0ZOE')],
  ])('%s 23 hours ago still counts, and 25 hours ago no longer', async (_how, end) => {
    const given = setUp();
    const { links, link, advance } = given;
    await link(1, 'U0HUGO');
    await end(given);

    expect((await links.ofAccount(1))?.userId).not.toBe('U0HUGO');
    expect(await links.wasHolderLately('U0HUGO', 1)).toBe(true);
    expect(await links.wasHolderLately('U0SAM', 1)).toBe(false);
    advance(hours(23));
    expect(await links.wasHolderLately('U0HUGO', 1), 'after 23 hours').toBe(true);
    advance(hours(2));
    expect(await links.wasHolderLately('U0HUGO', 1), 'after 25 hours').toBe(false);
  });

  it('still counts after a claim of theirs that came to nothing', async () => {
    const { links, link } = setUp();
    await link(1, 'U0HUGO');
    await links.unlink(1);
    for (const userId of ['U0HUGO', 'U0SAM']) {
      await links.expectHolder(1, userId);
      expect(await links.wasHolderLately(userId, 1)).toBe(true);
      await links.expectNoHolder(1, userId);
    }

    expect([await links.wasHolderLately('U0HUGO', 1), await links.wasHolderLately('U0SAM', 1)]).toEqual([true, false]);
  });

  it('is forgotten in Redis after 24 hours', async () => {
    const { links, link } = setUp();
    await link(1, 'U0HUGO');
    await links.unlink(1);

    const left = await redis().pttl('{cardbell:state}:former-holders:1');
    expect(left).toBeGreaterThan(hours(24) - 60_000);
    expect(left).toBeLessThanOrEqual(hours(24));
  });
});
