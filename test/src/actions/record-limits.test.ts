import { expect, it } from 'vitest';
import { createRefusalCounts } from '../../../src/actions/record-limits.ts';
import { stateKey } from '../../../src/core/keys.ts';
import { useRedis } from '../../support/on-redis.ts';
import { ask } from '../../support/perform-world.ts';

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

  expect(await counts.take('act_1')).toEqual({ id: 'act_2', refused: ['block', 'show'], mistakes: [] });
  await counts.forget('act_1');
  expect(await counts.take('act_1')).toBeNull();
});

it('keeps a refusal that is counted while others are taken, for the next record', async () => {
  const counts = createRefusalCounts(redis());
  for (const id of ['act_1', 'act_2', 'act_3']) await counts.note(refused(id));

  const taken = await counts.take('act_1');
  await counts.note(refused('act_4'));

  expect(taken).toEqual({ id: 'act_2', refused: ['block', 'block'], mistakes: [] });
  expect(await counts.take('act_1'), 'again after a crash').toEqual(taken);
  await counts.forget('act_1');
  expect(await counts.take('act_1')).toEqual({ id: 'act_4', refused: ['block'], mistakes: [] });
  await counts.forget('act_1');
  expect(await counts.take('act_1')).toBeNull();
});

it('tells mistakes from refusals, and reads the refusals that an older version counted', async () => {
  const counts = createRefusalCounts(redis());
  await counts.note(refused('act_1'));
  await redis().sadd(stateKey('refused-more:act_1'), 'activate act_0');
  await counts.note(refused('act_2', 'show'), false);
  await counts.note(refused('act_3'));

  expect(await counts.take('act_1')).toEqual({ id: 'act_0', refused: ['activate', 'block'], mistakes: ['show'] });
});
