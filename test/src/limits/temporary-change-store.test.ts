import { expect, it } from 'vitest';
import {
  createTemporaryChanges,
  markFromBackup,
  type TemporaryChange,
} from '../../../src/limits/temporary-change-store.ts';
import { useRedis } from '../../support/on-redis.ts';
import { storeSigner } from '../../support/store-signer.ts';
import { temporaryChangeOf } from '../../support/temporary-changes.ts';

const redis = useRedis();

const temporaryChange = temporaryChangeOf();

it('lists open and asking changes, soonest end first', async () => {
  const store = createTemporaryChanges(redis(), storeSigner);
  const sooner: TemporaryChange = {
    ...temporaryChange,
    id: 'act_2',
    endsAt: '2026-11-20T15:30:00.000Z',
    state: 'asking',
  };

  await store.save(temporaryChange);
  await store.save(sooner);

  expect(await store.all()).toEqual([sooner, temporaryChange]);
});

it.each(['ended', 'kept', 'refused', 'superseded'] as const)(
  'finds one that is %s, but no longer lists it',
  async (state) => {
    const store = createTemporaryChanges(redis(), storeSigner);
    await store.save(temporaryChange);

    await store.save({ ...temporaryChange, state });

    expect(await store.all()).toEqual([]);
    expect(await store.get('act_1')).toMatchObject({ id: 'act_1', state });
  },
);

it('returns null for a change that was removed because it was not made', async () => {
  const store = createTemporaryChanges(redis(), storeSigner);
  await store.save(temporaryChange);

  await store.forget('act_1');

  expect(await store.get('act_1')).toBeNull();
  expect(await store.all()).toEqual([]);
});

it('marks those that were open when a backup was restored, until they have ended', async () => {
  const store = createTemporaryChanges(redis(), storeSigner);
  await markFromBackup(redis());
  await store.save(temporaryChange);
  await markFromBackup(redis());
  const later = { ...temporaryChange, id: 'act_later', endsAt: '2026-11-21T16:00:00.000Z' };
  await store.save(later);

  const marked = { ...temporaryChange, isFromBackup: true };
  expect(await store.all()).toEqual([marked, later]);
  expect(await store.get('act_1')).toEqual(marked);
  expect(await store.get('act_later')).toEqual(later);

  await store.save({ ...marked, state: 'kept' });
  await store.save({ ...later, state: 'kept' });
  expect(await redis().keys('*temporary-changes*')).toEqual([]);
});

it('forgets also that it was open when a backup was restored', async () => {
  const store = createTemporaryChanges(redis(), storeSigner);
  await store.save(temporaryChange);
  await markFromBackup(redis());

  await store.forget(temporaryChange.id);

  expect(await redis().keys('*temporary-changes*')).toEqual([]);
});

it('keeps an ended change for 30 days, as long as the messages that show it can be edited', async () => {
  const store = createTemporaryChanges(redis(), storeSigner);

  await store.save({ ...temporaryChange, state: 'ended' });

  const [key = ''] = await redis().keys('*temporary-change:act_1');
  expect(await redis().ttl(key)).toBeGreaterThan(30 * 24 * 3600 - 60);
  expect(await redis().ttl(key)).toBeLessThanOrEqual(30 * 24 * 3600);
});

it.each([
  ['altered', (text: string) => text.replace('"state":"open"', '"state":"asking"')],
  ['unsigned', (text: string) => JSON.stringify({ ...JSON.parse(text), signature: undefined })],
])('ignores one that is %s, and lists the others', async (_why, alter) => {
  const store = createTemporaryChanges(redis(), storeSigner);
  await store.save(temporaryChange);
  await store.save({ ...temporaryChange, id: 'act_2' });
  const key = '{cardbell:state}:temporary-changes';
  const text = (await redis().hget(key, 'act_1')) ?? '';
  await redis().hset(key, 'act_1', alter(text));

  await expect(store.get('act_1')).rejects.toThrow('not written by a worker');
  expect((await store.all()).map(({ id }) => id)).toEqual(['act_2']);
  expect(await redis().smembers('{cardbell:state}:unreadable')).toEqual([key]);
});

it('rejects one that was signed under another id', async () => {
  const store = createTemporaryChanges(redis(), storeSigner);
  await store.save(temporaryChange);
  const key = '{cardbell:state}:temporary-changes';
  await redis().hset(key, 'act_2', (await redis().hget(key, 'act_1')) ?? '');

  await expect(store.get('act_2')).rejects.toThrow('not written by a worker');
});
