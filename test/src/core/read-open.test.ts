import { expect, it } from 'vitest';
import { createClaims } from '../../../src/holders/claim-store.ts';
import { useRedis } from '../../support/on-redis.ts';
import { ask } from '../../support/perform-world.ts';

const redis = useRedis();

it('an id that outlived its record is forgotten, and those that still wait stay in their order', async () => {
  const claims = createClaims(redis());
  const rest = { state: 'open' as const, acctIds: [], expiresAt: '2026-11-21T15:00:00.000Z' };
  for (const [id, askedAt] of [
    ['clm_b', '2026-11-20T15:00:02.000Z'],
    ['clm_a', '2026-11-20T15:00:01.000Z'],
    ['clm_gone', '2026-11-20T15:00:00.000Z'],
  ] as const)
    await claims.save({ id, action: ask('claim', { askedAt }), ...rest });
  await redis().del('{cardbell:state}:claim:clm_gone');

  expect((await claims.open()).map(({ id }) => id)).toEqual(['clm_a', 'clm_b']);
  expect(await redis().zrange('{cardbell:state}:claims-open', '0', '-1')).toEqual(['clm_a', 'clm_b']);
});
