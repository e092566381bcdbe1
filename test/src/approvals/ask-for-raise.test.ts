import { describe, expect, it } from 'vitest';
import { AccountDetails } from '../../../src/card-api/schema-account.ts';
import type { CardStatus } from '../../../src/core/event.ts';
import { VerbAction } from '../../../src/dispatch/verbs.ts';
import { approvalPolicyOf } from '../../../src/policy/approval-policy.ts';
import { approvalClick, linkHugo, toPay } from '../../support/asked-for-more.ts';
import { limitChange, limitGoal, limitRaise, remedyOf } from '../../support/limit-goals.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  acctId,
  ask,
  byCommand,
  cardId,
  createActionWorld,
  performAction,
  verifyAction,
} from '../../support/perform-world.ts';
import { transactionAlert } from '../../templates/fixtures.ts';

const redis = useRedis();

it.each<[string, number, string[]]>([
  ['no more than the remaining limit: nothing declines it, nobody is asked', 30_000, []],
  ['a cent more than the remaining limit: the approvers are asked', 30_001, ['open']],
])('handles a holder’s command to pay %s', async (_what, cents, open) => {
  const world = await createActionWorld(redis());
  world.service.rules = { IsActive: true, DailySpendLimit: 400 };
  const { deps } = await linkHugo(world);
  const daily = { period: 'daily', limitCents: 40_000, remainingCents: 30_000 } as const;
  deps.card.getRemainingLimits = async () => ({ overall: [daily], categories: [] });

  await performAction(toPay(cents), deps);

  expect((await deps.requests.open()).map(({ state }) => state)).toEqual(open);
  expect(
    world.answers.some(({ text }) => text.startsWith('You need not ask for more. No limit stops this purchase.')),
  ).toBe(open.length === 0);
});

it.each<[string, CardStatus, number | null, boolean, RegExp]>([
  [
    'is blocked',
    'BLOCKED',
    null,
    false,
    /The card is blocked: every purchase is declined\. Ask an approver to unblock/,
  ],
  ['is not activated', 'INACTIVE', null, false, /The card is not activated yet\. Ask an operator to activate it/],
  ['is closed', 'CLOSED', null, false, /The card is closed and can never be used again/],
  ['lacks money', 'ACTIVE', 299.99, false, /The card’s balance is \$299\.99, which does not cover this purchase/],
  [
    'is overdrawn',
    'ACTIVE',
    -12,
    false,
    /The card’s balance is \$12\.00 overdrawn, which does not cover this purchase/,
  ],
  [
    'has just enough money',
    'ACTIVE',
    300,
    false,
    /^You need not ask for more\. No limit stops this purchase\. If it is declined, you can ask from the alert\./,
  ],
  [
    'pays from the balance of the business',
    'ACTIVE',
    0,
    true,
    /^You need not ask for more\. No limit stops this purchase\. If it is declined, you can ask from the alert\./,
  ],
])(
  'says what else declines a purchase within the limits if the card %s',
  async (_what, status, balance, business, why) => {
    const world = await createActionWorld(redis());
    world.service.rules = { IsActive: true, DailySpendLimit: 400, UseBusinessBalanceForAuths: business };
    const { deps } = await linkHugo(world);
    const daily = { period: 'daily', limitCents: 40_000, remainingCents: 40_000 } as const;
    const account = {
      AccountId: acctId,
      AvailableBalance: balance,
      CardList: [{ CardId: cardId, Last4CardNumber: '1212', CardStatus: status }],
    };
    const card = {
      ...deps.card,
      getRemainingLimits: async () => ({ overall: [daily], categories: [] }),
      getAccount: async () => AccountDetails.parse(account),
    };

    await performAction(toPay(30_000), { ...deps, card });

    expect(world.answers.at(-1)?.text).toMatch(why);
    expect(await deps.requests.open()).toEqual([]);
  },
);

describe('of one person for one card, the approvers are asked five things at a time', () => {
  const asking = (id: string, cents: number): VerbAction => VerbAction.parse({ ...toPay(cents), id: `act_${id}` });

  async function asked(count: number) {
    const world = await createActionWorld(redis());
    const { deps } = await linkHugo(world);
    let reads = 0;
    const getAccount: typeof deps.card.getAccount = async (...given) => {
      reads += 1;
      return await world.deps.card.getAccount(...given);
    };
    const withReads = { ...deps, card: { ...deps.card, getAccount } };
    for (let number = 1; number <= count; number += 1)
      await performAction(asking(`ask${number}`, 40_000 + number), withReads);
    const open = async () => (await deps.requests.open()).map(({ id }) => id);
    return { world, deps: withReads, open, reads: () => reads };
  }

  it('refuses a sixth without a call of the card service, and says what to do', async () => {
    const { world, deps, open, reads } = await asked(5);
    const before = reads();

    await performAction(asking('ask6', 40_006), deps);

    expect(await open()).toHaveLength(5);
    expect(reads()).toBe(before);
    expect(world.answers.at(-1)?.text).toContain(
      'You have 5 open requests for this card. Withdraw one in the Home tab, or wait for the approvers.',
    );
  });

  it('says of one of the five, asked again, that it is open', async () => {
    const { world, deps, open } = await asked(5);

    await performAction(asking('again', 40_003), deps);

    expect(await open()).toHaveLength(5);
    expect(world.answers.at(-1)?.text).toContain('Already asked: you want to pay $400.03');
  });

  it('takes the same amount for another time as another request', async () => {
    const { world, deps, open } = await asked(5);

    const longer = { amountCents: 40_003, term: { kind: 'duration', ms: 7_200_000 } };
    await performAction(VerbAction.parse({ ...asking('longer', 40_003), ask: longer }), deps);

    expect(await open()).toHaveLength(5);
    expect(world.answers.at(-1)?.text).toContain('You have 5 open requests for this card.');
  });

  it('asks again once one of them has ended', async () => {
    const { deps, open } = await asked(5);
    const target = { kind: 'request', requestId: 'req_ask1' } as const;
    const { actor } = toPay(1);
    await performAction(ask('withdraw', { id: 'act_end', actor, target }), deps);

    await performAction(asking('ask6', 40_006), deps);

    expect(await open()).toEqual(['req_ask2', 'req_ask3', 'req_ask4', 'req_ask5', 'req_ask6']);
  });
});

it('sends a holder to nobody who cannot help either, if only the portal can change what stops the purchase', async () => {
  const world = await createActionWorld(redis());
  const { deps } = await linkHugo(world);
  const remedy = { kind: 'allow_category', category: { id: null, name: 'Hardware Stores' } } as const;
  const asked = ask('ask', { ...toPay(8410), target: { kind: 'alert', alertId: 'evt_0123456789abcdef' } });

  await performAction(asked, { ...deps, checkPurchase: async () => ({ state: 'stopped', remedy }) });

  expect(world.answers.at(-1)?.text).toMatch(
    /I found nothing that I can change to let this purchase pass\. Ask whoever administers the card program\./,
  );
});

it('says that the card is blocked if it was blocked after a decline over a limit', async () => {
  const world = await createActionWorld(redis());
  world.service.status = 'BLOCKED';
  const { deps } = await linkHugo(world);
  const asked = ask('ask', { ...toPay(8410), target: { kind: 'alert', alertId: 'evt_0123456789abcdef' } });

  for (const check of [{ state: 'passes' }, { state: 'stopped', remedy: { kind: 'unblock' } }] as const)
    await performAction({ ...asked, id: `act_${check.state}` }, { ...deps, checkPurchase: async () => check });

  expect(world.answers.map(({ text }) => text)).toEqual([
    expect.stringContaining('The card is blocked'),
    expect.stringContaining('The card is blocked'),
  ]);
});

it('asks nobody for a card that is closed, although a limit stops the purchase', async () => {
  const world = await createActionWorld(redis());
  world.service.status = 'CLOSED';
  const { deps } = await linkHugo(world);
  const onAlert = { ...toPay(50_000), target: { kind: 'alert', alertId: 'evt_0123456789abcdef' } } as const;
  const daily = { period: 'daily', limitCents: 40_000, remainingCents: 30_000 } as const;
  const card = { ...deps.card, getRemainingLimits: async () => ({ overall: [daily], categories: [] }) };
  const stopped = { state: 'stopped', remedy: remedyOf(limitRaise('daily', 40_000, 60_000)) } as const;

  for (const asked of [toPay(50_000), ask('ask', { ...onAlert, id: 'act_onalert' })])
    await performAction(asked, { ...deps, card, checkPurchase: async () => stopped });

  const refused = expect.stringContaining(
    'The card is closed and can never be used again. Use another card, or ask for a new one.',
  );
  expect(world.answers.map(({ text }) => text)).toEqual([refused, refused]);
  expect(await deps.requests.open()).toEqual([]);
});

it.each([
  [
    'taken from the balance',
    true,
    109.99,
    /balance is \$109\.99, which does not cover this purchase and the \$50\.00 that/,
  ],
  ['taken from the balance', true, 110, /^You need not ask for more\./],
  ['not taken from the balance', false, 109.99, /^You need not ask for more\./],
])('says whether the balance covers a purchase whose padding is %s', async (_what, isCounted, balance, why) => {
  const world = await createActionWorld(redis());
  world.service.rules['UseBusinessBalanceForAuths'] = false;
  const { deps } = await linkHugo(world);
  const cards = [{ CardId: cardId, Last4CardNumber: '1212', CardStatus: 'ACTIVE' }];
  const account = AccountDetails.parse({ AccountId: acctId, AvailableBalance: balance, CardList: cards });
  const decline = { code: 'decline.rule.velocity', message: 'over' };
  const padding = { paddingCents: 5000, ...(!isCounted && { balancePaddingCents: 0 }) };
  const alert = transactionAlert({ decline, amountCents: 6000, ...padding });
  await deps.alerts.save(alert);
  const asked = ask('ask', { ...toPay(6000), target: { kind: 'alert', alertId: alert.event.id } });

  await performAction(asked, {
    ...deps,
    card: { ...deps.card, getAccount: async () => account },
    checkPurchase: async () => ({ state: 'passes' }),
  });

  expect(world.answers.at(-1)?.text).toMatch(why);
});

it('says that the balance does not cover a padding that counts against it, but not against limits', async () => {
  const world = await createActionWorld(redis());
  world.service.rules['UseBusinessBalanceForAuths'] = false;
  const { deps } = await linkHugo(world);
  const cards = [{ CardId: cardId, Last4CardNumber: '1212', CardStatus: 'ACTIVE' }];
  const account = AccountDetails.parse({ AccountId: acctId, AvailableBalance: 109.99, CardList: cards });
  const decline = { code: 'decline.rule.velocity', message: 'over' };
  const alert = transactionAlert({ decline, amountCents: 6000, paddingCents: 0, balancePaddingCents: 5000 });
  await deps.alerts.save(alert);
  const asked = ask('ask', { ...toPay(6000), target: { kind: 'alert', alertId: alert.event.id } });

  await performAction(asked, {
    ...deps,
    card: { ...deps.card, getAccount: async () => account },
    checkPurchase: async () => ({ state: 'unknown', why: 'balance' }),
  });

  expect(world.answers.at(-1)?.text).toMatch(/does not cover this purchase and the \$50\.00 that/);
});

it('asks for the purchase plus its padding if the remaining limit is unknown', async () => {
  const world = await createActionWorld(redis());
  const { deps } = await linkHugo(world);
  const unknown = remedyOf(limitRaise('daily', 40_000, null));
  const alert = transactionAlert({
    decline: { code: 'decline.rule.velocity', message: 'over' },
    amountCents: 8410,
    paddingCents: 4900,
  });
  await deps.alerts.save(alert);
  const asked = ask('ask', { ...toPay(8410), target: { kind: 'alert', alertId: alert.event.id } });

  await performAction(asked, { ...deps, checkPurchase: async () => ({ state: 'stopped', remedy: unknown }) });

  const [request] = await deps.requests.open();
  expect(request?.changes).toEqual([limitChange('daily', 40_000, 40_000 + 8410 + 4900)]);
});

it('tells approvers, the holder and the alert what else the purchase needs', async () => {
  const world = await createActionWorld(redis());
  const { deps, told } = await linkHugo(world);
  const remedy = { kind: 'allow_international', alsoNeeds: ['raise_limit'] } as const;
  const alert = transactionAlert({ decline: { code: 'decline.rule.location', message: 'no' } }, { remedy });
  await deps.alerts.save(alert);
  const alertId = alert.event.id;
  const asked = ask('ask', { ...toPay(8410), target: { kind: 'alert', alertId } });

  await performAction(asked, { ...deps, checkPurchase: async () => ({ state: 'stopped', remedy }) });
  const [request] = await deps.requests.open();
  // A rule is opened without an amount, so it takes two.
  for (const userId of ['U0BEN', 'U0ZOE'])
    await performAction(approvalClick(`act_${userId.toLowerCase()}`, userId), deps);
  world.advance(2000);
  await verifyAction('act_u0zoe', deps);

  expect(request?.facts.alsoNeeds).toEqual(['raise_limit']);
  expect((await deps.alerts.get(alertId))?.outcomes.map(({ text }) => text)).toEqual([
    expect.stringMatching(/Purchases abroad not allowed → allowed\. A limit is too small, too\.$/),
  ]);
  expect(told().join()).toMatch(/A limit is too small, too\. Ask for that as well\./);
  expect(told().join()).not.toMatch(/try again/);
});

it('asks for room for the padding of what is to be paid, not of the smaller purchase that was declined', async () => {
  const world = await createActionWorld(redis());
  const { deps } = await linkHugo(world);
  const unknown = remedyOf(limitRaise('daily', 40_000, null));
  const decline = { code: 'decline.rule.velocity', message: 'over' };
  const alert = transactionAlert({ decline, mcc: '5812', amountCents: 5000, paddingCents: 1000 });
  await deps.alerts.save(alert);
  const asked = ask('ask', { ...toPay(10_000), target: { kind: 'alert', alertId: alert.event.id } });
  const checked: object[] = [];

  await performAction(asked, {
    ...deps,
    checkPurchase: async (event) => {
      checked.push(event);
      return { state: 'stopped', remedy: unknown };
    },
  });

  expect(checked).toMatchObject([{ amountCents: 10_000, paddingCents: 2000 }]);
  const [request] = await deps.requests.open();
  expect(request?.changes).toEqual([limitChange('daily', 40_000, 40_000 + 10_000 + 2000)]);
});

it('refuses a duration that the policy does not allow, and says which one it allows', async () => {
  const world = await createActionWorld(redis());
  const { deps } = await linkHugo(world);
  const policy = {
    ...approvalPolicyOf({ twoPersonAboveCents: 100_000 }),
    durations: { longestMs: 60_000, mayStay: false },
  };

  await performAction(toPay(60_000), { ...deps, policyFor: () => policy });

  expect(await deps.requests.open()).toEqual([]);
  expect(world.answers.map(({ text }) => text).join()).toMatch(
    /The policy allows this for .*Ask for less, or for a shorter time\./s,
  );
});

it('refuses what would keep the card loosened for longer in all than the policy allows', async () => {
  const policy = {
    ...approvalPolicyOf({ twoPersonAboveCents: 100_000 }),
    durations: { longestMs: 4 * 3_600_000, mayStay: false },
  };
  const world = await createActionWorld(redis(), { policyFor: () => policy });
  world.service.rules = { IsActive: true, DailySpendLimit: 150 };
  const { deps } = await linkHugo(world);
  const term = { kind: 'duration', ms: 4 * 3_600_000 } as const;
  const raised = ask('limit', { ...byCommand, changeRequest: { goals: [limitGoal('daily', 40_000)], term } });
  await performAction(raised, deps);
  world.advance(3_600_000);
  const askedAt = deps.now().toISOString();
  const daily = { period: 'daily', limitCents: 40_000, remainingCents: 40_000 } as const;
  const card = { ...deps.card, getRemainingLimits: async () => ({ overall: [daily], categories: [] }) };

  const asked = ask('ask', { ...toPay(50_000), askedAt, ask: { amountCents: 50_000, term } });
  await performAction(asked, { ...deps, card });

  expect(await deps.requests.open()).toEqual([]);
  expect(world.answers.at(-1)?.text).toMatch(
    /The policy allows this for 4 hours at most\. The card has been loosened <!date\^\d+\^since .*>, and that counts\./,
  );
});
