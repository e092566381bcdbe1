import { expect, it } from 'vitest';
import { createBlocks } from '../../../src/actions/block-store.ts';
import { useRedis } from '../../support/on-redis.ts';
import { storeSigner } from '../../support/store-signer.ts';

const redis = useRedis();
const block = { acctId: 7, cardId: 8, alertId: null, by: 'U0GUS', at: '2026-11-20T15:00:00.000Z', actionId: 'act_1' };
const key = (actionId: string): string => `{cardbell:state}:block:${actionId}`;

it('remembers who blocked a card for ten minutes', async () => {
  const blocks = createBlocks(redis(), storeSigner);
  await blocks.keep(block);

  expect(await blocks.get('act_1')).toEqual(block);
  expect(await blocks.get('act_2')).toBeNull();
  expect(await redis().pttl(key('act_1'))).toBeLessThanOrEqual(600_000);
});

it('rejects a record of who blocked a card that was forged in Redis', async () => {
  const blocks = createBlocks(redis(), storeSigner);
  await blocks.keep(block);
  const kept = (await redis().get(key('act_1'))) ?? '';
  await redis().set(key('act_1'), kept.replace('U0GUS', 'U0EVE'));
  await redis().set(key('act_2'), kept);

  await expect(blocks.get('act_1'), 'altered').rejects.toThrow('not written by a worker');
  await expect(blocks.get('act_2'), 'copied from another action').rejects.toThrow('not written by a worker');
});
