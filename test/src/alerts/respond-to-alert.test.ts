import { expect, it } from 'vitest';
import { accountOf, directoryOf } from '../../support/directories.ts';
import { useRedis } from '../../support/on-redis.ts';
import { ask, createActionWorld, performAction } from '../../support/perform-world.ts';

const redis = useRedis();

it('shows once who has seen the alert, however often the button is pressed', async () => {
  const world = await createActionWorld(redis());

  await performAction(ask('acknowledge'), world.deps);
  await performAction(ask('acknowledge', { id: 'act_again' }), world.deps);

  const stored = await world.deps.alerts.get('evt_0123456789abcdef');
  expect(stored?.outcomes).toMatchObject([{ verb: 'acknowledge', by: 'U0OLGA', state: 'done' }]);
});

it('names who may, if the person has the role for other cards only', async () => {
  const world = await createActionWorld(redis(), {
    hasCardGroups: () => true,
    directory: directoryOf({ account: async () => accountOf({ group: 'South' }) }),
    rolesOf: async (_userId, { group } = {}) => ({
      roles: group === 'South' ? [] : ['operator'],
      isComplete: true,
    }),
    whoMay: async () => ['U0SUE', 'U0OLGA'],
  });

  await performAction(ask('acknowledge'), world.deps);

  expect(world.answers.at(-1)?.text).toContain('Ask another operator or an approver. <@U0SUE>.');
  expect((await world.deps.alerts.get('evt_0123456789abcdef'))?.outcomes).toEqual([]);
});
