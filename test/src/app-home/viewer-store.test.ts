import { expect, it } from 'vitest';
import { createHomeViewers, homeOpened } from '../../../src/app-home/viewer-store.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const DAY_MS = 24 * 3_600_000;

it('a user stays a viewer for a day after opening App Home', async () => {
  let now = 1_000_000_000_000;
  const viewers = createHomeViewers(redis(), () => now);
  await viewers.see('U0ANA', ['operator'], true);

  now += DAY_MS - 1;
  expect(await viewers.rolesOf('U0ANA'), 'just before a day has passed').toEqual(['operator']);

  now += 1;
  expect(await viewers.rolesOf('U0ANA'), 'after a day').toBeNull();
  expect(await viewers.all(), 'viewers after a day').toEqual([]);
});

it('changed roles are stored for a viewer, and for nobody else', async () => {
  const viewers = createHomeViewers(redis());
  await viewers.see('U0ANA', ['operator'], true);

  await viewers.see('U0ANA', ['approver'], false);
  await viewers.see('U0OLGA', ['approver'], false);

  expect(await viewers.rolesOf('U0ANA')).toEqual(['approver']);
  expect(await viewers.rolesOf('U0OLGA')).toBeNull();
  expect(await viewers.all()).toEqual(['U0ANA']);
});

it('openings within two seconds share an id, a change of roles has one of its own', () => {
  const opened = homeOpened('U0ANA', [], true, 10_000);

  expect(homeOpened('U0ANA', [], true, 11_999).id).toBe(opened.id);
  expect(homeOpened('U0ANA', [], true, 12_000).id).not.toBe(opened.id);
  expect(homeOpened('U0ANA', [], false, 10_000).id).not.toBe(opened.id);
});
