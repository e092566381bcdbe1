import { describe, expect, it } from 'vitest';
import { CardApiError } from '../../../src/core/errors.ts';
import type { VerbAction } from '../../../src/dispatch/verbs.ts';
import type { ChangeRequest } from '../../../src/limits/change-request.ts';
import { withBackAtEnd } from '../../../src/limits/rule-future.ts';
import { approvalPolicyOf } from '../../../src/policy/approval-policy.ts';
import { unanswered } from '../../support/card-api-errors.ts';
import { limitChange, limitGoal } from '../../support/limit-goals.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  acctId,
  ask,
  byCommand,
  createActionWorld,
  endTemporaryChange,
  type PerformWorld,
  performAction,
  type WorldDeps,
} from '../../support/perform-world.ts';
import { link } from '../../support/refused.ts';
import { temporaryChangeOf } from '../../support/temporary-changes.ts';

const redis = useRedis();
const person = (userId: string) => ({ userId, teamId: 'T1' });
const DAY = 24 * 3_600_000;
const forDays = (days: number) => ({ kind: 'duration', ms: days * DAY }) as const;
const aMinute = { kind: 'duration', ms: 60_000 } as const;

interface Given {
  readonly world: PerformWorld;
  limit(userId: string, id: string, dollars: number | null, term?: ChangeRequest['term']): Promise<void>;
  takeBack(userId: string, of: string): Promise<void>;
  /** Time passes. Temporary changes end when they are due. */
  wait(ms: number): Promise<void>;
  daily(): unknown;
  told(): string;
  requests(): Promise<unknown[]>;
}

async function given(dollars: number | null, over: Partial<WorldDeps> = {}): Promise<Given> {
  const world = await createActionWorld(redis(), over);
  const { deps } = world;
  let clicks = 0;
  world.service.rules = { IsActive: true, DailySpendLimit: dollars };
  const perform = (action: VerbAction) => performAction(action, deps);
  const now = () => deps.now().toISOString();
  return {
    world,
    async limit(userId, id, to, term = { kind: 'permanent' }) {
      const changeRequest = { goals: [limitGoal('daily', to === null ? null : to * 100)], term };
      await perform(ask('limit', { ...byCommand, id, actor: person(userId), changeRequest, askedAt: now() }));
    },
    async takeBack(userId, of) {
      clicks += 1;
      const target = { kind: 'temporary-change', temporaryChangeId: of } as const;
      await perform(ask('revert', { target, id: `act_back${clicks}`, actor: person(userId), askedAt: now() }));
    },
    async wait(ms) {
      world.advance(ms);
      for (const { id, endsAt, state } of await deps.temporaryChanges.all())
        if (state === 'open' && Date.parse(endsAt) <= deps.now().getTime()) await endTemporaryChange(id, deps);
    },
    daily: () => world.service.rules['DailySpendLimit'],
    told: () => world.answers.at(-1)?.text ?? '',
    requests: () => deps.requests.open(),
  };
}

describe('a temporary reduction', () => {
  it.each<[string, number | null, ChangeRequest['term']]>([
    ['for a minute', 5000, aMinute],
    ['for one purchase', 5000, { kind: 'purchase' }],
    ['for a minute, from no limit', null, aMinute],
  ])('is not ended by one approver who types its value %s', async (_how, from, term) => {
    const { limit, wait, daily, told, requests } = await given(from);
    await limit('U0BEN', 'act_reduce', 100, forDays(8));

    await limit('U0ANA', 'act_shorter', 100, term);

    expect(told()).toMatch(/would end sooner and go back to (daily limit \$5,000\.00|no daily limit|daily limit)/);
    await wait(20 * 60_000);
    expect(daily()).toBe(100);
    await wait(8 * DAY);
    expect(daily()).toBe(from);
    expect(await requests()).toEqual([]);
  });

  it('is not ended by its holder, however small it is', async () => {
    const { world, limit, wait, daily } = await given(700);
    await link(world, 'U0ANA');
    await limit('U0BEN', 'act_reduce', 100, forDays(8));

    await limit('U0ANA', 'act_shorter', 100, aMinute);
    await wait(60_000);

    expect(daily()).toBe(100);
  });

  it('may end sooner by somebody else as far as one approver may raise the limit, and that counts', async () => {
    const { limit, wait, daily, requests } = await given(700);
    await limit('U0BEN', 'act_reduce', 100, forDays(8));

    await limit('U0ANA', 'act_shorter', 100, aMinute);
    await wait(60_000);
    expect(daily()).toBe(700);

    await limit('U0ANA', 'act_more', 1200);
    expect(daily()).toBe(700);
    expect(await requests()).toHaveLength(1);
  });

  it('may end sooner by the person who made it', async () => {
    const { limit, wait, daily } = await given(5000);
    await limit('U0BEN', 'act_reduce', 100, forDays(8));

    await limit('U0BEN', 'act_shorter', 100, aMinute);
    await wait(60_000);

    expect(daily()).toBe(5000);
  });

  it.each<[string, 'U0ANA' | 'U0BEN']>([
    ['of somebody else', 'U0ANA'],
    ['of the person who made it', 'U0BEN'],
  ])('does not end with a raise %s for one purchase, which is made before its end', async (_whose, userId) => {
    const { world, limit, wait, daily } = await given(5000);
    await limit('U0BEN', 'act_reduce', 100, forDays(1 / 24));
    await wait(50 * 60_000);
    await limit(userId, 'act_raise', 600, { kind: 'purchase' });

    await endTemporaryChange('act_raise', world.deps);
    expect(daily()).toBe(100);
    await wait(10 * 60_000);
    expect(daily()).toBe(5000);
  });

  it('ends under a raise for one purchase, which then goes back to what was before both', async () => {
    const { limit, wait, daily } = await given(5000);
    await limit('U0BEN', 'act_reduce', 100, forDays(1 / 24));
    await wait(50 * 60_000);
    await limit('U0ANA', 'act_raise', 600, { kind: 'purchase' });

    await wait(10 * 60_000);
    expect(daily()).toBe(600);
    await wait(5 * 60_000);
    expect(daily()).toBe(5000);
  });

  it('ends under a raise for one purchase although the answer to that comes after its end', async () => {
    const { world, limit, wait, daily } = await given(5000);
    await limit('U0BEN', 'act_reduce', 100, forDays(1 / 24));
    await wait(60 * 60_000 - 1000);
    const { putSpendRules } = world.deps.card;
    world.deps.card.putSpendRules = async (...asked) => {
      await putSpendRules(...asked);
      world.advance(2000);
    };
    await limit('U0ANA', 'act_raise', 600, { kind: 'purchase' });
    world.deps.card.putSpendRules = putSpendRules;

    await wait(0);
    expect(daily()).toBe(600);
    await wait(15 * 60_000);
    expect(daily()).toBe(5000);
  });

  it('is not ended by somebody who set the same value over it for longer, with another value in between', async () => {
    const { limit, wait, daily } = await given(5000);
    await limit('U0BEN', 'act_reduce', 100, forDays(7));
    await wait(1000);
    await limit('U0ANA', 'act_longer', 100, forDays(7));
    await wait(1000);
    await limit('U0ANA', 'act_between', 101, aMinute);
    await wait(1000);
    await limit('U0ANA', 'act_again', 100, forDays(7));
    await wait(1000);

    await limit('U0ANA', 'act_shorter', 100, aMinute);
    await wait(60_000);

    expect(daily()).toBe(100);
  });

  it('is not ended by somebody who set it for longer, if it was set over another one', async () => {
    const { limit, wait, daily } = await given(5000);
    await limit('U0CEM', 'act_reduce', 100, forDays(7));
    await limit('U0CEM', 'act_between', 101, aMinute);
    await limit('U0BEN', 'act_longer', 100, forDays(30));
    await limit('U0ANA', 'act_longest', 100, forDays(31));

    await limit('U0ANA', 'act_shorter', 100, aMinute);
    await wait(8 * DAY);

    expect(daily()).toBe(100);
  });

  it('is not forgotten when a change to its value is tried again after a lost answer', async () => {
    const { world, limit, wait, daily } = await given(5000);
    const { card } = world.deps;
    await limit('U0BEN', 'act_reduce', 100, forDays(7));
    await wait(1000);
    await limit('U0BEN', 'act_between', 101, aMinute);
    await wait(1000);
    const { putSpendRules } = card;
    card.putSpendRules = async () => {
      throw unanswered();
    };
    await expect(limit('U0BEN', 'act_again', 100, forDays(7))).rejects.toThrow(CardApiError);
    card.putSpendRules = putSpendRules;
    await limit('U0BEN', 'act_shorter', 100, aMinute);
    await limit('U0BEN', 'act_again', 100, forDays(7));

    await wait(60_000);
    expect(daily()).toBe(100);
    await wait(8 * DAY);
    expect(daily()).toBe(5000);
  });

  it('lasts longer if its value is typed again for longer', async () => {
    const { limit, wait, daily } = await given(5000);
    await limit('U0BEN', 'act_reduce', 100, forDays(8));

    await limit('U0ANA', 'act_longer', 100, forDays(9));
    await wait(8 * DAY);
    expect(daily()).toBe(100);

    await wait(DAY);
    expect(daily()).toBe(5000);
  });

  it('that the portal changed is not put back by one approver who types its value, when the card has that again', async () => {
    const { world, limit, wait, daily, told } = await given(5000);
    const portalSets = (dollars: number) => {
      world.service.rules = { IsActive: true, DailySpendLimit: dollars };
    };
    await limit('U0BEN', 'act_reduce', 100, aMinute);
    portalSets(200);
    await wait(60_000);
    portalSets(100);

    await limit('U0ANA', 'act_again', 100, forDays(1));
    expect(told()).toContain('The daily limit is $100.00 already.');
    await wait(DAY);

    expect(daily()).toBe(100);
    expect(await world.deps.temporaryChanges.all()).toMatchObject([{ id: 'act_reduce', state: 'asking' }]);
  });

  it('ends sooner than a raise on top of it: keeping that raise counts from the lowest value until then', async () => {
    const { limit, daily, requests } = await given(5000);
    await limit('U0BEN', 'act_reduce', 100, forDays(8));
    await limit('U0BEN', 'act_raise', 1100, aMinute);

    await limit('U0ANA', 'act_keep', 1100);
    expect(await requests(), 'up to the amount of one approver').toEqual([]);
    await limit('U0ANA', 'act_more', 1101, aMinute);

    expect(daily()).toBe(1100);
    expect(await requests(), 'with what she kept before').toHaveLength(1);
  });

  it('a raise for one purchase is a raise if it is to last for a time', async () => {
    const { limit, requests } = await given(100);
    await limit('U0BEN', 'act_once', 1100, { kind: 'purchase' });

    await limit('U0ANA', 'act_lasts', 1100, aMinute);
    await limit('U0ANA', 'act_more', 1101, aMinute);

    expect(await requests()).toHaveLength(1);
  });
});

describe('a raise for good that is tried again', () => {
  it('is not said to be done, and does not count, if somebody has raised the limit for a time since', async () => {
    const { world, limit, daily, told } = await given(500);
    const { deps } = world;
    const changeRequest = { goals: [limitGoal('daily', 80_000)], term: { kind: 'permanent' } as const };
    const over = { ...byCommand, id: 'act_keep', actor: person('U0BEN'), changeRequest };
    const first = ask('limit', { ...over, askedAt: deps.now().toISOString() });
    world.advance(1000);
    await limit('U0ANA', 'act_raise', 800, aMinute);

    await performAction(first, deps);

    expect(told()).toContain('Somebody asked for another change of the daily limit after you did');
    expect((await deps.recentRaises.list({ acctId }, deps.now().getTime())).map(({ actionId }) => actionId)).toEqual([
      'act_raise',
    ]);
    expect(daily()).toBe(800);
    expect(await deps.temporaryChanges.all()).toMatchObject([{ id: 'act_raise' }]);
  });
});

describe('taking back a reduction', () => {
  it('of somebody else needs the approvals of a removed limit if there was none before', async () => {
    const { limit, takeBack, daily, requests } = await given(null);
    await limit('U0BEN', 'act_reduce', 100, forDays(8));

    await takeBack('U0ANA', 'act_reduce');

    expect(daily()).toBe(100);
    expect(await requests()).toMatchObject([{ needed: 2 }]);
  });

  it('of somebody else needs the approvals that typing the limit would', async () => {
    const { limit, takeBack, daily, told, requests } = await given(5000);
    await limit('U0BEN', 'act_reduce', 100, forDays(8));

    await takeBack('U0ANA', 'act_reduce');

    expect(daily()).toBe(100);
    expect(told()).toContain('One approver alone may not raise this: daily limit $100.00 → $5,000.00.');
    expect(await requests()).toMatchObject([{ acctId, changes: [{ from: 10_000, to: 500_000 }], needed: 2 }]);
  });

  it('that others were asked about stays with them when its job runs again, although one person may do it by now', async () => {
    const { world, limit, takeBack, daily, told, requests } = await given(5000);
    await limit('U0BEN', 'act_reduce', 100, forDays(8));
    await takeBack('U0ANA', 'act_reduce');

    const policyFor = () => approvalPolicyOf({ twoPersonAboveCents: 1_000_000 });
    const target = { kind: 'temporary-change', temporaryChangeId: 'act_reduce' } as const;
    const askedAt = world.deps.now().toISOString();
    const again = ask('revert', { target, id: 'act_back1', actor: person('U0ANA'), askedAt });
    await performAction(again, { ...world.deps, policyFor });

    expect(daily()).toBe(100);
    expect(await requests()).toHaveLength(1);
    expect(told()).toContain('One approver alone may not raise this: daily limit $100.00 → $5,000.00.');
  });

  it('of somebody else counts with the other raises of the person', async () => {
    const { limit, takeBack, daily, requests } = await given(700);
    await limit('U0BEN', 'act_reduce', 100, forDays(8));

    await takeBack('U0ANA', 'act_reduce');
    expect(daily()).toBe(700);

    await limit('U0ANA', 'act_more', 1200);
    expect(await requests()).toHaveLength(1);
  });

  it('is for the person alone who made it, and does not count', async () => {
    const { limit, takeBack, daily } = await given(5000);
    await limit('U0BEN', 'act_reduce', 100, forDays(8));

    await takeBack('U0BEN', 'act_reduce');
    expect(daily()).toBe(5000);

    await limit('U0BEN', 'act_more', 6000);
    expect(daily()).toBe(6000);
  });

  it.each([
    ['for longer', 100],
    ['by a dollar more', 99],
  ])('is not for who made it longer or lower only: %s', async (_how, dollars) => {
    const { limit, takeBack, wait, daily, requests } = await given(5000);
    await limit('U0BEN', 'act_reduce', 100, forDays(8));
    await limit('U0ANA', 'act_longer', dollars, forDays(9));

    await takeBack('U0ANA', 'act_longer');
    await limit('U0ANA', 'act_shorter', dollars, aMinute);
    await wait(60_000);

    expect(daily()).toBe(dollars);
    expect(await requests()).toHaveLength(1);
  });

  it('is not for its holder, even if it only lasts longer than another', async () => {
    const { world, limit, takeBack, wait, daily } = await given(5000);
    await limit('U0BEN', 'act_reduce', 100, forDays(7));
    await limit('U0BEN', 'act_between', 101, aMinute);
    await limit('U0ANA', 'act_longer', 100, forDays(30));
    await link(world, 'U0ANA');

    await takeBack('U0ANA', 'act_longer');
    await wait(8 * DAY);

    expect(daily()).toBe(100);
  });

  it('that only lasts longer than another is a raise from the end of the other on', async () => {
    const { limit, takeBack, wait, daily, told } = await given(5000);
    await limit('U0BEN', 'act_reduce', 100, forDays(7));
    await limit('U0BEN', 'act_between', 101, aMinute);
    await limit('U0BEN', 'act_longer', 100, forDays(30));

    await takeBack('U0ANA', 'act_longer');
    expect(told()).toContain('daily limit $100.00 → $5,000.00');
    await wait(8 * DAY);

    expect(daily()).toBe(100);
  });

  it('is a raise if what is put back would go back further by itself', async () => {
    const { world, limit, takeBack, wait, daily, told } = await given(5000);
    await limit('U0BEN', 'act_reduce', 100, forDays(7));
    await limit('U0BEN', 'act_between', 101, aMinute);
    await limit('U0BEN', 'act_longer', 100, forDays(30));
    world.service.rules = { IsActive: true, DailySpendLimit: 200 };
    await takeBack('U0BEN', 'act_longer');

    const target = { kind: 'temporary-change', temporaryChangeId: 'act_longer' } as const;
    const putBack = { target, restore: true, id: 'act_putback', actor: person('U0ANA') };
    await performAction(ask('complete-temporary-change', putBack), world.deps);
    expect(told()).toContain('One approver alone may not raise this: daily limit $200.00 → $5,000.00.');
    await wait(8 * DAY);

    expect(daily()).toBe(200);
  });

  it('is for who made it alone, on top of a raise of somebody else', async () => {
    const { limit, takeBack, daily } = await given(100);
    await limit('U0BEN', 'act_raise', 1100, forDays(1));
    await limit('U0ANA', 'act_reduce', 50, forDays(8));

    await takeBack('U0ANA', 'act_reduce');

    expect(daily()).toBe(100);
  });

  it('does nothing if the approver lost the role while the card service was slow', async () => {
    const removed = new Set<string>();
    const { world, limit, takeBack, daily, told } = await given(5000, {
      rolesOf: async (userId) => ({ roles: removed.has(userId) ? [] : ['operator', 'approver'], isComplete: true }),
    });
    await limit('U0BEN', 'act_reduce', 100, forDays(8));
    const { getSpendRules } = world.deps.card;
    world.deps.card.getSpendRules = async (...asked) => {
      removed.add('U0BEN');
      return await getSpendRules(...asked);
    };

    await takeBack('U0BEN', 'act_reduce');

    expect(daily()).toBe(100);
    expect(told()).toContain('Only approvers may decide that.');
  });
});

describe('what a temporary change goes back to at its end', () => {
  const hour = (count: number): string => new Date(Date.UTC(2026, 10, 20, 15 + count)).toISOString();
  const one = (
    id: string,
    [from, to]: readonly [number, number],
    [opened, ends]: readonly [number, number],
    over = {},
  ) =>
    temporaryChangeOf({
      id,
      changes: [limitChange('daily', from * 100, to * 100)],
      openedAt: hour(opened),
      endsAt: hour(ends),
      ...over,
    });
  const top = one('act_top', [900, 1200], [1, 6]);

  it.each<[string, object, number]>([
    ['the value from before both, if the one below ends before', {}, 400],
    ['the value from before both, if they end together', { endsAt: hour(6) }, 400],
    ['the value of the one below, if that ends later', { endsAt: hour(7) }, 900],
    ['the value that people decide about', { state: 'asking' }, 900],
    [
      'a reduction that may be permanent by now',
      { isFromBackup: true, changes: [limitChange('daily', 95_000, 90_000)] },
      900,
    ],
    ['its own value before, if the one below is over', { state: 'ended' }, 900],
  ])('is %s', (_what, over, dollars) => {
    const below = one('act_below', [400, 900], [0, 4], over);

    expect(withBackAtEnd(top, [below, top]).changes).toEqual([limitChange('daily', dollars * 100, 120_000)]);
  });

  it('is not from a newer one, and its purchase may end it at once', () => {
    const below = one('act_below', [400, 900], [0, 4]);
    const newer = one('act_newer', [1200, 900], [2, 3]);
    const purchase = { ...top, term: { kind: 'purchase' } as const };

    expect(withBackAtEnd(top, [newer, top])).toEqual(top);
    expect(withBackAtEnd(purchase, [below, purchase])).toEqual(purchase);
  });
});
