import { expect, it } from 'vitest';
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
