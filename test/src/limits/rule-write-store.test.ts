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
const rules = rulesOf({ daily: 40_000 });

it('lists accounts in which a write without an answer is followed by another one', async () => {
  const writes = createRuleWrites(redis());
  await writes.begin(7, rules, write('first', 0));
  await writes.begin(8, rules, write('alone', 0));
  expect(await writes.accounts()).toEqual([]);

  await writes.begin(7, rules, write('second', 1));
  expect(await writes.accounts()).toEqual([7]);
  await writes.answered(7, 'first', true);
  expect(await writes.accounts()).toEqual([]);
});

it('forgets a write that was refused, and one that was closed stays closed', async () => {
  const writes = createRuleWrites(redis());
  await writes.begin(7, rules, write('first', 0));
  await writes.begin(7, rules, write('second', 1));
  await writes.answered(7, 'second', false);
  expect((await writes.of(7)).map(({ id }) => id)).toEqual(['first']);

  await writes.begin(7, rules, write('second', 2));
  await writes.closed(7, write('first', 0));
  expect(await writes.accounts()).toEqual([]);
});

it('keeps two tries of one action apart', async () => {
  const writes = createRuleWrites(redis());
  await writes.begin(7, rules, write('act', 0));
  await writes.begin(7, rules, write('act', 1));
  await writes.answered(7, 'act', true);

  expect((await writes.of(7)).map(({ isPending }) => isPending)).toEqual([true, false]);
});

it('forgets writes of which none can come any more, and puts back what Redis has lost', async () => {
  const writes = createRuleWrites(redis());
  await writes.begin(7, rules, write('old', 0));
  const stands = await writes.begin(7, rules, write('new', 30));
  expect(stands.map(({ id }) => id)).toEqual(['new']);

  await redis().flushdb();
  await writes.restore(7, stands);
  expect(await writes.of(7)).toEqual(stands);
});
