import { describe, expect, it } from 'vitest';
import type { RuleGoal, Term } from '../../../src/card-api/rule-change.ts';
import { approvalPolicyOf } from '../../../src/policy/approval-policy.ts';
import { limitGoal } from '../../support/limit-goals.ts';
import { memoryRedis } from '../../support/memory-redis.ts';
import { ask, byCommand, createActionWorld, endTemporaryChange, performAction } from '../../support/perform-world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const forHours = (hours: number): Term => ({ kind: 'duration', ms: hours * HOUR });
const once: Term = { kind: 'purchase' };
const abroad: RuleGoal = { rule: { kind: 'international' }, to: true };
const daily = (dollars: number): RuleGoal => limitGoal('daily', dollars * 100);
const policy = {
  ...approvalPolicyOf({ twoPersonAboveCents: 100_000 }),
  durations: { longestMs: 24 * HOUR, mayStay: false },
};

/** A card of $400.00 a day. Each step is asked for by one approver, and told whether and why not it is made. */
async function stepByStep() {
  const redis = memoryRedis(() => new Date('2026-11-20T15:00:00.000Z'));
  const world = await createActionWorld(redis, { policyFor: () => policy });
  world.service.rules = { ...world.service.rules, InternationalSpendEnabled: false, MonthlySpendLimit: 9000 };
  let step = 0;
  return {
    world,
    async asks(goal: RuleGoal, term: Term): Promise<string> {
      step += 1;
      const isLimit = goal.rule.kind === 'limit';
      const by = isLimit ? byCommand : { target: { kind: 'alert', alertId: 'evt_0123456789abcdef' } as const };
      const common = { ...by, id: `act_step${step}`, askedAt: world.deps.now().toISOString() };
      const changeRequest = { goals: [goal], term };
      await performAction(
        isLimit ? ask('limit', { ...common, changeRequest }) : ask('allow', { ...common, changeRequest }),
        world.deps,
      );
      const records = (await world.records()).filter(({ actionId }) => actionId === `act_step${step}`);
      const last = records.at(-1);
      return last?.event === 'failed' ? `failed: ${last.detail}` : String(last?.event);
    },
    async waits(ms: number): Promise<void> {
      world.advance(ms);
      for (const { id, endsAt } of await world.deps.temporaryChanges.all())
        if (Date.parse(endsAt) <= world.deps.now().getTime()) await endTemporaryChange(id, world.deps);
    },
  };
}

const tooLong =
  'failed: The policy allows this for 1 day at most. The card has been loosened since 2026-11-20T15:00:00.000Z, and that counts.';

describe('a temporary raise that is made again before it ends', () => {
  it('lasts no longer in all than the policy allows, however often it is made again', async () => {
    const { asks, waits } = await stepByStep();

    expect(await asks(daily(1000), forHours(12))).toBe('done');
    await waits(11 * HOUR);
    expect(await asks(daily(1000), forHours(12)), '23 hours in all').toBe('done');
    await waits(11 * HOUR);
    expect(await asks(daily(1000), forHours(12))).toBe(tooLong);
    expect(await asks(daily(1001), forHours(12)), 'a little more').toBe(tooLong);
    expect(await asks(daily(900), forHours(12)), 'a little less').toBe(tooLong);
    expect(await asks(daily(1001), forHours(2)), '24 hours in all').toBe('done');
  });

  it('begins anew once it has ended', async () => {
    const { asks, waits } = await stepByStep();

    expect(await asks(daily(600), forHours(24))).toBe('done');
    await waits(24 * HOUR);
    expect(await asks(daily(600), forHours(24))).toBe('done');
  });

  it('does not count for another rule, nor for a limit that is lowered for a time', async () => {
    const { asks, waits } = await stepByStep();

    expect(await asks(daily(600), forHours(24))).toBe('done');
    await waits(23 * HOUR);
    expect(await asks(limitGoal('monthly', 950_000), forHours(24))).toBe('done');
    expect(await asks(daily(100), forHours(48))).toBe('done');
  });

  it('counts from its start although a shorter reduction was made in between', async () => {
    const { asks, waits } = await stepByStep();

    expect(await asks(daily(1000), forHours(24))).toBe('done');
    await waits(HOUR);
    expect(await asks(daily(500), forHours(1))).toBe('done');
    expect(await asks(daily(600), forHours(24))).toBe(tooLong);
  });
});

describe('a rule that is opened for this purchase only', () => {
  it('is opened for longer only by two approvers', async () => {
    const { asks, waits } = await stepByStep();

    expect(await asks(abroad, once)).toBe('done');
    await waits(14 * MINUTE);
    expect(await asks(abroad, once)).toBe('waiting');
    await waits(MINUTE);
    expect(await asks(abroad, once), 'after its end').toBe('done');
  });
});
