import { expect, it } from 'vitest';
import { createHandlers } from '../../../src/dispatch/handlers.ts';
import { verbNames } from '../../../src/dispatch/verbs.ts';
import { useRedis } from '../../support/on-redis.ts';
import { createActionWorld } from '../../support/perform-world.ts';

const redis = useRedis();

it('every verb has somebody who does it', async () => {
  const { deps } = await createActionWorld(redis());

  expect(Object.keys(createHandlers(deps)).toSorted()).toEqual(verbNames.toSorted());
});
