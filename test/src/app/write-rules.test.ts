import { expect, it } from 'vitest';
import type { Alert } from '../../../src/alerts/alert.ts';
import { remembered, rememberWrites } from '../../../src/app/remember-writes.ts';
import { createStores } from '../../../src/app/stores.ts';
import { createLock } from '../../../src/core/lock.ts';
import { createSeals } from '../../../src/core/seal.ts';
import { createWriteOrder } from '../../../src/core/write-order.ts';
import { createPostNotice, createPostTracked } from '../../../src/outbox/tracked-message.ts';
import { askedActions } from '../../support/asked-actions.ts';
import { crashAtStep, Killed } from '../../support/crash-at.ts';
import { useRedis } from '../../support/on-redis.ts';
import { createActionWorld, performAction, type WorldDeps } from '../../support/perform-world.ts';
import { storeSigner } from '../../support/store-signer.ts';

const redis = useRedis();

const keys = async (): Promise<string[]> =>
  (await redis().keys('*')).filter((key) => !/lock:|write-order|routing-version/.test(key)).toSorted();

/** The content of Redis, without values that differ on each run. */
async function contents(): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const key of await keys()) {
    const type = await redis().type(key);
    // Sorted by time of arrival or of writing.
    const isByTime = /:queue$|former-holders/.test(key);
    if (type === 'string') found[key] = await redis().get(key);
    if (type === 'set') found[key] = (await redis().smembers(key)).toSorted();
    if (type === 'list') found[key] = await redis().lrange(key, 0, -1);
    if (type === 'zset')
      found[key] = await (isByTime ? redis().zrange(key, '0', '-1') : redis().zrange(key, '0', '-1', 'WITHSCORES'));
    if (type === 'hash') {
      const fields = Object.entries(await redis().hgetall(key)).filter(([field]) => !field.startsWith('since:'));
      found[key] = Object.fromEntries(fields);
    }
  }
  return found;
}

/** Keys of data that people see or will see. */
const shownKeys = async (): Promise<string[]> =>
  (await keys()).filter((key) => /:out:|:alert:|:fraud-case|:mutes|:temporary-change|:request/.test(key));

/** Takes a snapshot of Redis. @returns a function that restores it. */
async function snapshot(): Promise<() => Promise<void>> {
  const held = await redis().keys('*');
  const dumps = await Promise.all(held.map((key) => redis().dumpBuffer(key)));
  return async () => {
    await redis().flushall();
    await Promise.all(held.map((key, index) => redis().restore(key, 0, dumps[index] ?? Buffer.alloc(0))));
  };
}

/** A worker with real stores that remembers its writes as the product does. */
async function createWorld() {
  const writes = new Map<unknown, () => Promise<unknown>>();
  const redo = {
    remember(again: () => Promise<unknown>, key: unknown = Symbol('write')) {
      writes.delete(key);
      writes.set(key, again);
    },
  };
  const order = createWriteOrder(redis(), createLock(redis()));
  const stores = rememberWrites(
    redo,
    order,
    createStores(redis(), {
      stored: () => storeSigner,
      control: storeSigner,
      delegation: createSeals('xoxb-test').delegation,
      withLock: createLock(redis()),
      now: () => new Date(),
    }),
  );
  const outbox = { ...stores.outbox, put: remembered(redo, stores.outbox.put) };
  const announced = new Map<string, Alert>();
  const postNotice = createPostNotice({ outbox });
  const postTracked = createPostTracked({ ...stores, outbox });
  const { outbox: _outbox, trackedMessages: _tracked, quarantined: _quarantined, ...shared } = stores;
  const world = await createActionWorld(redis(), {
    ...shared,
    postNotice,
    postRequest: ({ id }) => postTracked('C0REQ', { kind: 'request', id }),
    postClaim: ({ id }) => postTracked('C0REQ', { kind: 'claim', id }),
    postTemporaryChange: ({ id }) => postTracked('C0REQ', { kind: 'temporary-change', id }),
    postAuditLine: (id, message) => postNotice('C0AUD', id, message),
    postToApprovals: (id, message) => postNotice('C0REQ', id, message),
    postToOps: (id, message) => postNotice('C0OPS', id, message),
    // In the product this is a job, which is enqueued again.
    announce: async (alert) => void announced.set(alert.event.id, alert),
  });
  const deps: WorldDeps = {
    ...world.deps,
    audit: { ...world.deps.audit, append: remembered(redo, world.deps.audit.append) },
  };
  return {
    world,
    deps,
    announced,
    async writeAgain() {
      for (const again of writes.values()) await again();
    },
  };
}

it.each(askedActions)('loses no write when Redis loses its data: %s', async (_what, action, before) => {
  const { world, deps, writeAgain } = await createWorld();
  await before?.(world);
  const rewind = await snapshot();
  await performAction(action, deps);
  const written = await contents();

  await rewind();
  await writeAgain();

  expect(await contents()).toEqual(written);
});

it.each(askedActions.filter(([what]) => /^a block|fraud|for an hour|an approval|an order|a mute/.test(what)))(
  'has the same effect if Redis loses its data at any step and the action runs again: %s',
  async (_what, action, before) => {
    const begin = async (killAt: number) => {
      await redis().flushall();
      const made = await createWorld();
      await before?.(made.world);
      const rewind = await snapshot();
      return { ...made, rewind, ...crashAtStep(made.deps, killAt) };
    };
    const survey = await begin(Number.POSITIVE_INFINITY);
    await performAction(action, survey.deps);
    const shown = await shownKeys();

    for (const step of survey.life.distinct()) {
      const { world, deps: crashing, life, rewind, writeAgain, announced } = await begin(step);
      await expect(performAction(action, crashing)).rejects.toThrow(Killed);
      await rewind();
      await writeAgain();
      await performAction(action, world.deps);

      const at = life.diedAt() ?? '';
      // An order that may have been placed is not repeated. The requester is notified instead.
      if (action.verb === 'order-virtual') expect(world.writes.length, at).toBeLessThanOrEqual(1);
      else expect(world.writes, at).toEqual(survey.world.writes);
      expect(await shownKeys(), at).toEqual(shown);
      expect([...announced.keys()], at).toEqual([...survey.announced.keys()]);
      expect(world.answers.length > 0, at).toBe(survey.world.answers.length > 0);
    }
  },
);
