import { expect, it } from 'vitest';
import { choiceOf } from '../../../src/actions/action.ts';
import { createPending } from '../../../src/dispatch/pending-form-store.ts';
import { useRedis } from '../../support/on-redis.ts';
import { ask } from '../../support/perform-world.ts';
import { storeSigner } from '../../support/store-signer.ts';

const redis = useRedis();
const choice = (reason: string) =>
  ({ kind: 'choice', choice: choiceOf(ask('block', { reason })), questionId: null }) as const;

it('stores what a control stands for, and again under its id after Redis lost it', async () => {
  const pending = createPending(redis(), storeSigner);
  const id = await pending.put(choice('lost'));
  expect(await pending.get(id)).toEqual(choice('lost'));

  await redis().flushdb();
  await pending.put(choice('lost'), id);

  expect(await pending.get(id)).toEqual(choice('lost'));
  expect(await pending.get('p_gone')).toBeNull();
});

it('ignores a control whose stored meaning was altered in Redis', async () => {
  const pending = createPending(redis(), storeSigner);
  const [one, other] = [await pending.put(choice('lost')), await pending.put(choice('stolen'))];
  const key = (id: string): string => `{cardbell:state}:pending:${id}`;
  const kept = (await redis().get(key(one))) ?? '';

  await redis().set(key(one), kept.replace('lost', 'found'));
  await redis().set(key(other), kept);

  expect(await pending.get(one), 'altered').toBeNull();
  expect(await pending.get(other), 'copied from another control').toBeNull();
});
