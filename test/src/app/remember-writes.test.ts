import { expect, it } from 'vitest';
import { createProgress } from '../../../src/actions/progress-store.ts';
import { remembered, rememberWrites } from '../../../src/app/remember-writes.ts';
import { createTemporaryChanges } from '../../../src/limits/temporary-change-store.ts';
import { createOutbox } from '../../../src/outbox/outbox-store.ts';
import { useRedis } from '../../support/on-redis.ts';
import { temporaryChangeOf } from '../../support/temporary-changes.ts';

const redis = useRedis();

/** Stores that remember, and what a Redis that has lost everything does with it. */
function createWorld() {
  const writes: (() => Promise<unknown>)[] = [];
  const redo = { remember: (again: () => Promise<unknown>) => void writes.push(again) };
  const stores = rememberWrites(redo, {
    outbox: createOutbox(redis()),
    progress: createProgress(redis()),
    temporaryChanges: createTemporaryChanges(redis()),
  });
  return {
    ...stores,
    async writeAgain() {
      for (const again of writes) await again();
    },
  };
}

const notice = { kind: 'notice' as const, id: 'notice-1', message: { text: 'x', blocks: [] } };

const change = temporaryChangeOf();

it('what was posted and lost is not posted again, also when the entry waits again', async () => {
  const { outbox, writeAgain } = createWorld();
  await outbox.put('C1', notice);
  const sending = await outbox.claim('C1', ['notice-1'], null);
  if (sending === null) throw new Error('nothing was claimed');
  await outbox.markSent('C1', sending, '1.1');

  await redis().flushall();
  await outbox.put('C1', notice);
  await writeAgain();

  expect((await outbox.look('C1', 10)).waiting).toEqual([]);
  expect(await outbox.sentAt('C1', 'notice-1')).toBe('1.1');
  expect(await outbox.put('C1', notice), 'it is known to be posted').toBe(false);
});

it('how far an action got is known again, and never goes back', async () => {
  const { progress, writeAgain } = createWorld();
  await progress.write('act_1', { state: 'asked' });
  await redis().flushall();
  await writeAgain();

  expect(await progress.read('act_1')).toEqual({ state: 'asked' });
});

it('a temporary change that was lost ends even so; one that has ended stays ended', async () => {
  const { temporaryChanges, writeAgain } = createWorld();
  await temporaryChanges.save(change);
  await redis().flushall();
  await writeAgain();
  expect(await temporaryChanges.all()).toEqual([change]);

  await temporaryChanges.save({ ...change, state: 'ended' });
  await redis().flushall();
  await createTemporaryChanges(redis()).save(change);
  await writeAgain();

  expect((await temporaryChanges.get('act_1'))?.state).toBe('ended');
  expect(await temporaryChanges.all()).toEqual([]);
});

it('only what was written is repeated', async () => {
  const again: (() => Promise<unknown>)[] = [];
  const write = remembered({ remember: (one) => void again.push(one) }, async (fails: boolean) => {
    if (fails) throw new Error('Redis is away');
  });

  await write(false);
  await expect(write(true)).rejects.toThrow('away');

  expect(again).toHaveLength(1);
});
