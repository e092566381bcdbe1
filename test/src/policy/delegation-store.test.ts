import { expect, it } from 'vitest';
import { stateKey } from '../../../src/core/keys.ts';
import { createSeals } from '../../../src/core/seal.ts';
import { createDelegations } from '../../../src/policy/delegation-store.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const store = () => createDelegations(redis(), createSeals('xoxb-test').delegation);
const delegation = { for: 'U0ANA', to: 'U0BEN', from: '2026-12-24', until: '2027-01-02' };

it('an approver has one delegate at a time, until the approver ends it', async () => {
  await store().set('U0ANA', delegation);
  await store().set('U0ANA', { ...delegation, to: 'U0CAL' });
  expect(await store().all()).toEqual([{ ...delegation, to: 'U0CAL' }]);

  await store().set('U0ANA', null);
  expect(await store().of('U0ANA')).toBeNull();
});

it('nobody becomes a delegate by writing to Redis, neither with plain text nor by moving an entry', async () => {
  await store().set('U0ANA', delegation);
  const sealed = await redis().hget(stateKey('delegations'), 'U0ANA');
  await redis().hset(stateKey('delegations'), { U0ZOE: sealed ?? '', U0OTTO: JSON.stringify(delegation) });

  expect(await store().all()).toEqual([delegation]);
  expect(sealed).not.toContain('U0BEN');
});
