import { describe, expect, it } from 'vitest';
import { createLog } from '../../../src/core/log.ts';
import { claimTarget, claimValue } from '../../../src/holders/claim-store.ts';
import { policyOfVariables } from '../../../src/policy/policy.ts';
import { parsePolicy } from '../../../src/policy/policy-file.ts';
import { createRoles } from '../../../src/policy/roles.ts';
import { approvalRequest } from '../../../templates/approvals/approval-request.ts';
import { accountOf, directoryOf } from '../../support/directories.ts';
import { limitGoal } from '../../support/limit-goals.ts';
import { useRedis } from '../../support/on-redis.ts';
import { acctId, ask, byCommand, createActionWorld, verbsOf, type WorldDeps } from '../../support/perform-world.ts';
import { shown } from '../../templates/shown.ts';

const redis = useRedis();

const policy = parsePolicy(
  `
version: 1
approvers: [U0ANA, U0BEN]
delegates:
  - { for: U0ANA, to: U0HUGO, from: 2026-11-01, until: 2026-11-30 }
  - { for: U0ANA, to: U0IDA, from: 2026-11-01, until: 2026-11-30 }
`,
  'policy.yaml',
  policyOfVariables({ operators: [], approvers: [], twoPersonAboveCents: 100_000, serviceZone: 'America/New_York' }),
);

const isActive = { isBot: false, isGuest: false, isExternal: false, isDeactivated: false, name: null, email: null };

/** Ana and Ben are approvers. Hugo and Ida are Ana's delegates. */
async function world(over: Partial<WorldDeps> = {}) {
  const inForce = { policy };
  const deactivated = new Set<string>();
  const { rolesOf } = createRoles({
    policy: () => inForce.policy,
    namedDelegates: async () => [],
    slack: {
      groupMembers: async () => [],
      people: { of: async (userId) => ({ isDeactivated: deactivated.has(userId) }) },
    },
    rolesVersion: async () => null,
    isHolder: async () => false,
    log: createLog({ level: 'silent', process: 'test' }),
    now: () => new Date('2026-11-20T15:00:00.000Z'),
  });
  const made = await createActionWorld(redis(), { rolesOf, ...over });
  made.service.rules = { ...made.service.rules, MonthlySpendLimit: null };
  const verbs = verbsOf(made.deps);
  let count = 0;
  const by = (userId: string) => {
    count += 1;
    return { id: `act_by${count}`, actor: { userId, teamId: 'T1' }, roles: ['approver' as const] };
  };
  const limit = async (userId: string, dollars: number): Promise<void> => {
    const changeRequest = { goals: [limitGoal('daily', dollars * 100)], term: { kind: 'permanent' } } as const;
    await verbs.performAction(ask('limit', { ...byCommand, ...by(userId), changeRequest }), { isLast: true });
  };
  const approve = async (userId: string): Promise<void> => {
    const [open] = await made.deps.requests.open();
    const target = { kind: 'request', requestId: open?.id ?? '' } as const;
    await verbs.performAction(ask('decide', { ...by(userId), target, approve: true }), { isLast: true });
  };
  const limitNow = () => made.service.rules['DailySpendLimit'];
  const answer = () => made.answers.at(-1)?.text;
  return { ...made, inForce, deactivated, verbs, by, limit, approve, limitNow, answer };
}

it('a delegate changes limits in place of an approver', async () => {
  const { limit, limitNow } = await world();

  await limit('U0HUGO', 500);

  expect(limitNow()).toBe(500);
});

it('a delegate may not change a card that its holder, for whom they stand in, may not change', async () => {
  const { deps, limit, limitNow, answer, verbs, by } = await world();
  const at = deps.now().toISOString();
  await deps.links.link({ acctId, userId: 'U0ANA', provedBy: 'approver', by: 'U0BEN', at });

  await limit('U0HUGO', 500);

  expect(answer()).toContain('Only approvers may change limits');
  expect(limitNow()).toBe(400);
  await verbs.performAction(ask('block', { ...byCommand, ...by('U0HUGO') }), { isLast: true });
  expect(answer(), 'an action that makes the card safer is not refused').toMatch(/^Blocked/);
});

it('a delegate may do nothing in place of an approver whose account is deactivated', async () => {
  const { limit, approve, limitNow, answer, deactivated, verbs, by } = await world();
  await limit('U0HUGO', 5000);
  deactivated.add('U0ANA');

  await limit('U0IDA', 500);
  expect(answer()).toContain('Only approvers may change limits');
  await verbs.performAction(ask('show', { ...byCommand, ...by('U0IDA') }), { isLast: true });
  expect(answer()).toContain('Only operators and approvers may see cards');
  await approve('U0IDA');
  expect(answer()).toContain('Only approvers may decide requests');
  await approve('U0BEN');
  expect(limitNow(), 'the earlier approval of the delegate does not count').toBe(400);
});

it('an approver and their delegate count as one approval, in either order', async () => {
  const { limit, approve, limitNow, answer } = await world();
  await limit('U0ANA', 5000);
  await approve('U0HUGO');
  expect(answer()).toContain('Only approvers may decide requests');
  await approve('U0BEN');
  expect(limitNow()).toBe(5000);

  await limit('U0HUGO', 9000);
  await approve('U0ANA');
  expect(limitNow(), 'only one of these two counts').toBe(5000);
  await approve('U0BEN');
  expect(limitNow()).toBe(9000);
});

it('the request says that the approval of a delegate and of the person they stand in for is one', async () => {
  const { deps, limit, approve } = await world();
  await limit('U0HUGO', 9000);
  await approve('U0ANA');

  const [open] = await deps.requests.open();
  expect(open).toMatchObject({
    approvals: [{ by: 'U0ANA' }],
    voided: [{ by: 'U0HUGO', why: 'same', standsInFor: 'U0ANA' }],
  });
  const text = shown(open === undefined ? [] : approvalRequest(open).blocks);
  expect(text).toContain(
    'The approval of <@U0HUGO> is not counted twice: they stand in for <@U0ANA>, for whom another approval counts.',
  );
  expect(text).not.toContain('no longer counts');
});

it('a delegate who may not act for somebody in this case is told so, and other people are not', async () => {
  const { deps, limit, approve, answer } = await world();
  const why = 'and the person you stand in for may not do this themselves.';
  await limit('U0ANA', 5000);
  await approve('U0HUGO');
  expect(answer()).toContain(`Only approvers may decide requests, ${why}`);
  await approve('U0OTTO');
  expect(answer()).not.toContain(why);

  const at = deps.now().toISOString();
  await deps.links.link({ acctId, userId: 'U0ANA', provedBy: 'approver', by: 'U0BEN', at });
  await limit('U0HUGO', 500);
  expect(answer()).toContain(`Only approvers may change limits, ${why}`);
});

it('two delegates of one approver count as one approval', async () => {
  const { limit, approve, limitNow, answer } = await world();
  await limit('U0HUGO', 5000);
  await approve('U0IDA');
  expect(answer()).toContain('Only approvers may decide requests');
  expect(limitNow()).toBe(400);
  await approve('U0BEN');
  expect(limitNow()).toBe(5000);
});

const orders = (people: readonly string[]): string[][] =>
  people.length === 0
    ? [[]]
    : people.flatMap((first) => orders(people.filter((one) => one !== first)).map((rest) => [first, ...rest]));

describe('of a request that needs four approvals', () => {
  const bands = [{ upToCents: null, approvals: 4 }];
  const alsoForBen = { for: 'U0BEN', to: 'U0IDA', from: '2026-11-01', until: '2026-11-30' };
  const approvers = { mentioned: [], permitted: ['U0ANA', 'U0BEN', 'U0CAL'] };

  /** Cal asks. Hugo stands in for Ana, and Ida for Ana and Ben. @returns who counts besides Cal. */
  async function countedOf(people: readonly string[]): Promise<string[]> {
    const { deps, inForce, limit, approve } = await world({
      policyFor: () => ({ ...policy.standard.approval, bands }),
    });
    const delegations = [...policy.delegations, alsoForBen];
    inForce.policy = { ...policy, delegations, standard: { ...policy.standard, approvers } };
    await limit('U0CAL', 5000);
    for (const userId of people) await approve(userId);
    const [open] = await deps.requests.open();
    const counted = (open?.approvals ?? []).map((approval) => approval.by);
    return counted.filter((userId) => userId !== 'U0CAL').toSorted();
  }

  it.each(orders(['U0IDA', 'U0ANA', 'U0BEN']))(
    'a delegate of two approvers does not count besides both: %s, %s, %s',
    async (...people) => {
      expect(await countedOf(people)).toEqual(['U0ANA', 'U0BEN']);
    },
  );

  it.each(orders(['U0IDA', 'U0HUGO']))(
    'a delegate of two approvers counts for the one whose other delegate does not: %s, %s',
    async (...people) => {
      expect(await countedOf(people)).toEqual(['U0HUGO', 'U0IDA']);
    },
  );
});

it('two approvals count as one if one person is now only a delegate of the approver for whom the other stands in', async () => {
  const { limit, approve, limitNow, inForce } = await world();
  const approvers = { mentioned: [], permitted: ['U0ANA', 'U0BEN', 'U0HUGO'] };
  inForce.policy = { ...policy, standard: { ...policy.standard, approvers } };
  await limit('U0HUGO', 5000);
  inForce.policy = policy;
  await approve('U0IDA');
  expect(limitNow(), 'Hugo and Ida both stand in for Ana').toBe(400);
});

it.each<[string, Partial<WorldDeps>]>([
  ['recently held the card', {}],
  [
    'has the email that the card program has for the card',
    {
      directory: directoryOf({ account: async () => accountOf({ acctId, email: 'ana@example.com' }) }),
      person: async (userId: string) => ({
        name: null,
        email: userId === 'U0ANA' ? 'Ana@example.com' : null,
        isBot: false,
        isGuest: false,
        isExternal: false,
        isDeactivated: false,
      }),
    },
  ],
])('nobody stands in for an approver who %s, alone or as one of two', async (_why, over) => {
  const { deps, limit, approve, limitNow, answer } = await world(over);
  if (!('directory' in over)) {
    const at = deps.now().toISOString();
    await deps.links.link({ acctId, userId: 'U0ANA', provedBy: 'approver', by: 'U0BEN', at });
    await deps.links.unlink(acctId);
  }

  await limit('U0HUGO', 500);
  expect(answer()).toContain('Only approvers may change limits');
  await limit('U0BEN', 5000);
  await approve('U0HUGO');
  expect(answer()).toContain('Only approvers may decide requests');
  expect(limitNow()).toBe(400);
});

it('a delegate cannot confirm the claim of the approver for whom they stand in', async () => {
  const { deps, verbs, by, answer } = await world({ person: async () => isActive });
  const claimed = { acctId, isSameName: false, isSameEmail: false };
  const action = ask('claim', by('U0ANA'));
  await deps.claims.save({ id: 'clm_1', action, card: claimed, state: 'open', expiresAt: '2026-11-21T15:00:00.000Z' });
  const target = claimTarget(claimValue('clm_1', null), true);
  const confirm = (userId: string) =>
    verbs.performAction(ask('decide-claim', { ...by(userId), target }), { isLast: true });

  await confirm('U0HUGO');
  expect(answer()).toContain('Only approvers may confirm who holds a card');
  expect(await deps.links.ofAccount(acctId)).toBeNull();
  await confirm('U0BEN');
  expect(await deps.links.ofAccount(acctId)).toMatchObject({ userId: 'U0ANA' });
});

it('a delegate can neither link a card to the approver for whom they stand in, nor end that link', async () => {
  const { deps, verbs, by, answer } = await world();
  const linking = verbsOf({ ...deps, person: async () => isActive });
  const link = (userId: string) =>
    linking.performAction(ask('link', { ...byCommand, ...by(userId), subject: 'U0ANA' }), { isLast: true });
  const unlink = (userId: string) =>
    verbs.performAction(ask('unlink', { ...byCommand, ...by(userId) }), { isLast: true });

  await link('U0HUGO');
  expect(answer()).toContain('Only approvers may link cards to people');
  expect(await deps.links.ofAccount(acctId)).toBeNull();
  await link('U0BEN');
  expect(await deps.links.ofAccount(acctId)).toMatchObject({ userId: 'U0ANA' });

  await unlink('U0HUGO');
  expect(answer()).toContain('Only approvers may unlink cards');
  expect(await deps.links.ofAccount(acctId)).toMatchObject({ userId: 'U0ANA' });
  await unlink('U0BEN');
  expect(await deps.links.ofAccount(acctId)).toBeNull();
});

/** Ana, Ben and Hugo may each raise by $1,000 alone within 24 hours. */
it.each<[string, string[], boolean]>([
  ['an approver and then their delegate', ['U0ANA', 'U0HUGO'], false],
  ['a delegate and then the approver for whom they stood in', ['U0HUGO', 'U0ANA'], false],
  ['two delegates of one approver', ['U0HUGO', 'U0IDA'], false],
  ['a delegate of two people and the second of them', ['U0IDA', 'U0BEN'], false],
  ['two approvers', ['U0ANA', 'U0BEN'], true],
  ['a delegate and an approver for whom they do not stand in', ['U0HUGO', 'U0BEN'], true],
])(
  "the combined raises of %s count as one person's if one stands in for the other",
  async (_who, [first, second], both) => {
    const { limit, limitNow, inForce } = await world();
    const alsoForBen = { for: 'U0BEN', to: 'U0IDA', from: '2026-11-01', until: '2026-11-30' };
    inForce.policy = { ...policy, delegations: [...policy.delegations, alsoForBen] };

    await limit(first ?? '', 1400);
    expect(limitNow(), 'the first raise').toBe(1400);
    await limit(second ?? '', 2400);

    expect(limitNow()).toBe(both ? 2400 : 1400);
  },
);

it("a delegate's raise still counts for the approver after the delegation has ended", async () => {
  const { limit, limitNow, inForce } = await world();
  await limit('U0HUGO', 1400);
  inForce.policy = { ...policy, delegations: [] };

  await limit('U0ANA', 2400);

  expect(limitNow()).toBe(1400);
});

it('an approver who stands in for another one raises on their own account', async () => {
  const { limit, limitNow, inForce } = await world();
  inForce.policy = { ...policy, delegations: [{ for: 'U0ANA', to: 'U0BEN', from: '2026-11-01', until: '2026-11-30' }] };
  await limit('U0ANA', 1400);

  await limit('U0BEN', 2400);

  expect(limitNow()).toBe(2400);
});

it('a delegate of a delegate raises only for the person for whom they stand in', async () => {
  const { limit, limitNow, inForce, answer } = await world();
  const passedOn = { for: 'U0HUGO', to: 'U0KAI', from: '2026-11-01', until: '2026-11-30' };
  inForce.policy = { ...policy, delegations: [...policy.delegations, passedOn] };

  await limit('U0KAI', 500);
  expect(answer()).toContain('Only approvers may change limits');
  const approvers = { mentioned: [], permitted: ['U0ANA', 'U0BEN', 'U0HUGO'] };
  inForce.policy = { ...inForce.policy, standard: { ...policy.standard, approvers } };
  await limit('U0ANA', 1400);
  await limit('U0KAI', 2400);
  expect(limitNow(), 'Hugo is an approver now, and Kai stands in for him').toBe(2400);
  await limit('U0HUGO', 2500);
  expect(limitNow(), "Kai's raise counts for Hugo").toBe(2400);
});

it.each([
  ['U0ANA', 'U0HUGO'],
  ['U0HUGO', 'U0ANA'],
])(
  'the cap per person covers a person and their delegate together, across all cards: %s, then %s',
  async (first, second) => {
    const caps = { ...policy.standard.approval.caps, person: { dayCents: 50_000, monthCents: null } };
    const { limit, limitNow, deps } = await world({ policyFor: () => ({ ...policy.standard.approval, caps }) });
    const elsewhere = { actionId: 'act_else', acctId: acctId + 1, rule: 'limit:daily:', cents: 40_000, askedBy: first };
    const inPlaceOf = first === 'U0HUGO' ? ['U0ANA'] : [];
    await deps.recentRaises.add({ ...elsewhere, by: first, inPlaceOf, atMs: deps.now().getTime() });

    await limit(second, 600);

    expect(limitNow(), 'with $400 on another card it exceeds $500').toBe(400);
  },
);
