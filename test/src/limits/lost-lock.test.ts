import { expect, it } from 'vitest';
import { TooLateError } from '../../../src/core/errors.ts';
import { stateKey } from '../../../src/core/keys.ts';
import { createLock } from '../../../src/core/lock.ts';
import { limitGoal } from '../../support/limit-goals.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  acctId,
  ask,
  byCommand,
  createActionWorld,
  endTemporaryChange,
  performAction,
  type WorldDeps,
} from '../../support/perform-world.ts';

const redis = useRedis();
const raise = ask('limit', {
  changeRequest: { goals: [limitGoal('daily', 45_000)], term: { kind: 'duration', ms: 3_600_000 } },
});
const revert = (by: string) =>
  ask('revert', {
    ...byCommand,
    id: `act_${by.toLowerCase()}`,
    target: { kind: 'temporary-change', temporaryChangeId: raise.id },
    actor: { userId: by, teamId: 'T1' },
  });

type Call = 'getSpendRules' | 'putSpendRules';

it.each<[string, Call, (deps: WorldDeps) => Promise<unknown>]>([
  ['the job of its end', 'getSpendRules', (deps) => endTemporaryChange(raise.id, deps)],
  ['another click', 'getSpendRules', (deps) => performAction(revert('U0ANA'), deps)],
  ['the job of its end, when it had written,', 'putSpendRules', (deps) => endTemporaryChange(raise.id, deps)],
  ['another click, when it had written,', 'putSpendRules', (deps) => performAction(revert('U0ANA'), deps)],
])('keeps who ended a temporary change if %s lost its lock in %s', async (_what, call, run) => {
  const world = await createActionWorld(redis(), { withLock: createLock(redis()) });
  const { deps } = world;
  await performAction(raise, deps);
  world.advance(3_600_001);
  let isStalled = false;
  async function stallIn(name: Call): Promise<void> {
    if (isStalled || name !== call) return;
    isStalled = true;
    await redis().del(stateKey(`lock:account:${acctId}`));
    await performAction(revert('U0BEN'), deps);
  }
  const card: WorldDeps['card'] = {
    ...deps.card,
    async getSpendRules(id) {
      const read = await deps.card.getSpendRules(id);
      await stallIn('getSpendRules');
      // The answer arrives late.
      return isStalled ? await deps.card.getSpendRules(id) : read;
    },
    async putSpendRules(...given) {
      await deps.card.putSpendRules(...given);
      await stallIn('putSpendRules');
    },
  };

  await expect(run({ ...deps, card }), 'its job runs again').rejects.toThrow(TooLateError);
  await run(deps);

  expect(await deps.temporaryChanges.get(raise.id)).toMatchObject({ state: 'ended', closedBy: 'U0BEN' });
  expect(world.service.rules['DailySpendLimit']).toBe(400);
  expect((await world.stations()).filter((station) => station === 'ended')).toHaveLength(1);
});
