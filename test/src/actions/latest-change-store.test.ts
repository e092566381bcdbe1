import { expect, it } from 'vitest';
import { createLatestChanges } from '../../../src/actions/latest-change-store.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const status = { kind: 'status', status: 'BLOCKED', cardId: null } as const;

it('an action is superseded by a later one that changed the same, not by what it followed', async () => {
  const latest = createLatestChanges(redis());
  await latest.changed(1, status, 'act_before');
  const followed = await latest.changedBy(1, status);

  expect(followed).toEqual(['act_before']);
  expect(await latest.isSuperseded(1, status, 'act_own', followed)).toBe(false);

  await latest.changed(1, status, 'act_own');
  expect(await latest.isSuperseded(1, status, 'act_own')).toBe(false);

  await latest.changed(1, status, 'act_later');
  expect(await latest.isSuperseded(1, status, 'act_own', followed)).toBe(true);
  expect(await latest.isSuperseded(2, status, 'act_own'), 'of another account').toBe(false);
});
