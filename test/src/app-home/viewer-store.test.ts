import { expect, it } from 'vitest';
import { createHomeViewers, type HomeOpened, homeOpened } from '../../../src/app-home/viewer-store.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const opening = (over: Partial<HomeOpened> = {}) => ({ userId: 'U0ANA', isOpening: true, turn: null, ...over });
const DAY_MS = 24 * 3_600_000;

it('keeps a user as a viewer for a day after opening App Home', async () => {
  let now = 1_000_000_000_000;
  const viewers = createHomeViewers(redis(), () => new Date(now));
  await viewers.see(opening());

  now += DAY_MS - 1;
  expect(await viewers.viewer('U0ANA'), 'just before a day has passed').toMatchObject({ pages: {} });
  expect(await viewers.all()).toEqual(['U0ANA']);

  now += 1;
  expect(await viewers.viewer('U0ANA'), 'after a day').toBeNull();
  expect(await viewers.all(), 'viewers after a day').toEqual([]);
});

it('knows when a viewer last opened App Home or turned a page', async () => {
  let now = 1_000_000_000_000;
  const viewers = createHomeViewers(redis(), () => new Date(now));
  const openedAfter = async (over: Partial<HomeOpened>) => {
    now += 1000;
    await viewers.see(opening(over));
    return (await viewers.viewer('U0ANA'))?.openedMs;
  };

  expect(await openedAfter({})).toBe(1_000_000_001_000);
  expect(await openedAfter({ turn: { list: 'cards', page: 2 } })).toBe(1_000_000_002_000);
});

it('gives openings within two seconds the same id, and a change of roles a separate one', () => {
  const opened = homeOpened(opening(), 10_000);

  expect(homeOpened(opening(), 11_999).id).toBe(opened.id);
  expect(homeOpened(opening(), 12_000).id).not.toBe(opened.id);
  expect(homeOpened(opening({ isOpening: false }), 10_000).id).not.toBe(opened.id);
});

it('keeps the chosen pages, and starts the next opening with the first page', async () => {
  const viewers = createHomeViewers(redis(), () => new Date());
  await viewers.see(opening({ turn: { list: 'mutes', page: 2 } }));
  await viewers.see(opening({ turn: { list: 'declines', page: 3 } }));
  expect((await viewers.viewer('U0ANA'))?.pages).toEqual({ mutes: 2, declines: 3 });

  await viewers.see(opening());
  expect((await viewers.viewer('U0ANA'))?.pages).toEqual({});
});
