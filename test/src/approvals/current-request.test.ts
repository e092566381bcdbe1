import { describe, expect, it } from 'vitest';
import { ruleKey } from '../../../src/card-api/rule.ts';
import type { RuleGoal, Term } from '../../../src/card-api/rule-change.ts';
import { AccountDetails } from '../../../src/card-api/schema-account.ts';
import type { Remedy } from '../../../src/limits/remedy-change.ts';
import type { TemporaryChange } from '../../../src/limits/temporary-change-store.ts';
import { approvalPolicyOf } from '../../../src/policy/approval-policy.ts';
import { REQUEST_OVERDUE_MS } from '../../../src/policy/decide-action.ts';
import { approvalRequest } from '../../../templates/approvals/approval-request.ts';
import { approvalClick, askedToPay, linkHugo, toPay } from '../../support/asked-for-more.ts';
import { refusal, unanswered } from '../../support/card-api-errors.ts';
import { Killed } from '../../support/crash-at.ts';
import { limitGoal, limitRaise, remedyOf } from '../../support/limit-goals.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  acctId,
  ask,
  byCommand,
  cardId,
  createActionWorld,
  endTemporaryChange,
  performAction,
  verbsOf,
  verifyAction,
  type WorldDeps,
} from '../../support/perform-world.ts';
import { transactionAlert } from '../../templates/fixtures.ts';
import { shown } from '../../templates/shown.ts';

const redis = useRedis();
const ANA = { userId: 'U0ANA', teamId: 'T1' };

/** A world in which a changed card's requests are refreshed at once. */
async function setUp() {
  const updated: string[] = [];
  const world = await createActionWorld(redis(), {
    updateRequest: async (id) => void updated.push(id),
    cardChanged: (changed) => verbsOf(world.deps).refreshRequests(changed),
  });
  world.service.rules = { IsActive: true, DailySpendLimit: 400 };
  const { deps } = await askedToPay(world, 90_000);
  const request = async () => {
    const found = await deps.requests.get('req_ask1');
    if (found === null) throw new Error('nothing was asked');
    return found;
  };
  const message = async () => shown(approvalRequest(await request()).blocks);
  updated.length = 0;
  return { world, deps: world.deps, updated, request, message };
}

it('shows a block and an unblock, wherever they are made', async () => {
  const { world, deps, updated, message } = await setUp();
  world.service.status = 'BLOCKED';
  await verbsOf(deps).refreshRequests(acctId);
  expect(await message()).toContain('The card is blocked: nothing is paid until an approver unblocks it.');

  await performAction(ask('unblock', { ...byCommand, id: 'act_unblock', actor: ANA }), deps);

  expect(await message()).not.toContain('is blocked');
  expect(updated).toEqual(['req_ask1', 'req_ask1']);
});

it('shows the current limit after a command, so that a click on it counts', async () => {
  const { deps, message, request } = await setUp();
  const changeRequest = { goals: [limitGoal('daily', 0)], term: { kind: 'permanent' } } as const;

  await performAction(ask('limit', { ...byCommand, id: 'act_zero', actor: ANA, changeRequest }), deps);

  expect(await message()).toContain('daily limit $0.00 → $1,300.00');
  const { revision } = await request();
  expect(revision).toBe(1);
  await performAction(approvalClick('act_ben', 'U0BEN', revision), deps);
  await performAction(approvalClick('act_zoe', 'U0ZOE', revision), deps);
  expect(await request()).toMatchObject({ state: 'approved' });
});

it('shows no temporary value that a later change has replaced, and none that has ended', async () => {
  const { deps, message } = await setUp();
  const limitTo = (id: string, cents: number, isForAnHour: boolean) =>
    ask('limit', {
      ...byCommand,
      id,
      actor: ANA,
      changeRequest: {
        goals: [limitGoal('daily', cents)],
        term: isForAnHour ? { kind: 'duration', ms: 3_600_000 } : { kind: 'permanent' },
      },
    });
  await performAction(limitTo('act_hour', 50_000, true), deps);
  expect(await message()).toContain('Temporary now: daily limit $500.00, back to $400.00');
  await endTemporaryChange('act_hour', deps);
  expect(await message()).not.toContain('Temporary now');

  await performAction(limitTo('act_again', 50_000, true), deps);
  expect(await message()).toContain('Temporary now');
  await performAction(limitTo('act_low', 10_000, false), deps);
  expect(await message()).toMatch(/^(?!.*Temporary now).*daily limit \$100\.00 → \$1,300\.00/s);
});

it('says that it is enough already if the limit has been raised since', async () => {
  const { world, deps, message } = await setUp();
  world.service.rules = { IsActive: true, DailySpendLimit: 1500 };

  await verbsOf(deps).refreshRequests(acctId);

  expect(await message()).toContain('Already enough: daily limit $1,500.00. Deny it, or let it expire.');
});

it('voids the approvals that were given for other numbers', async () => {
  const { world, deps, request, message } = await setUp();
  world.service.rules = { IsActive: true, DailySpendLimit: 0 };
  await verbsOf(deps).refreshRequests(acctId);
  await performAction(approvalClick('act_ben', 'U0BEN', 1), deps);
  expect(await request()).toMatchObject({ approvals: [{ by: 'U0BEN' }], needed: 2 });
  world.service.rules = { IsActive: true, DailySpendLimit: 100 };

  await verbsOf(deps).refreshRequests(acctId);

  expect(await request()).toMatchObject({ approvals: [], voided: [{ by: 'U0BEN' }], revision: 2 });
  expect(await message()).toContain('The approval of <@U0BEN> no longer counts: the card was changed after it.');
});

it('leaves a request alone whose card has not changed, and requests for other cards', async () => {
  const { world, deps, updated, request } = await setUp();
  const before = await request();

  await verbsOf(deps).refreshRequests(acctId);
  world.service.status = 'BLOCKED';
  await verbsOf(deps).refreshRequests(acctId + 1);

  expect(updated).toEqual([]);
  expect(await request()).toEqual(before);
});

it('asks again once so much was spent that the change is not enough, and then promises its holder no amount', async () => {
  const world = await createActionWorld(redis());
  world.service.rules = { IsActive: true, DailySpendLimit: 400 };
  let remainingCents = 10_000;
  const getRemainingLimits = async () => ({
    overall: [{ period: 'daily', limitCents: 40_000, remainingCents } as const],
    categories: [],
  });
  const given = { ...world, deps: { ...world.deps, card: { ...world.deps.card, getRemainingLimits } } };
  const hugo = await askedToPay(given, 30_000);
  world.advance(REQUEST_OVERDUE_MS);
  remainingCents = 1_000;

  await performAction(approvalClick('act_ben', 'U0BEN'), hugo.deps);

  expect(world.answers.at(-1)?.text).toContain('The card was used since it was asked for, so it is not enough by now.');
  expect(world.service.rules['DailySpendLimit']).toBe(400);

  await performAction(approvalClick('act_ben2', 'U0BEN', 1), hugo.deps);
  world.advance(2000);
  await verifyAction('act_ben2', hugo.deps);

  expect(world.service.rules['DailySpendLimit']).toBe(600);
  expect(hugo.told().at(-1)).toContain('no longer enough for $300.00');
  expect(hugo.told().join()).not.toContain('you can pay');
});

describe('a request that is not enough by now, if an approver changes it', () => {
  const bandsOf = (approvals: number) => [{ upToCents: null, approvals }];

  /** $100 of the daily limit of $150 are spent since Hugo asked to pay $300. Ben changes and approves what he asked for. */
  async function changedTo(cents: number, { approvals = 1, isRead = true, isRefused = false } = {}) {
    const policyFor = () => ({ ...approvalPolicyOf({ twoPersonAboveCents: 100_000 }), bands: bandsOf(approvals) });
    const world = await createActionWorld(redis(), { policyFor });
    world.service.rules = { IsActive: true, DailySpendLimit: 150 };
    let spentCents = 0;
    let isAway = false;
    world.deps.card.getRemainingLimits = async () => {
      if (isAway) throw unanswered();
      const limitCents = Number(world.service.rules['DailySpendLimit']) * 100;
      return { overall: [{ period: 'daily', limitCents, remainingCents: limitCents - spentCents }], categories: [] };
    };
    const hugo = await askedToPay(world, 30_000);
    const { deps } = hugo;
    const facts = async () => (await deps.requests.get('req_ask1'))?.facts;
    const spend = async (moreCents: number) => {
      spentCents += moreCents;
      await verbsOf(deps).refreshRequests(acctId);
    };
    await spend(10_000);
    expect(await facts()).toMatchObject({ isTooLittle: true });
    isAway = !isRead;
    if (isRefused) world.deps.card.putSpendRules = async () => Promise.reject(refusal());
    world.advance(REQUEST_OVERDUE_MS);
    const changeRequest = { goals: [limitGoal('daily', cents)], term: { kind: 'duration', ms: 3_600_000 } } as const;
    await performAction(Object.assign(approvalClick('act_ben', 'U0BEN', 1), { changeRequest }), deps);
    world.advance(2000);
    await verifyAction('act_ben', deps);
    return { world, hugo, deps, facts, spend };
  }
  const notEnough = 'no longer enough for $300.00';

  it('keeps the caution if the card service refuses the changed values', async () => {
    const { world, facts } = await changedTo(40_000, { isRefused: true });

    expect(world.service.rules['DailySpendLimit']).toBe(150);
    expect(await facts()).toMatchObject({ isTooLittle: true });
  });

  it.each<[string, number, object, boolean]>([
    ['far enough', 40_000, {}, false],
    ['more, but not far enough', 39_999, {}, true],
    ['more, and nothing tells what is left', 40_000, { isRead: false }, false],
  ])('%s, tells its holder only what is so', async (_what, cents, given, isTooLittle) => {
    const { world, hugo } = await changedTo(cents, given);

    expect(world.service.rules['DailySpendLimit']).toBe(cents / 100);
    expect(hugo.told().at(-1)).toContain('This is not exactly what you asked for');
    expect(hugo.told().at(-1)?.includes(notEnough)).toBe(isTooLittle);
  });

  it('to less, says only that it is too low', async () => {
    const { hugo } = await changedTo(25_000);

    expect(hugo.told().at(-1)).toContain('This is too low for $300.00.');
    expect(hugo.told().at(-1)).not.toContain(notEnough);
  });

  it('shows the next approver that it is enough, and asks again once it is not', async () => {
    const { world, deps, facts, spend } = await changedTo(50_000, { approvals: 2 });
    expect(await facts()).not.toHaveProperty('isTooLittle');
    await spend(10_001);

    await performAction(approvalClick('act_zoe', 'U0ZOE', 2), deps);

    expect(await facts()).toMatchObject({ isTooLittle: true });
    expect(world.service.rules['DailySpendLimit']).toBe(150);
  });
});

it('asks again once the change is enough for the declined purchase, but not for its padding', async () => {
  const world = await createActionWorld(redis());
  world.service.rules = { IsActive: true, DailySpendLimit: 200 };
  let remainingCents = 5000;
  const getRemainingLimits = async () => ({
    overall: [{ period: 'daily', limitCents: 20_000, remainingCents } as const],
    categories: [],
  });
  const hugo = await linkHugo(world);
  const remedy = remedyOf(limitRaise('daily', 20_000, 22_200, { remainingCents }));
  const deps = {
    ...hugo.deps,
    card: { ...hugo.deps.card, getRemainingLimits },
    checkPurchase: async () => ({ state: 'stopped', remedy }) as const,
  };
  const decline = { code: 'decline.rule.velocity', message: 'over' };
  const alert = transactionAlert({ decline, amountCents: 6000, paddingCents: 1200 });
  await deps.alerts.save(alert);
  await performAction(ask('ask', { ...toPay(6000), target: { kind: 'alert', alertId: alert.event.id } }), deps);
  world.advance(REQUEST_OVERDUE_MS);
  remainingCents = 4000;

  await performAction(approvalClick('act_ben', 'U0BEN'), deps);

  expect(world.answers.at(-1)?.text).toContain('so it is not enough by now.');
  expect(world.service.rules['DailySpendLimit']).toBe(200);
});

describe('a card that pays from its own balance', () => {
  /** The daily limit is $400, and Hugo wants to pay $300. */
  async function asked(balance: number) {
    const world = await createActionWorld(redis());
    world.service.rules = { IsActive: true, DailySpendLimit: 400, UseBusinessBalanceForAuths: false };
    const account = {
      AccountId: acctId,
      AvailableBalance: balance,
      CardList: [{ CardId: cardId, Last4CardNumber: '1212', CardStatus: 'ACTIVE' }],
    };
    world.deps.card.getAccount = async () => AccountDetails.parse(account);
    const daily = { period: 'daily', limitCents: 40_000, remainingCents: 10_000 } as const;
    world.deps.card.getRemainingLimits = async () => ({ overall: [daily], categories: [] });
    const hugo = await askedToPay(world, 30_000);
    world.advance(REQUEST_OVERDUE_MS);
    const message = async () => {
      const request = await world.deps.requests.get('req_ask1');
      return request === null ? '' : shown(approvalRequest(request).blocks);
    };
    return { world, hugo, account, message };
  }
  const caution = 'The card’s balance did not cover this purchase either. Until that is changed, it may be declined.';

  it('that is too low for what its holder typed says so to whoever approves, and promises its holder no amount', async () => {
    const { world, hugo, message } = await asked(299.99);
    expect(await message()).toContain(caution);
    expect(world.answers.at(-1)?.text).toContain('did not cover this purchase either. Ask for money to be added');

    await performAction(approvalClick('act_ben', 'U0BEN'), hugo.deps);
    world.advance(2000);
    await verifyAction('act_ben', hugo.deps);

    expect(world.service.rules['DailySpendLimit']).toBe(600);
    expect(hugo.told().at(-1)).toContain('did not cover this purchase either. Ask for money to be added');
    expect(hugo.told().join()).not.toContain('you can pay');
  });

  it('that was topped up since loses the caution, and the click counts', async () => {
    const { world, hugo, account } = await asked(50);
    account.AvailableBalance = 300;

    await performAction(approvalClick('act_ben', 'U0BEN'), hugo.deps);
    world.advance(2000);
    await verifyAction('act_ben', hugo.deps);

    expect(hugo.told().at(-1)).toContain('you can pay $300.00');
    expect(await hugo.deps.requests.get('req_ask1')).not.toHaveProperty('facts.alsoNeeds');
  });

  it('that was spent since asks again, with the caution', async () => {
    const { world, hugo, account, message } = await asked(300);
    expect(await message()).not.toContain(caution);
    account.AvailableBalance = 299.99;

    await performAction(approvalClick('act_ben', 'U0BEN'), hugo.deps);

    expect(world.answers.at(-1)?.text).toContain('More is needed by now. The card’s balance did not cover');
    expect(world.service.rules['DailySpendLimit']).toBe(400);
    expect(await message()).toContain(caution);
    await performAction(approvalClick('act_ben2', 'U0BEN', 1), hugo.deps);
    expect(world.service.rules['DailySpendLimit']).toBe(600);
  });
});

describe('a request for a purchase that needed something else, too', () => {
  type Check = Awaited<ReturnType<WorldDeps['checkPurchase']>>;
  const stoppedBy = (remedy: Remedy): Check => ({ state: 'stopped', remedy });
  const both = stoppedBy({ kind: 'allow_international', alsoNeeds: ['raise_limit'] });
  const tooSmall = 'A limit is too small, too.';

  /** Hugo asks to pay a declined purchase abroad. @param now what stops it by the time of the first click. */
  async function asked(now: Check, then = both, card: Partial<WorldDeps['card']> = {}) {
    let check = then;
    const checked: number[] = [];
    const updated: string[] = [];
    const world = await createActionWorld(redis(), { updateRequest: async (id) => void updated.push(id) });
    world.service.rules = { IsActive: true, DailySpendLimit: 400 };
    const hugo = await linkHugo(world);
    const checkPurchase: WorldDeps['checkPurchase'] = async ({ amountCents }) => {
      checked.push(amountCents);
      return check;
    };
    const deps = { ...hugo.deps, checkPurchase, card: { ...hugo.deps.card, ...card } };
    const alert = transactionAlert({ decline: { code: 'decline.rule.location', message: 'no' } });
    await deps.alerts.save(alert);
    await performAction(ask('ask', { ...toPay(9000), target: { kind: 'alert', alertId: alert.event.id } }), deps);
    world.advance(REQUEST_OVERDUE_MS);
    check = now;
    updated.length = 0;
    const facts = async () => (await deps.requests.get('req_ask1'))?.facts.alsoNeeds;
    const approve = async () => {
      for (const userId of ['U0BEN', 'U0ZOE'])
        await performAction(approvalClick(`act_${userId.toLowerCase()}`, userId), deps);
      world.advance(2000);
      await verifyAction('act_u0zoe', deps);
    };
    const texts = async () => (await deps.alerts.get(alert.event.id))?.outcomes.map(({ text }) => text).join('\n');
    return { world, hugo, deps, checked, updated, facts, approve, texts };
  }

  it('keeps the caution if its ruleset is what stops it first', async () => {
    const { facts, approve } = await asked({ state: 'unknown', why: 'ruleset', alsoNeeds: ['raise_limit'] });

    await approve();

    expect(await facts()).toEqual(['raise_limit']);
  });

  it.each<[string, Check]>([
    ['has reset', stoppedBy({ kind: 'allow_international' })],
    ['has reset, and no rule stops it any more', { state: 'unknown', why: 'balance' }],
    ['has reset, and the rule was changed', { state: 'passes' }],
  ])('loses the caution once the limit %s, and its holder can try again', async (_what, now) => {
    const { hugo, checked, facts, approve, texts } = await asked(now);
    expect(await facts()).toEqual(['raise_limit']);

    await approve();

    expect(await facts()).toBeUndefined();
    expect(checked.at(-1)).toBe(9000);
    expect(hugo.told().at(-1)).toMatch(/Approved by .*: try again/);
    expect(`${hugo.told().join()} ${await texts()}`).not.toContain(tooSmall);
  });

  it('keeps the caution while that is so, and if the card cannot be read', async () => {
    const unread = { ...stoppedBy({ kind: 'allow_international' }), isPartial: true } as const;
    for (const now of [both, unread, { state: 'unknown', why: 'away' } as const]) {
      await redis().flushall();
      const { hugo, deps, updated, approve, texts } = await asked(now);
      await verbsOf(deps).refreshRequests(acctId);
      expect(updated).toEqual([]);

      await approve();

      expect(hugo.told().at(-1)).toContain(`${tooSmall} Ask for that as well.`);
      expect(await texts()).toContain(tooSmall);
    }
  });

  it('asks again once it needs more, but not for what it changes itself', async () => {
    const { world, deps, facts } = await asked(
      stoppedBy({ kind: 'allow_international', alsoNeeds: ['raise_limit', 'allow_card_not_present'] }),
    );

    await performAction(approvalClick('act_ben', 'U0BEN'), deps);

    const answer = world.answers.at(-1)?.text;
    expect(answer).toContain('More is needed by now. Online purchases are not allowed either.');
    expect(await facts()).toEqual(['raise_limit', 'allow_card_not_present']);
  });

  it('asks again also if it needed nothing else before', async () => {
    const { world, deps, facts } = await asked(both, stoppedBy({ kind: 'allow_international' }));
    expect(await facts()).toBeUndefined();

    await performAction(approvalClick('act_ben', 'U0BEN'), deps);

    expect(world.answers.at(-1)?.text).toContain(`More is needed by now. ${tooSmall}`);
    expect(world.service.rules['InternationalSpendEnabled']).toBeUndefined();
    expect(await facts()).toEqual(['raise_limit']);
  });

  it('shows the need from the start if an approver asks, whose approval then counts', async () => {
    const world = await createActionWorld(redis(), { checkPurchase: async () => both });
    world.service.rules = { IsActive: true, DailySpendLimit: 400, InternationalSpendEnabled: false };
    const alert = transactionAlert({ decline: { code: 'decline.rule.location', message: 'no' } });
    await world.deps.alerts.save(alert);
    const term = { kind: 'duration', ms: 4 * 3_600_000 } as const;
    const changeRequest = { goals: [{ rule: { kind: 'international' }, to: true }], term } as const;
    const target = { kind: 'alert', alertId: alert.event.id } as const;
    await performAction(ask('allow', { id: 'act_ask1', actor: ANA, target, changeRequest }), world.deps);
    expect(await world.deps.requests.get('req_ask1')).toMatchObject({ facts: { alsoNeeds: ['raise_limit'] } });

    await performAction(approvalClick('act_ben', 'U0BEN'), world.deps);

    expect(await world.deps.requests.get('req_ask1')).toMatchObject({ state: 'approved', voided: [] });
    expect(world.service.rules['InternationalSpendEnabled']).toBe(true);
  });

  describe('and was about a limit', () => {
    const daily = limitRaise('daily', 40_000, 45_000, { remainingCents: 4000 });
    const restaurants = { id: 5814, name: 'Restaurants' };
    const other = (over: object) =>
      remedyOf(daily, limitRaise('weekly', 40_000, 44_000, { category: restaurants, remainingCents: 5000, ...over }));

    it('asks again once another limit stops it, too, and then does not tell its holder to try again', async () => {
      const { world, hugo, deps, facts } = await asked(stoppedBy(other({})), stoppedBy(remedyOf(daily)));

      await performAction(approvalClick('act_ben', 'U0BEN'), deps);
      expect(world.answers.at(-1)?.text).toContain(`More is needed by now. ${tooSmall}`);
      await performAction(approvalClick('act_ben2', 'U0BEN', 1), deps);
      world.advance(2000);
      await verifyAction('act_ben2', deps);

      expect(await facts()).toEqual(['raise_limit']);
      expect(hugo.told().at(-1)).toContain(`${tooSmall} Ask for that as well.`);
      expect(hugo.told().at(-1)).not.toContain('try again');
    });

    it('says only once that another limit is too small by now', async () => {
      let remainingCents = 20_000;
      const weekly = limitRaise('weekly', 60_000, 64_000, { remainingCents: 5000 });
      const { world, deps, facts } = await asked(stoppedBy(remedyOf(daily, weekly)), stoppedBy(remedyOf(daily)), {
        getRemainingLimits: async () => ({
          overall: [{ period: 'weekly', limitCents: 60_000, remainingCents }],
          categories: [],
        }),
      });
      expect(await deps.requests.get('req_ask1')).toMatchObject({ facts: { left: [{ remainingCents: 20_000 }] } });
      remainingCents = 5000;

      await performAction(approvalClick('act_ben', 'U0BEN'), deps);

      expect(world.answers.at(-1)?.text).toContain(`More is needed by now. ${tooSmall}`);
      expect(await facts()).toEqual(['raise_limit']);
      expect((await deps.requests.get('req_ask1'))?.facts).not.toHaveProperty('isTooLittle');
    });

    it.each<[string, Remedy]>([
      ['more of the same limit is used', remedyOf({ ...daily, to: 49_000, remainingCents: 0 })],
      ['another limit only has to rise along', other({ isAdjustedToo: true })],
      ['what is left of another limit is not known', other({ remainingCents: null })],
    ])('needs nothing else if %s', async (_what, remedy) => {
      const { facts, approve } = await asked(stoppedBy(remedy), stoppedBy(remedyOf(daily)));

      await approve();

      expect(await facts()).toBeUndefined();
    });
  });
});

describe('a request for two limits, of which one is high enough for a while', () => {
  /** Weekly, $500 of $600 are spent. Hugo asks to pay $300, and Ana raises the weekly limit for an hour. */
  async function asked() {
    const world = await createActionWorld(redis());
    world.service.rules = { IsActive: true, DailySpendLimit: 150, WeeklySpendLimit: 600 };
    const limitOf = (period: 'Daily' | 'Weekly') => Number(world.service.rules[`${period}SpendLimit`]) * 100;
    world.deps.card.getRemainingLimits = async () => ({
      overall: [
        { period: 'daily', limitCents: limitOf('Daily'), remainingCents: limitOf('Daily') },
        { period: 'weekly', limitCents: limitOf('Weekly'), remainingCents: limitOf('Weekly') - 50_000 },
      ],
      categories: [],
    });
    const hugo = await linkHugo(world);
    const term = { kind: 'purchase' } as const;
    await performAction(Object.assign(toPay(30_000), { ask: { amountCents: 30_000, term } }), hugo.deps);
    const { deps } = hugo;
    const request = async () => {
      const found = await deps.requests.get('req_ask1');
      if (found === null) throw new Error('nothing was asked');
      return found;
    };
    const changes = async () => (await request()).changes.map(({ rule, from, to }) => [ruleKey(rule), from, to]);
    const decide =
      (id: string, userId: string, goals: RuleGoal[] | null = null, term: Term = { kind: 'purchase' }) =>
      async () => {
        const click = approvalClick(id, userId, (await request()).revision);
        const changeRequest = goals && { goals, term };
        await performAction(Object.assign(click, { changeRequest, askedAt: deps.now().toISOString() }), deps);
      };
    const raiseWeekly = async () => {
      const changeRequest = {
        goals: [limitGoal('weekly', 100_000)],
        term: { kind: 'duration', ms: 3_600_000 },
      } as const;
      await performAction(ask('limit', { ...byCommand, id: 'act_week', actor: ANA, changeRequest }), deps);
      await verbsOf(deps).refreshRequests(acctId);
    };
    const endRaise = async () => {
      world.advance(3_600_000);
      await endTemporaryChange('act_week', deps);
    };
    return { world, hugo, deps, request, changes, decide, raiseWeekly, endRaise };
  }
  const weekly = ['limit:weekly:', 60_000, 80_000];

  it('shows it again when the raise is over, and promises its holder no amount before', async () => {
    const { world, hugo, deps, request, changes, decide, raiseWeekly, endRaise } = await asked();
    const daily = ['limit:daily:', 15_000, 30_000];
    expect(await changes()).toEqual([daily, weekly]);
    await raiseWeekly();
    expect(await changes()).toEqual([daily]);
    expect(shown(approvalRequest(await request()).blocks)).toContain(
      'At least that already, so not changed: weekly limit.',
    );
    await endRaise();

    await decide('act_ben', 'U0BEN')();

    expect(world.answers.at(-1)?.text).toContain(
      'Somebody changed it since it was asked for. Now: weekly limit $600.00.',
    );
    expect(await request()).toMatchObject({ state: 'open', revision: 1 });
    expect(await changes()).toEqual([daily, weekly]);
    await decide('act_ben2', 'U0BEN')();
    world.advance(2000);
    await verifyAction('act_ben2', deps);
    expect(world.service.rules).toMatchObject({ DailySpendLimit: 300, WeeklySpendLimit: 800 });
    expect(hugo.told().at(-1)).toContain('you can pay $300.00 until');
  });

  it('voids the approvals that were given without it', async () => {
    const { deps, request, changes, decide, raiseWeekly, endRaise } = await asked();
    await raiseWeekly();
    await decide('act_ben', 'U0BEN', [limitGoal('daily', 200_000)])();
    expect(await request()).toMatchObject({ state: 'open', approvals: [{ by: 'U0BEN' }] });
    await endRaise();

    await verbsOf(deps).refreshRequests(acctId);

    expect(await request()).toMatchObject({ approvals: [], voided: [{ by: 'U0BEN', why: 'moved' }] });
    expect(await changes()).toEqual([['limit:daily:', 15_000, 200_000], weekly]);
  });

  it('shows it again with the value that an approver chose', async () => {
    const { deps, changes, decide, raiseWeekly, endRaise } = await asked();
    await decide('act_ben', 'U0BEN', [limitGoal('daily', 200_000), limitGoal('weekly', 90_000)])();
    await raiseWeekly();
    expect(await changes()).toEqual([['limit:daily:', 15_000, 200_000]]);
    await endRaise();

    await verbsOf(deps).refreshRequests(acctId);

    expect(await changes()).toEqual([
      ['limit:daily:', 15_000, 200_000],
      ['limit:weekly:', 60_000, 90_000],
    ]);
  });

  it('is not approved for longer than the raise, because that limit would be too low after it', async () => {
    const { world, request, decide, raiseWeekly } = await asked();
    await raiseWeekly();

    await decide('act_ben', 'U0BEN', [limitGoal('daily', 30_000)], { kind: 'duration', ms: 4 * 3_600_000 })();

    expect(world.answers.at(-1)?.text).toMatch(
      /it is higher for the moment: weekly limit \$1,000\.00 <.*>, then \$600\.00 again/,
    );
    expect(await request()).toMatchObject({ state: 'open', approvals: [], revision: 0 });
    expect(world.service.rules['DailySpendLimit']).toBe(150);
  });

  it('is closed by an approval once the other one is as asked, and lowers neither', async () => {
    const { world, hugo, deps, request, decide } = await asked();
    world.service.rules = { IsActive: true, DailySpendLimit: 300, WeeklySpendLimit: 1000 };
    await verbsOf(deps).refreshRequests(acctId);
    expect(shown(approvalRequest(await request()).blocks)).toContain('Approve or deny it, or let it expire.');

    await decide('act_ben', 'U0BEN')();

    expect(await request()).toMatchObject({ state: 'approved' });
    expect(world.service.rules).toMatchObject({ DailySpendLimit: 300, WeeklySpendLimit: 1000 });
    expect(hugo.told().at(-1)).toContain('Approved by <@U0BEN>');
  });

  it('shows it again as soon as the change would outlast the raise', async () => {
    const { world, changes, decide, raiseWeekly } = await asked();
    await raiseWeekly();
    world.advance(50 * 60_000);

    await decide('act_ben', 'U0BEN')();

    expect(world.answers.at(-1)?.text).toContain('It now outlasts a temporary change, so it is counted from $600.00.');
    expect(await changes()).toContainEqual(weekly);
    expect(world.service.rules['DailySpendLimit']).toBe(150);
  });
});

const away = async (): Promise<never> => {
  throw unanswered();
};

describe.each<[string, boolean]>([
  ['the card service makes late', false],
  ['was made while the card could not be read', true],
])('an approved change that %s', (_how, arrives) => {
  /** Nothing shows the change for two minutes. Then it is found. @returns what is shown of it. */
  async function foundLate(over: Partial<WorldDeps> = {}) {
    const world = await createActionWorld(redis());
    const hugo = await askedToPay(world, 50_000);
    const posted: string[] = [];
    const changed = new Set<number>();
    const deps: WorldDeps = {
      ...hugo.deps,
      timeLeft: async () => 60_000,
      postTemporaryChange: async ({ id }) => void posted.push(id),
      cardChanged: async (acct) => void changed.add(acct),
      ...over,
    };
    let isSent = false;
    const card: WorldDeps['card'] = {
      ...deps.card,
      async putSpendRules(...args) {
        isSent = true;
        if (arrives) await deps.card.putSpendRules(...args);
        await away();
      },
      getSpendRules: async (...args) => (isSent && arrives ? await away() : await deps.card.getSpendRules(...args)),
    };
    const unseen = { ...deps, card, isLastAttempt: true };
    world.advance(REQUEST_OVERDUE_MS);
    await performAction(approvalClick('act_ben', 'U0BEN'), unseen);
    world.advance(120_000);
    await verifyAction('act_ben', unseen);
    expect(await deps.requests.get('req_ask1')).toMatchObject({ state: 'open' });
    expect((await deps.temporaryChanges.get('act_ben'))?.certainty).toBe('unconfirmed');

    world.service.rules = { ...world.service.rules, DailySpendLimit: 900 };
    await verbsOf(deps)
      .endTemporaryChange('act_ben')
      .catch(() => {});
    for (const acct of changed) await verbsOf(deps).refreshRequests(acct);
    const request = await deps.requests.get('req_ask1');
    const temporaryChange = await deps.temporaryChanges.get('act_ben');
    return {
      world,
      hugo,
      posted,
      request,
      message: JSON.stringify(request && approvalRequest(request, temporaryChange)),
    };
  }
  const decided = { state: 'approved', temporaryChangeId: 'act_ben', inFlight: [] };

  it('decides its request and is posted, and whoever approved it and the holder are told', async () => {
    const { world, hugo, posted, request, message } = await foundLate();

    expect(posted).toEqual(['act_ben']);
    expect(request).toMatchObject(decided);
    expect(message).toContain('revert_now');
    expect(world.direct.at(-1)?.text).toMatch(
      /^Limit changed.* It was made after all\. Goes back to \$400\.00 on Nov 20, /,
    );
    expect(hugo.told().at(-1)).toContain('Approved by <@U0BEN>: you can pay $500.00 until');
  });

  it('decides its request also if it is found when its time is over', async () => {
    const { world, request, message } = await foundLate({ timeLeft: async () => 0 });

    expect(world.service.rules['DailySpendLimit']).toBe(400);
    expect(request).toMatchObject(decided);
    expect(message).not.toContain('revert_now');
  });

  it('decides its request also if the worker that found it dies as soon as that is stored', async () => {
    const { temporaryChanges } = (await createActionWorld(redis())).deps;
    const save = async (change: TemporaryChange) => {
      await temporaryChanges.save(change);
      if (change.certainty === 'certain') throw new Killed('stored');
    };

    const { request } = await foundLate({ temporaryChanges: { ...temporaryChanges, save } });

    expect(request).toMatchObject(decided);
  });
});
