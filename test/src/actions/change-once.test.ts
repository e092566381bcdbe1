import { expect, it } from 'vitest';
import { createChangeOnce } from '../../../src/actions/change-once.ts';
import { createTools } from '../../../src/app/compose-tools.ts';
import { useRedis } from '../../support/on-redis.ts';
import { acctId, ask, contextOf, createActionWorld } from '../../support/perform-world.ts';

const redis = useRedis();

it('audits the request once, however often it is retried', async () => {
  const world = await createActionWorld(redis());
  const resolved = { action: ask('block'), acctId, cardId: null };
  const tools = createTools(contextOf(world.deps));
  const changeOnce = createChangeOnce(tools);
  const tries: number[] = [];

  for (let attempt = 0; attempt < 2; attempt += 1) {
    await changeOnce(resolved, { isLast: false }, async () => void tries.push(attempt));
  }

  expect(tries).toEqual([0, 1]);
  expect(await world.stations()).toEqual(['asked']);
});
