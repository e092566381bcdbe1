import { beforeEach, describe, expect, it } from 'vitest';
import type { Term } from '../../../src/card-api/rule-change.ts';
import type { VerbAction } from '../../../src/dispatch/verbs.ts';
import { refusal, unanswered } from '../../support/card-api-errors.ts';
import { crashAtStep } from '../../support/crash-at.ts';
import { limitChange, limitGoal } from '../../support/limit-goals.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  acctId,
  ask,
  byCommand,
  createActionWorld,
  type PerformWorld,
  performAction,
  verbsOf,
  verifyAction,
  type WorldDeps,
} from '../../support/perform-world.ts';

const redis = useRedis();
const permanent: Term = { kind: 'permanent' };
const forAnHour: Term = { kind: 'duration', ms: 3_600_000 };
const MINUTE = 60_000;

const fails = async (): Promise<never> => {
  throw unanswered();
};

describe('after a call that was carried out late', () => {
  let world: PerformWorld;
  let told: string[];
  let toldIds: Set<string>;
  function tell(id: string, message: string): void {
    if (id.startsWith('overwritten') && !toldIds.has(id)) told.push(message);
    toldIds.add(id);
  }
  beforeEach(async () => {
    told = [];
    toldIds = new Set();
    world = await createActionWorld(redis(), {
      timeLeft: async (moment) => Date.parse(moment) - world.deps.now().getTime(),
      notifyDirectly: async (userId, id, { text }) => tell(id, `${userId}: ${text}`),
      postToApprovals: async (id, { text }) => tell(id, `approvers: ${text}`),
    });
  });

  const set = (id: string, period: 'daily' | 'monthly', cents: number, term: Term = permanent): VerbAction =>
    ask('limit', {
      ...byCommand,
      id,
      changeRequest: { goals: [limitGoal(period, cents)], term },
      askedAt: world.deps.now().toISOString(),
    });
  /** The call gets no answer. @returns what carries it out. */
  async function lose(action: VerbAction): Promise<() => void> {
    let sent: Record<string, unknown> = {};
    const putSpendRules: WorldDeps['card']['putSpendRules'] = async (_acctId, raw) => {
      sent = raw;
      throw unanswered();
    };
    const card = { ...world.deps.card, putSpendRules };
    await performAction(action, { ...world.deps, isLastAttempt: true, card });
    world.advance(1000);
    return () => {
      world.service.rules = sent;
    };
  }
  async function make(action: VerbAction): Promise<void> {
    await performAction(action, world.deps);
    world.advance(1000);
  }
  async function sweep(deps: WorldDeps = world.deps): Promise<void> {
    for (const id of await world.deps.ruleWrites.accounts()) await verbsOf(deps).restoreOverwritten(id);
  }
  /** The lost call is tried again. */
  async function beginAgain(): Promise<void> {
    const changes = [limitChange('monthly', 200_000, 250_000)];
    const sentAt = world.deps.now().toISOString();
    await world.deps.ruleWrites.begin(acctId, { id: 'act_late', by: 'U0OLGA', changes, sentAt });
    world.advance(1000);
  }
  const daily = () => world.service.rules['DailySpendLimit'];
  const monthly = () => world.service.rules['MonthlySpendLimit'];
  const onRecord = async () =>
    (await world.records())
      .filter(({ actor }) => actor === null)
      .map(({ event, before, after }) => `${event}: ${before} → ${after}`);

  it('sets a limit again that was lowered since, and leaves what the late call itself was for', async () => {
    const carryOut = await lose(set('act_late', 'monthly', 250_000));
    await make(set('act_lower', 'daily', 10_000));
    await sweep();
    expect(world.writes).toEqual(['limit 100']);

    carryOut();
    expect([daily(), monthly()]).toEqual([400, 2500]);
    await sweep();
    expect([daily(), monthly()]).toEqual([100, 2500]);
    const sides = 'daily limit $400.00 → daily limit $100.00';
    expect(await onRecord()).toEqual([`sent: ${sides}`, `done: ${sides}`]);
    expect(world.auditLines.filter((id) => id.startsWith('audit-again-act_late'))).toHaveLength(1);
    expect(told).toEqual([]);

    await sweep();
    expect(world.writes).toHaveLength(2);
    expect(await world.deps.ruleWrites.accounts()).toEqual([]);
  });

  it('lowers a limit again that had gone back when its raise ended', async () => {
    await make(set('act_raise', 'daily', 50_000, forAnHour));
    world.advance(59 * MINUTE);
    const carryOut = await lose(set('act_late', 'monthly', 250_000));
    world.advance(2 * MINUTE);
    expect(await verbsOf(world.deps).endTemporaryChange('act_raise')).toBeNull();
    expect(daily()).toBe(400);

    carryOut();
    expect(daily()).toBe(500);
    await sweep();
    expect([daily(), monthly()]).toEqual([400, 2500]);
  });

  it('sets it again before anything else changes the card', async () => {
    const carryOut = await lose(set('act_late', 'monthly', 250_000));
    await make(set('act_lower', 'daily', 10_000));
    carryOut();
    await make(set('act_more', 'monthly', 260_000));
    expect([daily(), monthly()]).toEqual([100, 2600]);
  });

  it('does not count what a late call has raised as the value before a later change', async () => {
    await make(set('act_raise', 'daily', 50_000, forAnHour));
    world.advance(59 * MINUTE);
    const carryOut = await lose(set('act_late', 'monthly', 250_000));
    world.advance(2 * MINUTE);
    await verbsOf(world.deps).endTemporaryChange('act_raise');
    carryOut();
    await make(set('act_minute', 'daily', 60_000, { kind: 'duration', ms: MINUTE }));
    world.advance(2 * MINUTE);
    await verbsOf(world.deps).endTemporaryChange('act_minute');
    expect(daily()).toBe(400);
  });

  it('tries it again if its own call gets no answer', async () => {
    const carryOut = await lose(set('act_late', 'monthly', 250_000));
    await make(set('act_lower', 'daily', 10_000));
    carryOut();
    await expect(sweep({ ...world.deps, card: { ...world.deps.card, putSpendRules: fails } })).rejects.toThrow();
    expect(daily()).toBe(400);
    await sweep();
    expect(daily()).toBe(100);
  });

  it('keeps no raise from ending and no limit from being lowered while the card service fails', async () => {
    const unread = { ...world.deps.card, getAccount: fails };
    await make(set('act_raise', 'daily', 50_000, forAnHour));
    world.advance(59 * MINUTE);
    await lose(set('act_late', 'monthly', 250_000));
    world.advance(2 * MINUTE);
    expect(await verbsOf({ ...world.deps, card: unread }).endTemporaryChange('act_raise')).toBeNull();
    expect(daily()).toBe(400);

    await performAction(set('act_lower', 'daily', 9000), { ...world.deps, card: unread });
    expect(daily()).toBe(90);
  });

  it('makes a change although what was overwritten could not be set again', async () => {
    const carryOut = await lose(set('act_late', 'monthly', 250_000));
    await make(set('act_lower', 'daily', 10_000));
    carryOut();
    let calls = 0;
    const putSpendRules: WorldDeps['card']['putSpendRules'] = async (...write) => {
      calls += 1;
      if (calls === 1) throw unanswered();
      await world.deps.card.putSpendRules(...write);
    };
    await performAction(set('act_lower2', 'daily', 5000), {
      ...world.deps,
      card: { ...world.deps.card, putSpendRules },
    });
    expect(daily()).toBe(50);
  });

  it('has a repair on record as done, also if its second try got no answer', async () => {
    const carryOut = await lose(set('act_late', 'monthly', 250_000));
    await make(set('act_lower', 'daily', 10_000));
    carryOut();
    const lost = { ...world.deps.card, putSpendRules: fails };
    await sweep({ ...world.deps, card: lost }).catch(() => {});
    const putSpendRules: WorldDeps['card']['putSpendRules'] = async (...write) => {
      await world.deps.card.putSpendRules(...write);
      throw unanswered();
    };
    await sweep({ ...world.deps, card: { ...world.deps.card, putSpendRules } });
    expect(daily()).toBe(100);
    expect((await onRecord()).map((entry) => entry.slice(0, 4))).toEqual(['sent', 'done']);
  });

  it('protects a change that only its verification has shown', async () => {
    const carryOut = await lose(set('act_late', 'monthly', 250_000));
    const makeNow = await lose(set('act_lower', 'daily', 10_000));
    makeNow();
    world.advance(5000);
    await verifyAction('act_lower', world.deps);
    carryOut();
    await sweep();
    expect(daily()).toBe(100);
  });

  it('sets it again, also if verification has shown the late call before the sweep', async () => {
    const carryOut = await lose(set('act_late', 'monthly', 250_000));
    await make(set('act_lower', 'daily', 10_000));
    carryOut();
    await verifyAction('act_late', world.deps);
    await sweep();
    expect(daily()).toBe(100);
  });

  it('goes on watching while the card cannot be read', async () => {
    const carryOut = await lose(set('act_late', 'monthly', 250_000));
    await make(set('act_lower', 'daily', 10_000));
    carryOut();
    world.advance(21 * MINUTE);
    await sweep({ ...world.deps, card: { ...world.deps.card, getAccount: fails } });
    await sweep();
    expect(told).toHaveLength(1);
  });

  it('tells people again if what they have set again is overwritten', async () => {
    await lose(set('act_late', 'monthly', 250_000));
    await beginAgain();
    await world.deps.ruleWrites.made(acctId, 'act_late');
    world.service.rules = { ...world.service.rules, MonthlySpendLimit: 2500 };
    for (const id of ['act_lower', 'act_lower2']) {
      await make(set(id, 'daily', 10_000));
      world.service.rules = { ...world.service.rules, DailySpendLimit: 400 };
      await sweep();
      await sweep();
    }
    expect(told).toHaveLength(2);
  });

  it('watches on after the portal has made the change of a lost call, and tells people if that comes late', async () => {
    const carryOut = await lose(set('act_late', 'monthly', 250_000));
    world.service.rules = { ...world.service.rules, MonthlySpendLimit: 2500 };
    await make(set('act_lower', 'daily', 10_000));
    carryOut();
    await sweep();
    expect(told).toHaveLength(1);
  });

  it('protects a change whose answer was lost, too, once the card has shown it', async () => {
    const carryOut = await lose(set('act_late', 'monthly', 250_000));
    const putSpendRules: WorldDeps['card']['putSpendRules'] = async (...write) => {
      await world.deps.card.putSpendRules(...write);
      throw unanswered();
    };
    await performAction(set('act_lower', 'daily', 10_000), {
      ...world.deps,
      card: { ...world.deps.card, putSpendRules },
    });
    expect(daily()).toBe(100);
    carryOut();
    await sweep();
    expect(daily()).toBe(100);
  });

  it('protects a reduction that was made permanent, or longer, without a call', async () => {
    for (const [id, term] of [
      ['act_good', permanent],
      ['act_long', { kind: 'duration', ms: 2 * 3_600_000 }],
    ] as const) {
      world.service.rules = { ...world.service.rules, DailySpendLimit: 400, MonthlySpendLimit: 2000 };
      const carryOut = await lose(set(`${id}late`, 'monthly', 200_100));
      await make(set(`${id}lower`, 'daily', 10_000, forAnHour));
      await make(set(id, 'daily', 10_000, term));
      carryOut();
      await sweep();
      expect(daily(), id).toBe(100);
      world.advance(21 * MINUTE);
      await sweep();
    }
  });

  it('sets it again after the first of two lost tries, and after the second tells people what it is', async () => {
    const carryOut = await lose(set('act_late', 'monthly', 250_000));
    await beginAgain();
    await make(set('act_lower', 'daily', 10_000));
    carryOut();
    await sweep();
    expect([daily(), told]).toEqual([100, []]);

    carryOut();
    await sweep();
    await sweep();
    expect(daily()).toBe(400);
    expect(told).toHaveLength(1);
  });

  it('does not undo a change outside Cardbell after a call that was only tried again, but tells people', async () => {
    await lose(set('act_late', 'monthly', 250_000));
    await beginAgain();
    await world.deps.ruleWrites.made(acctId, 'act_late');
    world.service.rules = { ...world.service.rules, MonthlySpendLimit: 2500 };
    await make(set('act_lower', 'daily', 10_000));
    world.service.rules = { ...world.service.rules, DailySpendLimit: 400 };
    await sweep();
    expect(daily()).toBe(400);
    expect(told).toHaveLength(1);
    expect(await onRecord()).toEqual([]);
  });

  it('does not raise a limit again, but tells whoever had raised it', async () => {
    const carryOut = await lose(set('act_late', 'monthly', 250_000));
    await make(set('act_raise', 'daily', 50_000));

    carryOut();
    await sweep();
    await sweep();
    expect([daily(), monthly()]).toEqual([400, 2500]);
    expect(told).toEqual([
      'U0OLGA: A change of Jane Doe · card of account 7378 was overwritten: now daily limit $400.00. <@U0OLGA> had set: daily limit $500.00. The card service has carried out an earlier change late, or somebody has changed the card outside Cardbell. Set it again if it should stay.',
    ]);
  });

  it('tells people what it is if the card service refuses to set it again', async () => {
    const carryOut = await lose(set('act_late', 'monthly', 250_000));
    await make(set('act_lower', 'daily', 10_000));
    carryOut();
    const putSpendRules = async () => {
      throw refusal('not today');
    };
    await sweep({ ...world.deps, card: { ...world.deps.card, putSpendRules } });

    expect(daily()).toBe(400);
    expect(told).toHaveLength(1);
    expect((await onRecord()).map((entry) => entry.slice(0, 6))).toEqual(['sent: ', 'failed']);
    expect(await world.deps.ruleWrites.accounts()).toEqual([]);
  });

  it('leaves what a temporary reduction had set whose time is over by now', async () => {
    const carryOut = await lose(set('act_late', 'monthly', 250_000));
    await make(set('act_lower', 'daily', 10_000, { kind: 'duration', ms: MINUTE }));
    carryOut();
    world.advance(2 * MINUTE);
    expect(await verbsOf(world.deps).endTemporaryChange('act_lower')).toBeNull();

    await sweep();
    expect(daily()).toBe(400);
  });

  it('writes nothing long after, as when no worker has run, but tells people', async () => {
    const carryOut = await lose(set('act_late', 'monthly', 250_000));
    await make(set('act_lower', 'daily', 10_000));
    carryOut();
    world.advance(60 * MINUTE);
    await sweep();
    expect(daily()).toBe(400);
    expect(told).toHaveLength(1);
    expect(await world.deps.ruleWrites.accounts()).toEqual([]);
  });

  it('looks for ten minutes, and no longer', async () => {
    const carryOut = await lose(set('act_late', 'monthly', 250_000));
    await make(set('act_lower', 'daily', 10_000));
    world.advance(10 * MINUTE);
    await sweep();
    expect(await world.deps.ruleWrites.accounts()).toEqual([]);

    carryOut();
    await sweep();
    expect(daily()).toBe(400);
  });

  it('sets it again once, wherever the worker dies', async () => {
    for (let step = 0; step < 40; step += 1) {
      const id = `act_late${step}`;
      world.service.rules = { ...world.service.rules, DailySpendLimit: 400, MonthlySpendLimit: 2000 };
      const carryOut = await lose(set(id, 'monthly', 200_100));
      await make(set(`act_lower${step}`, 'daily', 10_000));
      carryOut();
      await sweep(crashAtStep(world.deps, step).deps).catch(() => {});
      await sweep();
      const records = (await world.records()).filter(({ actionId }) => actionId.startsWith(`again-${id}-`));
      expect(daily(), `after a crash at step ${step}`).toBe(100);
      expect(
        records.map(({ event }) => event),
        `after a crash at step ${step}`,
      ).toEqual(['sent', 'done']);
      world.advance(11 * MINUTE);
      await sweep();
    }
  });
});

it('watches nothing while no later change follows, and nothing of a call that the card service answered', async () => {
  const { deps } = await createActionWorld(redis());
  const action = ask('limit', {
    ...byCommand,
    changeRequest: { goals: [limitGoal('daily', 10_000)], term: permanent },
  });
  await performAction(action, deps);

  expect(await deps.ruleWrites.accounts()).toEqual([]);
  expect(await deps.ruleWrites.of(acctId)).toMatchObject([{ id: action.id, isPending: false }]);
});
