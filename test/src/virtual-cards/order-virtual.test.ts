import { describe, expect, it } from 'vitest';
import { stateOf } from '../../../src/actions/action-state.ts';
import { noCard } from '../../../src/core/card-facts.ts';
import { CardApiError, TooLateError } from '../../../src/core/errors.ts';
import { createNameRuleset } from '../../../src/directory/rule-names.ts';
import { approvalPolicyOf } from '../../../src/policy/approval-policy.ts';
import { REQUEST_MS } from '../../../src/policy/decide-action.ts';
import { allValues } from '../../support/all-values.ts';
import { refusal, unanswered } from '../../support/card-api-errors.ts';
import { Killed } from '../../support/crash-at.ts';
import { killEverywhere } from '../../support/kill-everywhere.ts';
import { stoppedWords } from '../../support/limit-requests.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  ask,
  byCommand,
  createActionWorld,
  type Over,
  type PerformWorld,
  performAction,
  verbsOf,
  virtualOrder,
  type WorldDeps,
} from '../../support/perform-world.ts';
import { virtualAlert } from '../../templates/fixtures.ts';

const redis = useRedis();

/** Another worker ends an action in the moment before this one begins to send it. */
const endedBefore = (
  { deps }: PerformWorld,
  actionId: string,
  ended: Parameters<WorldDeps['progress']['begin']>[1],
): WorldDeps => ({
  ...deps,
  progress: {
    ...deps.progress,
    async begin(id, next) {
      if (next.state === 'sending') await deps.progress.begin(actionId, ended);
      return await deps.progress.begin(id, next);
    },
  },
});

/** The order is sent, and its worker dies before the answer arrives. */
const lostAnswer = (world: PerformWorld, meanwhile: () => Promise<void>): WorldDeps => ({
  ...world.deps,
  card: {
    ...world.deps.card,
    orderVirtualCards: async (...args) => {
      await world.deps.card.orderVirtualCards(...args);
      await meanwhile();
      throw new Killed('nobody heard the answer');
    },
  },
});

it.each([
  ['holder@example.net', null],
  [null, 'their email address in Slack is not known, so nobody checked whether it is for themselves'],
])('an order by somebody whose email address is %s is on record as checked or not', async (email, detail) => {
  const lines: string[] = [];
  const world = await createActionWorld(redis(), {
    person: async () => ({ name: null, email, isBot: false, isGuest: false, isExternal: false, isDeactivated: false }),
    postAuditLine: async (_id, { text }) => void lines.push(text),
  });

  await performAction(ask('order-virtual', { ...byCommand, target: virtualOrder }), world.deps);

  expect(world.writes).toEqual(['order']);
  expect((await world.records())[0]).toMatchObject({ event: 'asked', detail });
  expect(lines.filter((line) => line.includes('nobody checked'))).toHaveLength(detail === null ? 0 : 1);
});

describe('an order of a virtual card whose worker crashes at any step', () => {
  const action = ask('order-virtual', { ...byCommand, id: 'act_order1', target: virtualOrder });

  it('is sent once, or reported as unconfirmed if the answer was lost', async () => {
    const steps = await killEverywhere(
      action,
      ({ deps }) => deps,
      async (world, diedAt) => {
        const sent = world.writes.length;
        expect(sent, diedAt).toBeLessThanOrEqual(1);
        const last = (await world.stations()).at(-1);
        expect(last, diedAt).toBe(
          /progress\.(write|begin)|orderVirtualCards/.test(diedAt) && last === 'unknown' ? last : 'done',
        );
        expect(await world.stations(), diedAt).toEqual(['asked', 'sent', last]);
        expect(world.answers.at(-1)?.text, diedAt).toMatch(last === 'done' ? /^Ordered/ : /I won’t order it again/);
      },
    );

    expect(steps).toBeGreaterThan(15);
  });

  it('is not to be typed again if it was sent and can no longer be read', async () => {
    const world = await createActionWorld(redis());
    await expect(
      performAction(
        action,
        lostAnswer(world, async () => {}),
      ),
    ).rejects.toThrow(Killed);

    await performAction(action, { ...world.deps, unseal: () => null });

    expect(world.writes).toEqual(['order']);
    const answer = world.answers.at(-1)?.text;
    expect(answer).toMatch(/^Not certain\. The order was sent.*Check the card program’s portal before you order again/);
    expect(answer).not.toMatch(/Type|Nothing changed/);
  });

  const notice = (at: string) => virtualAlert({ holder: 'Vera Nova', callbackAt: at });
  const comes = async (world: PerformWorld, at: string): Promise<void> => {
    await world.deps.alerts.save(notice(at));
    await verbsOf(world.deps).virtualCardArrived(notice(at).event);
  };
  it('still notifies the person if the webhook arrives before the next worker knows that the answer was lost', async () => {
    const direct = new Set<string>();
    const world = await createActionWorld(redis(), {
      notifyDirectly: async (userId, _id, { text }) => void direct.add(`${userId}: ${text}`),
    });
    const deps = lostAnswer(world, () => comes(world, world.deps.now().toISOString()));

    await expect(performAction(action, deps)).rejects.toThrow(Killed);
    await performAction(action, world.deps);

    expect(world.writes).toEqual(['order']);
    expect(world.answers.at(-1)?.text).toMatch(/I won’t order it again/);
    expect([...direct]).toEqual([expect.stringMatching(/^U0OLGA: You asked for this: Virtual card created/)]);
    expect(await world.stations()).toEqual(['asked', 'sent', 'unknown', 'confirmed']);
  });

  it.each<[string, (deps: WorldDeps) => Partial<WorldDeps>]>([
    ['the order is continued', () => ({})],
    [
      'a worker that continued it died before it answered',
      () => ({
        answer: async () => {
          throw new Killed('before the answer');
        },
      }),
    ],
  ])('still notifies the person if the webhook arrived minutes before %s', async (_what, over) => {
    const world = await createActionWorld(redis());
    const deps = lostAnswer(world, () => comes(world, world.deps.now().toISOString()));
    await expect(performAction(action, deps)).rejects.toThrow(Killed);
    world.advance(5 * 60_000);
    await performAction(action, { ...world.deps, ...over(world.deps) }).catch(() => {});
    world.advance(5 * 60_000);

    await performAction(action, world.deps);

    expect(world.direct.map(({ text }) => text)).toEqual([expect.stringMatching(/^You asked for this: Virtual card/)]);
    expect(await world.stations()).toEqual(['asked', 'sent', 'unknown', 'confirmed']);
  });

  it.each([
    ['older than the order', { hoursAgo: 1, by: null }],
    ['already reported to someone else', { hoursAgo: 0, by: 'U0ZOE' }],
  ])('is not matched with a webhook of the same name that is %s', async (_what, { hoursAgo, by }) => {
    const direct: string[] = [];
    const world = await createActionWorld(redis(), { notifyDirectly: async (userId) => void direct.push(userId) });
    const at = new Date(world.deps.now().getTime() - hoursAgo * 3_600_000).toISOString();
    const deps = lostAnswer(world, async () => {
      await comes(world, at);
      if (by !== null) await world.deps.alerts.setAsked(notice(at).event.id, { by, at });
    });

    await expect(performAction(action, deps)).rejects.toThrow(Killed);
    await performAction(action, world.deps);

    expect(direct).toEqual([]);
    expect(await world.stations()).toEqual(['asked', 'sent', 'unknown']);
  });
});

describe('an order above what one person may order', () => {
  const of = (fundCents: number) => ({
    ...virtualOrder,
    sealed: JSON.stringify({ ...(JSON.parse(virtualOrder.sealed) as object), fundCents }),
  });
  const person = (userId: string) => ({ userId, teamId: 'T1' });
  const order = (id: string, fundCents: number, userId = 'U0OLGA') =>
    ask('order-virtual', { ...byCommand, id, target: of(fundCents), actor: person(userId) });
  const decide = (over: Over) =>
    ask('decide', { target: { kind: 'request', requestId: 'req_order1' }, id: 'act_ben', approve: true, ...over });
  const ben = { actor: person('U0BEN') };

  it('no longer counts if it was certainly not sent, and runs again only after a new confirmation', async () => {
    const world = await createActionWorld(redis());
    const orderVirtualCards = async (): Promise<never> => {
      throw unanswered({ outcome: 'not_sent' });
    };
    const deps = { ...world.deps, card: { ...world.deps.card, orderVirtualCards } };
    await expect(performAction(order('act_order1', 90_000), deps)).rejects.toThrow(CardApiError);

    world.advance(11 * 60_000);
    await performAction(order('act_order1', 90_000), world.deps);
    expect(world.writes).toEqual([]);
    await performAction({ ...order('act_order2', 90_000), askedAt: world.deps.now().toISOString() }, world.deps);

    expect(world.writes).toEqual(['order']);
  });

  it('becomes a request for another approver, without advising to order less', async () => {
    const world = await createActionWorld(redis());

    await performAction(order('act_order1', 100_001), world.deps);
    expect(world.writes).toEqual([]);
    expect(world.answers.at(-1)?.text).toContain('Not ordered yet: a virtual card for Vera Nova with $1,000.01.');
    expect(world.answers.at(-1)?.text).toContain('it needs another approver. I asked in the approvals channel');
    expect(await world.deps.requests.open()).toMatchObject([{ id: 'req_order1', needed: 2, orderCents: 100_001 }]);

    await performAction(decide({ id: 'act_own', actor: person('U0OLGA') }), world.deps);
    expect(world.answers.at(-1)?.text).toContain('it needs another approver');
    expect(world.writes, 'not by the person who asked').toEqual([]);
    await performAction(decide(ben), world.deps);
    await performAction(decide(ben), world.deps);

    expect(world.writes).toEqual(['order']);
    expect(world.answers.at(-1)?.text).toMatch(/^Ordered: a virtual card for Vera Nova/);
    const request = await world.deps.requests.get('req_order1');
    expect(request).toMatchObject({ state: 'approved', decision: { by: 'U0BEN' } });
    expect(request?.action.target, 'the content of the form is not kept').toEqual({ kind: 'order', sealed: '' });
    expect((await world.stations()).slice(-3), 'it is on record as asked since the request').toEqual([
      'approved',
      'sent',
      'done',
    ]);
  });

  it('says on the request why it needs others, also if that is only what others ordered since', async () => {
    const world = await createActionWorld(redis());
    const whyOf = async (id: string) => (await world.deps.requests.get(id))?.orderWhy;

    await performAction(order('act_order1', 100_001), world.deps);
    expect(await whyOf('req_order1')).toEqual({ kind: 'amount' });
    await performAction(order('act_order2', 60_000), world.deps);
    await performAction(order('act_order3', 60_000), world.deps);
    expect(await whyOf('req_order3')).toEqual({ kind: 'day' });
  });

  it('shows approvers the ruleset, the group and whose card it is', async () => {
    const named = async () => [{ rulesetId: 7, name: 'Travel', raw: {} }];
    const world = await createActionWorld(redis());
    const nameRuleset = createNameRuleset({ card: { listRulesets: named }, mayOverrule: false, now: world.deps.now });
    const deps = { ...world.deps, nameRuleset };
    const target = {
      ...virtualOrder,
      sealed: JSON.stringify({
        ...(JSON.parse(virtualOrder.sealed) as object),
        fundCents: 100_001,
        rulesetId: 7,
        groupId: 3,
      }),
    };

    await performAction(ask('order-virtual', { ...byCommand, id: 'act_order1', target }), deps);

    expect(await world.deps.requests.get('req_order1')).toMatchObject({
      orderTerms: { ruleset: { id: 7, name: 'Travel' }, groupId: 3 },
      isOwnCard: false,
    });
  });

  it('stays a request when its job runs again', async () => {
    const world = await createActionWorld(redis());
    const writes = (): readonly string[] => world.writes.filter((write) => write === 'order');

    await performAction(order('act_order1', 100_001), world.deps);
    await performAction(order('act_order1', 100_001), world.deps);

    expect(writes()).toEqual([]);
    expect(await world.deps.requests.open()).toMatchObject([{ id: 'req_order1', state: 'open' }]);
  });

  describe('that became a request before its worker crashed', () => {
    const overLimit = order('act_order1', 100_001);
    const crashed = async () => {
      const world = await createActionWorld(redis());
      const scheduleAgeRequest = async () => Promise.reject(new Killed('before the timer'));
      await expect(performAction(overLimit, { ...world.deps, scheduleAgeRequest })).rejects.toThrow(Killed);
      const scheduled: string[] = [];
      const deps = { ...world.deps, scheduleAgeRequest: async (id: string) => void scheduled.push(id) };
      return { world, deps, scheduled };
    };

    it('is ordered once, although one person may order it by now', async () => {
      const { world, deps, scheduled } = await crashed();

      const policyFor = () => approvalPolicyOf({ twoPersonAboveCents: 500_000 });
      await performAction(overLimit, { ...deps, policyFor });

      expect(world.writes).toEqual([]);
      expect(scheduled).toEqual(['req_order1']);
      expect(world.answers.at(-1)?.text).toContain('It needs another approver. I asked in the approvals channel');
      await performAction(decide(ben), deps);
      expect(world.writes).toEqual(['order']);
      expect((await world.stations())[0]).toBe('waiting');
    });

    it('still waits after more than 10 minutes: nobody is told to order again', async () => {
      const { world, deps } = await crashed();
      world.advance(11 * 60_000);

      await performAction(overLimit, deps);

      expect(world.answers.map(({ text }) => text)).toEqual([expect.stringContaining('Not ordered yet')]);
      expect(await world.stations()).toEqual(['waiting']);
    });

    it('is not said to wait after it was denied', async () => {
      const { world, deps } = await crashed();
      await performAction(decide({ ...ben, approve: false }), deps);
      const before = world.answers.length;

      await performAction(overLimit, deps);

      expect(world.answers.slice(before)).toEqual([]);
      expect(world.writes).toEqual([]);
    });
  });

  it('is never sent after a denial, and cannot use the emergency override', async () => {
    const world = await createActionWorld(redis());
    await performAction(order('act_order1', 100_001), world.deps);
    world.advance(16 * 60_000);

    const at = {
      askedAt: world.deps.now().toISOString(),
      target: { kind: 'request', requestId: 'req_order1' },
    } as const;
    await performAction(ask('emergency-override', { ...ben, ...at, id: 'act_glass', reason: 'urgent' }), world.deps);
    expect(world.answers.at(-1)?.text).toContain('Only a change of a card’s rules');
    await performAction(decide({ ...ben, ...at, approve: false, reason: 'too much' }), world.deps);

    expect(world.direct.at(-1)?.text).toContain(
      'Your request was denied by <@U0BEN>: a virtual card for Vera Nova. Nothing changed.',
    );
    expect(world.writes).toEqual([]);
  });

  it('becomes a separate request for each order, with separate approvers', async () => {
    const world = await createActionWorld(redis());

    await performAction(order('act_order1', 100_001), world.deps);
    await performAction(order('act_order2', 100_001), world.deps);

    expect((await world.deps.requests.open()).map(({ id }) => id).toSorted()).toEqual(['req_order1', 'req_order2']);
  });

  it('needs other approvers when it is for oneself, and checks the address again at the approval', async () => {
    const email = 'holder@example.com';
    const nobody = { name: null, isBot: false, isGuest: false, isExternal: false, isDeactivated: false };
    const world = await createActionWorld(redis(), {
      person: async (userId) => ({ ...nobody, email: userId === 'U0BEN' ? email : null }),
    });
    await performAction(order('act_order1', 2500, 'U0BEN'), world.deps);
    expect(world.answers.at(-1)?.text).toContain('It has your name or email address, so it needs another approver.');
    expect(world.writes).toEqual([]);
    expect(await world.deps.requests.get('req_order1')).toMatchObject({ isOwnCard: true, needed: 1 });
    await performAction(order('act_order2', 100_001), world.deps);

    await performAction(decide({ ...ben, target: { kind: 'request', requestId: 'req_order2' } }), world.deps);

    expect(world.answers.at(-1)?.text).toContain('It is your own card, or has your name or email address: it');
    expect(world.writes).toEqual([]);
    await performAction(decide({ id: 'act_zoe', actor: person('U0ZOE') }), world.deps);
    expect(world.writes, 'the small order, approved by someone else').toEqual(['order']);
  });

  it('is not sent if another worker has refused the approval by now, and others can still decide it', async () => {
    const world = await createActionWorld(redis());
    await performAction(order('act_order1', 100_001), world.deps);
    const slow = endedBefore(world, 'act_ben', { state: 'refused', pending: null });

    await expect(performAction(decide(ben), slow)).rejects.toThrow(TooLateError);
    await performAction(decide(ben), world.deps);

    expect(world.writes).toEqual([]);
    expect(await world.records(), 'it was not sent after all').toContainEqual(
      expect.objectContaining({ actionId: 'act_ben', event: 'superseded' }),
    );
    expect(await world.deps.requests.get('req_order1')).toMatchObject({ state: 'open', inFlight: [] });
    expect(await world.deps.recentRaises.list('program', world.deps.now().getTime())).toEqual([]);
  });

  it('is not sent again by another approver while nobody knows whether the first approval has ordered it', async () => {
    const world = await createActionWorld(redis());
    await performAction(order('act_order1', 100_001), world.deps);
    const deps = lostAnswer(world, async () => {});
    await expect(performAction(decide(ben), deps)).rejects.toThrow(Killed);

    await performAction(decide({ id: 'act_zoe', actor: person('U0ZOE') }), world.deps);

    expect(world.writes).toEqual(['order']);
    expect(world.answers.at(-1)?.text).toContain('Somebody approved it just now');
    await performAction(decide(ben), world.deps);
    expect(world.writes).toEqual(['order']);
    expect(await world.deps.requests.get('req_order1')).toMatchObject({ state: 'approved', isUnconfirmed: true });
  });

  it('whose answer was lost is not matched with a card of the same name from before it was approved', async () => {
    const world = await createActionWorld(redis());
    const comes = async (id: string, acctId: number, callbackAt = world.deps.now().toISOString()) => {
      const alert = virtualAlert({ id, holder: 'Vera Nova', acctId, virtualCardOrderId: acctId, callbackAt });
      await world.deps.alerts.save(alert);
      await verbsOf(world.deps).virtualCardArrived(alert.event);
    };
    const confirmed = async () => (await world.records()).filter(({ event }) => event === 'confirmed');
    await performAction(order('act_order1', 100_001), world.deps);
    world.advance(3_600_000);
    const earlier = world.deps.now().toISOString();
    await comes('evt_1111111111111111', 9001);
    world.advance(4 * 3_600_000);

    const lost = lostAnswer(world, async () => {});
    await expect(performAction(decide({ ...ben, askedAt: world.deps.now().toISOString() }), lost)).rejects.toThrow(
      Killed,
    );
    await performAction(decide({ ...ben, askedAt: world.deps.now().toISOString() }), world.deps);
    await comes('evt_3333333333333333', 9003, earlier);
    expect(await confirmed(), 'also if its webhook comes late').toEqual([]);
    await comes('evt_2222222222222222', 9002);

    expect(await confirmed()).toMatchObject([{ actionId: 'act_ben', acctId: 9002 }]);
    world.advance(91 * 60_000);
    await verbsOf(world.deps).reportOverdueOrders();
    expect((await world.records()).at(-1)).toMatchObject({ event: 'confirmed' });
  });

  it('can still be denied if its approver lost the role before the approval was tried again', async () => {
    const world = await createActionWorld(redis());
    await performAction(order('act_order1', 100_001), world.deps);
    const orderVirtualCards = async (): Promise<never> => {
      throw refusal(null, { code: 'rate_limited' });
    };
    const limited = { ...world.deps, card: { ...world.deps.card, orderVirtualCards } };
    await expect(performAction(decide(ben), limited)).rejects.toThrow(CardApiError);
    const rolesOf: WorldDeps['rolesOf'] = async (userId, how) =>
      userId === 'U0BEN' ? { roles: [], isComplete: true } : await world.deps.rolesOf(userId, how);
    await performAction(decide(ben), { ...world.deps, rolesOf });

    await performAction(decide({ id: 'act_zoe', actor: person('U0ZOE'), approve: false }), world.deps);

    expect(await world.deps.requests.get('req_order1')).toMatchObject({ state: 'denied', inFlight: [] });
  });

  it.each<[string, (world: PerformWorld) => Promise<unknown>]>([
    ['denied', ({ deps }) => performAction(decide({ id: 'act_zoe', actor: person('U0ZOE'), approve: false }), deps)],
    [
      'withdrawn',
      ({ deps }) => performAction(ask('withdraw', { target: { kind: 'request', requestId: 'req_order1' } }), deps),
    ],
    [
      'expired',
      async ({ deps, advance }) => {
        advance(REQUEST_MS + 1);
        await verbsOf(deps).ageRequest('req_order1');
      },
    ],
  ])('that was %s between two tries of an approval is told to the approver only', async (state, ends) => {
    const told: string[] = [];
    const world = await createActionWorld(redis(), {
      answer: async ({ actor }, { text }) => void told.push(`${actor.userId}: ${text}`),
      unseal: (sealed) => (sealed === '' ? null : sealed),
    });
    await performAction(order('act_order1', 100_001), world.deps);
    const orderVirtualCards = async (): Promise<never> => {
      throw refusal(null, { code: 'rate_limited' });
    };
    const limited = { ...world.deps, card: { ...world.deps.card, orderVirtualCards } };
    await expect(performAction(decide(ben), limited)).rejects.toThrow(CardApiError);
    await ends(world);
    const [before, recorded] = [told.length, (await world.records()).length];

    await performAction(decide(ben), world.deps);
    await performAction(decide(ben), world.deps);

    expect(world.writes).toEqual([]);
    expect(told.slice(before)).toEqual([stoppedWords(state)]);
    expect((await world.records()).slice(recorded)).toMatchObject([{ event: 'refused', actor: { userId: 'U0BEN' } }]);
    expect(await world.deps.requests.get('req_order1')).toMatchObject({ state, inFlight: [] });
    expect(await world.deps.recentRaises.list('program', world.deps.now().getTime())).toEqual([]);
  });

  it.each([
    ['stopped', { state: 'refused', pending: null }],
    [
      'given up',
      stateOf(
        { state: 'failed', card: noCard, before: null, after: null, apiWords: null, note: null },
        '2026-11-20T15:00:00.000Z',
      ),
    ],
  ] as const)('no longer counts if it was %s while its worker was paused', async (_what, ended) => {
    const world = await createActionWorld(redis());
    const paused = endedBefore(world, 'act_order1', ended);
    await expect(performAction(order('act_order1', 2500), paused)).rejects.toThrow(TooLateError);

    expect(world.writes).toEqual([]);
    expect(await world.stations()).toEqual(['asked', 'sent', 'superseded']);
    expect(await world.deps.recentRaises.list('program', world.deps.now().getTime())).toEqual([]);
  });

  it.each([
    ['failed', 'refused', 'open'],
    ['has an unknown outcome', 'unknown', 'approved'],
  ] as const)('an order that %s leaves its request %3$s', async (_what, outcome, state) => {
    const world = await createActionWorld(redis());
    const orderVirtualCards = async (): Promise<never> => {
      world.writes.push('order');
      throw refusal('No funds', { outcome });
    };
    const deps = { ...world.deps, card: { ...world.deps.card, orderVirtualCards } };
    await performAction(order('act_order1', 100_001), deps);
    await performAction(decide(ben), deps);
    await performAction(decide({ id: 'act_zoe', actor: person('U0ZOE') }), deps);

    expect(await deps.requests.get('req_order1')).toMatchObject({ state });
    expect(world.writes, 'never sent again if it may have been placed').toHaveLength(state === 'open' ? 2 : 1);
  });
});

it.each<[string, Partial<Parameters<typeof unanswered>[0]> | null, RegExp]>([
  ['was made', null, /<@U0OLGA> ordered a virtual card for Vera Nova/],
  [
    'failed',
    { outcome: 'not_sent' },
    /<@U0OLGA> asked to order a virtual card for Vera Nova.*failed, nothing was ordered/,
  ],
  ['has an unknown outcome', {}, /<@U0OLGA> asked to order a virtual card for Vera Nova.*outcome not known/],
])('the audit says of an order that %s only what was done', async (_what, error, expected) => {
  const lines: string[] = [];
  const world = await createActionWorld(redis(), { postAuditLine: async (_id, { text }) => void lines.push(text) });
  const orderVirtualCards = async (...args: Parameters<typeof world.deps.card.orderVirtualCards>) => {
    if (error !== null) throw unanswered(error);
    return await world.deps.card.orderVirtualCards(...args);
  };
  const deps = { ...world.deps, isLastAttempt: true, card: { ...world.deps.card, orderVirtualCards } };

  await performAction(ask('order-virtual', { ...byCommand, id: 'act_order1', target: virtualOrder }), deps);

  expect(lines.at(-1)).toMatch(expected);
});

it.each<[string, number, boolean]>([
  ['one person made', 2500, false],
  ['others approved', 100_001, false],
  ['has an unknown outcome', 2500, true],
])('keeps nothing of the form of an order that %s', async (_what, fundCents, isLost) => {
  const world = await createActionWorld(redis());
  const orderVirtualCards = async (...args: Parameters<typeof world.deps.card.orderVirtualCards>) => {
    if (isLost) throw unanswered({});
    return await world.deps.card.orderVirtualCards(...args);
  };
  const deps = { ...world.deps, card: { ...world.deps.card, orderVirtualCards } };
  const order = JSON.parse(virtualOrder.sealed) as Record<string, unknown>;
  const target = { ...virtualOrder, sealed: JSON.stringify({ ...order, fundCents }) };
  await performAction(ask('order-virtual', { ...byCommand, id: 'act_order1', target }), deps);
  const decided = { target: { kind: 'request', requestId: 'req_order1' }, id: 'act_ben', approve: true } as const;
  if (fundCents > 100_000)
    await performAction(ask('decide', { ...decided, actor: { userId: 'U0BEN', teamId: 'T1' } }), deps);

  expect(world.answers.at(-1)?.text).toMatch(isLost ? /I won’t order it again/ : /^Ordered/);
  const everything = await allValues(redis());
  expect(everything).toContain('act_order1');
  expect(everything).not.toContain('1991-04-30');
});

it('keeps nothing of the form of an order that was refused', async () => {
  const world = await createActionWorld(redis(), { rolesOf: async () => ({ roles: [], isComplete: true }) });

  await performAction(ask('order-virtual', { ...byCommand, id: 'act_order1', target: virtualOrder }), world.deps);

  expect(world.answers.at(-1)?.text).toMatch(/Only approvers may order virtual cards/);
  expect(await allValues(redis())).not.toContain('1991-04-30');
});

it('keeps nothing of the form of an order that waited too long, and says to order again', async () => {
  const world = await createActionWorld(redis());
  const late = ask('order-virtual', { ...byCommand, id: 'act_order1', target: virtualOrder });
  world.advance(11 * 60_000);

  await performAction(late, world.deps);
  await performAction(late, world.deps);

  expect(world.writes).toEqual([]);
  expect(world.answers.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^Not done. It waited longer than 10 minutes. Order it again./),
  ]);
  expect(await allValues(redis())).not.toContain('1991-04-30');
});
