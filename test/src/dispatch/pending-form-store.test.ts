import { expect, it } from 'vitest';
import { createPending } from '../../../src/dispatch/pending-form-store.ts';
import { useRedis } from '../../support/on-redis.ts';
import { ask } from '../../support/perform-world.ts';
import { storeSigner } from '../../support/store-signer.ts';

const redis = useRedis();
const choice = (id: string) => ({ kind: 'choice', action: ask('block', { id }), questionId: null }) as const;

it('stores what a control stands for, and again under its id after Redis lost it', async () => {
  const pending = createPending(redis(), storeSigner);
  const id = await pending.put(choice('act_1'));
  expect(await pending.get(id)).toEqual(choice('act_1'));

  await redis().flushdb();
  await pending.put(choice('act_1'), id);

  expect(await pending.get(id)).toEqual(choice('act_1'));
  expect(await pending.get('p_gone')).toBeNull();
});

it('ignores a control whose stored meaning was altered in Redis', async () => {
  const pending = createPending(redis(), storeSigner);
  const [one, other] = [await pending.put(choice('act_1')), await pending.put(choice('act_2'))];
  const key = (id: string): string => `{cardbell:state}:pending:${id}`;
  const kept = (await redis().get(key(one))) ?? '';

  await redis().set(key(one), kept.replace('act_1', 'act_3'));
  await redis().set(key(other), kept);

  expect(await pending.get(one), 'altered').toBeNull();
  expect(await pending.get(other), 'copied from another control').toBeNull();
});
