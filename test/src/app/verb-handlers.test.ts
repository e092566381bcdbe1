import { expect, it } from 'vitest';
import { composeCapabilities } from '../../../src/app/compose-verbs.ts';
import { verbHandlers } from '../../../src/app/verb-handlers.ts';
import { verbNames } from '../../../src/dispatch/verbs.ts';
import { useRedis } from '../../support/on-redis.ts';
import { createActionWorld, verbsDepsOf } from '../../support/perform-world.ts';

const redis = useRedis();

it('every verb has somebody who does it', async () => {
  const { deps } = await createActionWorld(redis());

  const handlers = verbHandlers(composeCapabilities(verbsDepsOf(deps)));

  expect(Object.keys(handlers).toSorted()).toEqual(verbNames.toSorted());
});
