import { expect, it } from 'vitest';
import { createRequests } from '../../../src/approvals/request-store.ts';
import { askedAt, openRequestOf } from '../../support/limit-requests.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();

it('lists the requests that nobody has decided, and keeps the decided ones', async () => {
  const requests = createRequests(redis());
  const decided = openRequestOf({ id: 'req_decided' });
  await requests.save(openRequestOf({ id: 'req_open' }));
  await requests.save(decided);
  const decision = { actionId: 'act_ben', by: 'U0BEN', at: askedAt };

  await requests.save({ ...decided, state: 'denied', decision });

  expect((await requests.open()).map(({ id }) => id)).toEqual(['req_open']);
  expect(await requests.get('req_decided')).toMatchObject({ state: 'denied', decision });
  expect(await requests.get('req_gone')).toBeNull();
});
