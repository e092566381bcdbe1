import { expect, it } from 'vitest';
import { performAction } from '../../../src/perform-action.ts';
import type { Directory } from '../../../src/store/directory.ts';
import { ask, byCommand, createPerformWorld } from '../../support/perform-world.ts';
import { useRedis } from '../store/on-redis.ts';

const redis = useRedis();

const match = (acctId: number) => ({
  acctId,
  matchedBy: 'name',
  cards: [{ cardId: acctId, last4: '1212', status: 'ACTIVE' }],
});
const cases = [
  ['no card', [], { event: 'refused', detail: 'no card matches', acctId: null }],
  ['two cards', [match(1), match(2)], { event: 'asked', detail: 'asked back which card', acctId: null }],
] as const;

it.each(cases)('a wish that fits %s is on record', async (_what, matches, record) => {
  const directory = {
    account: async () => null,
    find: async () => matches,
    findKnown: async () => matches,
    status: async () => ({ accounts: 2 }),
  } as unknown as Directory;
  const world = await createPerformWorld(redis(), { directory });

  await performAction(ask('block', { ...byCommand, target: { kind: 'words', words: ['jane'] } }), world.deps);

  const records = [];
  for await (const entry of world.deps.audit.read()) records.push(entry.record);
  expect(records).toEqual([expect.objectContaining({ ...record, verb: 'block' })]);
  expect(world.writes).toEqual([]);
});

it.each(['show', 'declines', 'track'] as const)('a look at a card is on record: %s', async (verb) => {
  const world = await createPerformWorld(redis());

  await performAction(ask(verb, byCommand), world.deps);

  expect(await world.stations()).toEqual(['asked']);
  expect(world.answers).toHaveLength(1);
});
