import { expect, it } from 'vitest';
import { createHomeViewers, type HomeOpened, homeOpened } from '../../../src/app-home/viewer-store.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const opening = (roles: HomeOpened['roles'] = [], over: Partial<HomeOpened> = {}) => ({
  userId: 'U0ANA',
  roles,
  isOpening: true,
  turn: null,
  ...over,
});
const DAY_MS = 24 * 3_600_000;

it('keeps a user as a viewer for a day after opening App Home', async () => {
  let now = 1_000_000_000_000;
  const viewers = createHomeViewers(redis(), () => new Date(now));
  await viewers.see(opening(['operator']));

  now += DAY_MS - 1;
  expect(await viewers.viewer('U0ANA'), 'just before a day has passed').toMatchObject({ roles: ['operator'] });

  now += 1;
  expect(await viewers.viewer('U0ANA'), 'after a day').toBeNull();
  expect(await viewers.all(), 'viewers after a day').toEqual([]);
});

it('knows when a viewer last opened App Home or turned a page, which a change of their roles is not', async () => {
  let now = 1_000_000_000_000;
  const viewers = createHomeViewers(redis(), () => new Date(now));
  const openedAfter = async (over: Partial<HomeOpened>) => {
    now += 1000;
    await viewers.see(opening([], over));
    return (await viewers.viewer('U0ANA'))?.openedMs;
  };

  expect(await openedAfter({})).toBe(1_000_000_001_000);
  expect(await openedAfter({ isOpening: false })).toBe(1_000_000_001_000);
  expect(await openedAfter({ turn: { list: 'cards', page: 2 } })).toBe(1_000_000_003_000);
});

it('stores changed roles only for viewers', async () => {
  const viewers = createHomeViewers(redis(), () => new Date());
  await viewers.see(opening(['operator']));

  await viewers.see(opening(['approver'], { isOpening: false }));
  await viewers.see(opening(['approver'], { userId: 'U0OLGA', isOpening: false }));

  expect(await viewers.viewer('U0ANA')).toMatchObject({ roles: ['approver'] });
  expect(await viewers.viewer('U0OLGA')).toBeNull();
  expect(await viewers.all()).toEqual(['U0ANA']);
});

it('gives openings within two seconds the same id, and a change of roles a separate one', () => {
  const opened = homeOpened(opening(), 10_000);

  expect(homeOpened(opening(), 11_999).id).toBe(opened.id);
  expect(homeOpened(opening(), 12_000).id).not.toBe(opened.id);
  expect(homeOpened(opening([], { isOpening: false }), 10_000).id).not.toBe(opened.id);
});

it('keeps the chosen page if roles change, and starts the next opening with the first page', async () => {
  const viewers = createHomeViewers(redis(), () => new Date());
  await viewers.see(opening(['operator'], { turn: { list: 'mutes', page: 2 } }));
  await viewers.see(opening(['operator'], { turn: { list: 'declines', page: 3 } }));
  await viewers.see(opening(['approver'], { isOpening: false }));
  expect(await viewers.viewer('U0ANA')).toMatchObject({ roles: ['approver'], pages: { mutes: 2, declines: 3 } });

  await viewers.see(opening(['approver']));
  expect((await viewers.viewer('U0ANA'))?.pages).toEqual({});
});
