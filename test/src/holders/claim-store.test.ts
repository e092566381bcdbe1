import { expect, it } from 'vitest';
import { createClaims } from '../../../src/holders/claim-store.ts';
import { useRedis } from '../../support/on-redis.ts';
import { ask } from '../../support/perform-world.ts';
import { storeSigner } from '../../support/store-signer.ts';

const redis = useRedis();
const expiresAt = '2026-11-21T15:00:00.000Z';
const card = { acctId: 7, isSameName: true, isSameEmail: false };
const decision = { actionId: 'act_1', by: 'U0ANA', at: '2026-11-20T16:00:00.000Z' };

it('lists open claims, oldest first, and drops ids whose claim is gone', async () => {
  const claims = createClaims(redis(), storeSigner);
  const claim = (id: string, askedAt: string) => ({ id, action: ask('claim', { askedAt }), card, expiresAt });
  await claims.save({ ...claim('clm_b', '2026-11-20T15:00:02.000Z'), state: 'open' });
  await claims.save({ ...claim('clm_a', '2026-11-20T15:00:01.000Z'), state: 'open' });
  await claims.save({ ...claim('clm_gone', '2026-11-20T15:00:00.000Z'), state: 'open' });
  await claims.save({ ...claim('clm_done', '2026-11-20T15:00:00.000Z'), state: 'refused', decision });
  await redis().del('{cardbell:state}:claim:clm_gone');

  expect((await claims.open()).map(({ id }) => id)).toEqual(['clm_a', 'clm_b']);
  expect(await redis().zrange('{cardbell:state}:claims-open', '0', '-1')).toEqual(['clm_a', 'clm_b']);
});

it('keeps a claim for 30 days', async () => {
  const claims = createClaims(redis(), storeSigner);
  await claims.save({ id: 'clm_a', action: ask('claim'), card, expiresAt, state: 'open' });

  const days = (await redis().ttl('{cardbell:state}:claim:clm_a')) / (24 * 3600);
  expect(Math.ceil(days)).toBe(30);
});

it("counts a person's claims per day, and each action once", async () => {
  const claims = createClaims(redis(), storeSigner);

  expect(await claims.count('U0HUGO', 'act_1')).toBe(1);
  expect(await claims.count('U0HUGO', 'act_1')).toBe(1);
  expect(await claims.count('U0HUGO', 'act_2')).toBe(2);
  expect(await claims.count('U0SAM', 'act_3')).toBe(1);
});

it('ignores a claim that was altered in Redis', async () => {
  const claims = createClaims(redis(), storeSigner);
  await claims.save({ id: 'clm_a', action: ask('claim'), card, expiresAt, state: 'open' });
  const key = '{cardbell:state}:claim:clm_a';
  await redis().set(key, ((await redis().get(key)) ?? '').replace('"acctId":7', '"acctId":8'));

  await expect(claims.get('clm_a')).rejects.toThrow('not written by a worker');
  expect(await claims.open()).toEqual([]);
});
