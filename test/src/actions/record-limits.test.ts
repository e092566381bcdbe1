import { expect, it } from 'vitest';
import { createRefusalCounts } from '../../../src/actions/record-limits.ts';
import { useRedis } from '../../support/on-redis.ts';
import { ask, createActionWorld, verbsOf } from '../../support/perform-world.ts';

const redis = useRedis();
const refused = (id: string, verb: 'block' | 'show' = 'block') => ask(verb, { id });

it('counts each refusal of a person within a minute once, except the first', async () => {
  const counts = createRefusalCounts(redis());

  expect(await counts.note(refused('act_1'))).toBeNull();
  expect(await counts.note(refused('act_1')), 'repeated after a crash').toBeNull();
  expect(await counts.note(refused('act_2'))).toMatchObject({ first: 'act_1' });
  expect(await counts.note(refused('act_2')), 'repeated after a crash').toMatchObject({ first: 'act_1' });
  await counts.note(refused('act_3', 'show'));
  expect(await counts.note({ ...refused('act_4'), actor: { userId: 'U0GUS', teamId: 'T1' } })).toBeNull();

  expect(Object.fromEntries(await counts.counted('act_1'))).toEqual({ block: 1, show: 1 });
  await counts.forget('act_1');
  expect((await counts.counted('act_1')).size).toBe(0);
});

it('records a hundred refusals of one person within a minute as two entries: the first and a count of the rest', async () => {
  const { deps, stations } = await createActionWorld(redis());
  const scheduled = new Set<string>();
  const verbs = verbsOf({ ...deps, scheduleRefusals: async (_action, first) => void scheduled.add(first) });
  for (let count = 0; count < 100; count += 1)
    await verbs.recordRefusal(refused(`act_${count}`), { why: 'not permitted' });
  expect([...scheduled]).toEqual(['act_0']);

  await verbs.recordRefusals(refused('act_1'), 'act_0');
  await verbs.recordRefusals(refused('act_1'), 'act_0');

  expect(await stations()).toEqual(['refused', 'refused']);
  const records = [];
  for await (const { record } of deps.audit.read()) records.push(record);
  expect(records[1]).toMatchObject({
    detail: '99 more refusals within a minute: block cards (99)',
    actor: { userId: 'U0OLGA' },
  });
});

it('records a separate refusal for an action already audited as asked, so that its record has an end', async () => {
  const { deps, stations } = await createActionWorld(redis());
  const verbs = verbsOf({ ...deps, scheduleRefusals: async () => {} });
  await verbs.recordRefusal(refused('act_1'), { why: 'not permitted' });
  await deps.progress.write('act_2', { state: 'asked' });

  await verbs.recordRefusal(refused('act_2'), { why: 'not permitted' });

  expect(await stations()).toEqual(['refused', 'refused']);
});
