import { expect, it } from 'vitest';
import { createRuleWrites } from '../../../src/limits/rule-write-store.ts';
import { limitChange } from '../../support/limit-goals.ts';
import { useRedis } from '../../support/on-redis.ts';
import { rulesOf } from '../../support/temporary-changes.ts';

const redis = useRedis();
const write = (id: string, minute: number, changes = [limitChange('daily', 40_000, 10_000)]) => ({
  id,
  by: null,
  changes,
  sentAt: new Date(Date.UTC(2026, 10, 20, 15, minute)).toISOString(),
});
const open = async (writes: ReturnType<typeof createRuleWrites>) =>
  (await writes.of(7)).map(
    ({ id, isMade, isPending }) => `${id}${isMade ? ' made' : ''}${isPending ? ' pending' : ''}`,
  );

it('lists accounts in which a write without an answer is followed by another one', async () => {
  const writes = createRuleWrites(redis());
  await writes.begin(7, write('first', 0));
  await writes.begin(8, write('alone', 0));
  expect(await writes.accounts()).toEqual([]);

  await writes.begin(7, write('second', 1));
  expect(await writes.accounts()).toEqual([7]);
  await writes.close(7, write('first', 0));
  expect(await writes.accounts()).toEqual([]);
});

it('takes an answered write for over, unless others have followed it: then it may have overwritten them', async () => {
  const writes = createRuleWrites(redis());
  await writes.begin(7, write('first', 0));
  await writes.made(7, 'first');
  expect(await open(writes)).toEqual(['first made']);

  await writes.begin(7, write('second', 1));
  await writes.keep(7, write('kept', 2));
  await writes.made(7, 'second');
  expect(await open(writes)).toEqual(['first made', 'second made pending', 'kept made']);
});

it('keeps nothing of a write that was not made, and keeps two tries of one action apart', async () => {
  const writes = createRuleWrites(redis());
  await writes.begin(7, write('act', 0));
  await writes.begin(7, write('act', 1));
  await writes.notMade(7, 'act');
  expect(await open(writes)).toEqual(['act pending']);

  await writes.begin(7, write('act', 2));
  await writes.made(7, 'act');
  expect(await open(writes)).toEqual(['act pending', 'act made']);
});

it('knows from the card which writes were made', async () => {
  const writes = createRuleWrites(redis());
  await writes.begin(7, write('first', 0));
  await writes.begin(7, write('second', 1, [limitChange('weekly', 90_000, 80_000)]));
  await writes.seen(7, rulesOf({ daily: 10_000, weekly: 90_000 }));

  expect(await open(writes)).toEqual(['first made pending', 'second pending']);
});

it('forgets writes of which none can come any more, and puts back what Redis has lost', async () => {
  const writes = createRuleWrites(redis());
  await writes.keep(7, write('old', 0));
  const stands = await writes.begin(7, write('new', 30));
  expect(stands.map(({ id }) => id)).toEqual(['new']);

  await redis().flushdb();
  await writes.restore(7, stands);
  expect(await writes.of(7)).toEqual(stands);
});
