import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Action } from '../../../src/dispatch/verbs.ts';
import { examples } from '../../support/examples.ts';
import { limitGoal } from '../../support/limit-goals.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  ask,
  byCommand,
  createActionWorld,
  endTemporaryChange,
  type PerformWorld,
  performAction,
} from '../../support/perform-world.ts';

const redis = useRedis();
const ALONE = 1000;
const START = 5000;
const ana = { userId: 'U0ANA', teamId: 'T1' };

/** What one approver can do, and what others do meanwhile who approve nothing. */
const step = fc.oneof(
  fc.record({ kind: fc.constant('limit' as const), dollars: fc.integer({ min: 50, max: 9000 }) }),
  fc.record({
    kind: fc.constant('limit for a while' as const),
    dollars: fc.integer({ min: 50, max: 9000 }),
    hours: fc.integer({ min: 1, max: 24 * 300 }),
  }),
  fc.record({ kind: fc.constant('little more' as const), dollars: fc.integer({ min: 1, max: 999 }) }),
  fc.record({ kind: fc.constant('portal' as const), dollars: fc.integer({ min: 50, max: 9000 }) }),
  fc.record({
    kind: fc.constantFrom('take back' as const, 'put back' as const, 'leave it' as const, 'its end' as const),
  }),
  fc.record({ kind: fc.constantFrom('approve' as const, 'break the glass' as const) }),
  fc.record({ kind: fc.constant('wait' as const), minutes: fc.integer({ min: 1, max: 40 }) }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Runs a step, and answers with what somebody else set the limit to; null: nobody did. */
async function run(world: PerformWorld, given: Step, index: number): Promise<number | null> {
  const { deps, service } = world;
  const at = { id: `act_step${index}`, actor: ana, askedAt: deps.now().toISOString() };
  const act = (action: Action): Promise<void> => performAction(action, deps);
  const limit = (dollars: number, hours: number | null): Promise<void> => {
    const term =
      hours === null ? ({ kind: 'permanent' } as const) : ({ kind: 'duration', ms: hours * 3_600_000 } as const);
    return act(
      ask('limit', { ...byCommand, ...at, changeRequest: { goals: [limitGoal('daily', dollars * 100)], term } }),
    );
  };
  const temporaryChangeId = (await deps.temporaryChanges.all()).at(-1)?.id ?? 'act_none';
  const requestId = (await deps.requests.open()).at(-1)?.id ?? 'req_none';
  const onChange = { target: { kind: 'temporary-change', temporaryChangeId } as const };
  const onRequest = { target: { kind: 'request', requestId } as const };
  switch (given.kind) {
    case 'limit':
      await limit(given.dollars, null);
      break;
    case 'limit for a while':
      await limit(given.dollars, given.hours);
      break;
    case 'little more':
      await limit(Math.floor(Number(service.rules['DailySpendLimit'])) + given.dollars, null);
      break;
    case 'portal':
      // No amount that anybody types, so that nothing looks untouched that is not.
      service.rules = { ...service.rules, DailySpendLimit: given.dollars + (index + 1) / 100 };
      return Number(service.rules['DailySpendLimit']);
    case 'take back':
      await act(ask('revert', { ...at, ...onChange }));
      break;
    case 'put back':
    case 'leave it':
      await act(ask('complete-temporary-change', { ...at, ...onChange, restore: given.kind === 'put back' }));
      break;
    case 'its end':
      await endTemporaryChange(temporaryChangeId, deps);
      break;
    case 'approve':
      await act(ask('decide', { ...at, ...onRequest, approve: true }));
      break;
    case 'break the glass':
      await act(ask('emergency-override', { ...at, ...onRequest }));
      break;
    case 'wait':
      world.advance(given.minutes * 60_000);
  }
  return null;
}

it('no approver alone, in any order, brings a limit higher than what they may add to what others left it at', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), async (steps) => {
      await redis().flushall();
      const world = await createActionWorld(redis());
      world.service.rules = { IsActive: true, DailySpendLimit: START };
      let left = START;
      for (const [index, given] of steps.entries()) {
        left = (await run(world, given, index)) ?? left;
        const now = Number(world.service.rules['DailySpendLimit']);
        expect(now, `${given.kind}, step ${index + 1}`).toBeLessThanOrEqual(left + ALONE + 0.001);
      }
    }),
    { numRuns: examples(300) },
  );
}, 600_000);
