import { describe, expect, it } from 'vitest';
import { RolesUnreadError, StoreUnavailableError } from '../../../src/core/errors.ts';
import { stateKey } from '../../../src/core/keys.ts';
import { createLock } from '../../../src/core/lock.ts';
import type { VerbAction } from '../../../src/dispatch/verbs.ts';
import { accountOf } from '../../support/directories.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  acctId,
  ask,
  byCommand,
  createActionWorld,
  type PerformWorld,
  performAction,
  virtualOrder,
  type WorldDeps,
} from '../../support/perform-world.ts';

const redis = useRedis();

/** Slack does not return who has which role, and this is the last attempt. */
const givingUp = (world: PerformWorld): WorldDeps => ({
  ...world.deps,
  rolesOf: async () => ({ roles: [], isComplete: false }),
  isLastAttempt: true,
});
/** The card service does not return the account now. */
const unreadCard = ({ deps: { directory } }: PerformWorld): Partial<WorldDeps> => ({
  directory: { ...directory, current: async () => null },
});
const order = ask('order-virtual', { target: virtualOrder });

async function told(world: PerformWorld): Promise<void> {
  expect(world.writes).toEqual([]);
  expect(await world.stations()).toEqual(['failed']);
  expect(world.answers.map(({ text }) => text)).toEqual([expect.stringMatching(/Your request to order virtual cards/)]);
}

it('does not perform a failed action when another worker gets its job, because people were asked to try again', async () => {
  const world = await createActionWorld(redis());

  await performAction(order, givingUp(world));
  await performAction(order, world.deps);

  await told(world);
});

it('reports a failed action from the next worker, in the same words, if the first worker did not', async () => {
  const world = await createActionWorld(redis());
  const dies = async (): Promise<void> => {
    throw new Error('killed');
  };

  await expect(performAction(order, { ...givingUp(world), answer: dies })).rejects.toThrow('killed');
  await performAction(order, world.deps);

  await told(world);
});

it.each<[string, VerbAction, (world: PerformWorld) => Partial<WorldDeps>, RegExp]>([
  [
    'Slack',
    order,
    givingUp,
    /Slack does not say who has which role, so I can’t decide this yet\. Try again in a minute/,
  ],
  [
    'the card service',
    ask('unblock', byCommand),
    unreadCard,
    /The card service did not return whose card it is, so I can’t decide this yet\. Try again in a minute/,
  ],
])(
  'names %s as the cause if who may decide was not read, and leaves no failed job',
  async (_who, action, over, why) => {
    const world = await createActionWorld(redis());

    await performAction(action, { ...world.deps, isLastAttempt: true, ...over(world) });

    expect(world.writes).toEqual([]);
    expect(world.answers.map(({ text }) => text)).toEqual([expect.stringMatching(why)]);
    expect(world.answers[0]?.text).not.toContain('Cardbell itself');
  },
);

describe('an unblock that is given up because the card service did not return whose card it is', () => {
  it('names the card, before and at the end, and is shown on its alert', async () => {
    const world = await createActionWorld(redis());
    const over = unreadCard(world);

    await expect(performAction(ask('unblock'), { ...world.deps, ...over })).rejects.toThrow(RolesUnreadError);
    await performAction(ask('unblock'), { ...world.deps, isLastAttempt: true, ...over });

    expect(world.answers.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^Still trying to unblock Jane Doe · card/),
      expect.stringMatching(/^Could not unblock Jane Doe · card/),
    ]);
    expect((await world.deps.alerts.get('evt_0123456789abcdef'))?.outcomes).toMatchObject([
      { verb: 'unblock', state: 'failed' },
    ]);
  });

  it('does not name the card to somebody who may not see it', async () => {
    const world = await createActionWorld(redis());
    const group = 'South';
    const rolesOf: WorldDeps['rolesOf'] = async (_userId, of) => ({
      roles: of?.group === group ? [] : ['operator', 'approver'],
      isComplete: true,
    });
    const directory = { ...world.deps.directory, account: async () => accountOf({ acctId, group }) };
    const deps = { ...world.deps, isLastAttempt: true, hasCardGroups: () => true, rolesOf, directory };

    await performAction(ask('unblock', byCommand), { ...deps, ...unreadCard({ ...world, deps }) });

    expect(world.answers.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^Not done: Your request to unblock cards\. It could not be finished/),
    ]);
  });
});

describe.each<[string, VerbAction, string]>([
  ['an order of a virtual card', order, `order:${order.id}`],
  ['a resend of virtual card details', ask('resend-virtual', byCommand), `account:${acctId}`],
])('%s that was being sent when its job failed', (_what, action, lock) => {
  /** A bug on our side, on the last attempt. */
  async function broken() {
    const world = await createActionWorld(redis(), { withLock: createLock(redis(), { maxWaitMs: 100 }) });
    await world.deps.progress.write(action.id, { state: 'sending', before: null, after: null });
    const fault = (): never => {
      throw new Error('a fault of ours');
    };
    return { world, deps: { ...world.deps, unseal: fault, toFacts: fault, isLastAttempt: true } };
  }

  it('is reported as uncertain and not performed again', async () => {
    const { world, deps } = await broken();

    await expect(performAction(action, deps)).rejects.toThrow('a fault of ours');
    await performAction(action, world.deps);

    expect(await world.stations()).toEqual(['unknown']);
    expect(world.answers.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^Not certain: Your .* may or may not have happened.*try again\.$/),
    ]);
    expect(world.writes).toEqual([]);
  });

  it('is not reported while another worker holds the lock, because its job runs again', async () => {
    const { world, deps } = await broken();
    await redis().set(stateKey(`lock:${lock}`), 'another worker');

    await expect(performAction(action, deps)).rejects.toThrow(StoreUnavailableError);

    expect(await world.stations()).toEqual([]);
    expect(world.answers).toEqual([]);
  });
});
