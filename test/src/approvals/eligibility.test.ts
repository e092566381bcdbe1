import { describe, expect, it } from 'vitest';
import { createEligibility } from '../../../src/approvals/eligibility.ts';
import type { ApprovalClick } from '../../../src/approvals/request.ts';
import type { VerbAction } from '../../../src/dispatch/verbs.ts';
import { REQUEST_OVERDUE_MS, type Role } from '../../../src/policy/decide-action.ts';
import { approvalClick, askedToPay, override } from '../../support/asked-for-more.ts';
import { authorizationOf } from '../../support/authorization.ts';
import { approve, dailyOf, dailyWorld, inPortal, limit, person, told } from '../../support/daily-limit.ts';
import { clickOfBen } from '../../support/decisions.ts';
import { askedAt, openRequestOf } from '../../support/limit-requests.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  acctId,
  ask,
  byCommand,
  type PerformWorld,
  performAction,
  virtualOrder,
  type WorldDeps,
} from '../../support/perform-world.ts';
import { link } from '../../support/refused.ts';

const redis = useRedis();
const someone = { name: null, email: null, isBot: false, isGuest: false, isExternal: false };
/** An order of a virtual card with this much on it. */
const orderOf = (dollars: number) => ({
  ...virtualOrder,
  sealed: JSON.stringify({ ...JSON.parse(virtualOrder.sealed), fundCents: dollars * 100 }),
});
const sixCards = [11, 12, 13, 14, 15, 16];
const world = (over?: Partial<WorldDeps>): Promise<PerformWorld> => dailyWorld(redis(), over);

/** Of a request that is no order. Whoever asked is not looked at. */
const eligibilityOf = (holder: string | null) =>
  createEligibility({
    rights: { ...authorizationOf({ holder }), isOwnCard: async (who: string) => who === holder },
    orderPermit: { isOwn: async () => expect.fail('it is no order') },
    links: { isHeldBy: async () => expect.fail('whoever asked is not looked at') },
    person: async () => expect.fail('whoever asked is not looked at'),
    now: () => new Date(askedAt),
  });

it.each<[string, string, string | null, boolean]>([
  ['someone else', 'U0BEN', null, true],
  ['the person who asked', 'U0HUGO', null, false],
  ['a holder of the card', 'U0BEN', 'U0BEN', false],
])('an approval of %s: counts %4$s', async (_who, userId, holder, counts) => {
  const { whyNotAllowed } = eligibilityOf(holder);

  expect((await whyNotAllowed(clickOfBen({ actor: person(userId) }), openRequestOf())) === null).toBe(counts);
});

it.each<[string, ApprovalClick, string]>([
  ['approve it', clickOfBen({ actor: person('U0HUGO') }), 'Ask another approver.'],
  ['override it', { ...override, actor: person('U0HUGO') }, 'Ask another operator or an approver.'],
])('whoever asked may not %s, and reads who may', async (_what, click, whoCan) => {
  expect(await eligibilityOf(null).whyNotAllowed(click, openRequestOf())).toMatchObject({
    whoCan,
    isNotPermitted: true,
  });
});

it('an approval that many cards are blocked counts however long it waited', async () => {
  const action = ask('block-all', { actor: person('U0HUGO'), acctIds: sixCards, names: sixCards.map(String) });
  const click = clickOfBen({ askedAt: '2026-11-20T14:30:00.000Z' });

  expect(await eligibilityOf(null).whyNotAllowed(click, openRequestOf({ action, changes: [] }))).toBeNull();
});

describe('an earlier approver', () => {
  it('no longer counts after losing the role, so another approval is needed', async () => {
    const roles = new Map<string, Role[]>([['U0BEN', ['approver']]]);
    const rolesOf: WorldDeps['rolesOf'] = async (userId) => ({
      roles: roles.get(userId) ?? ['approver', 'operator', 'holder'],
      isComplete: true,
    });
    const given = await world({ rolesOf });
    const { deps } = await askedToPay(given, 150_000);
    await performAction(approvalClick('act_ben', 'U0BEN'), deps);
    roles.set('U0BEN', []);

    await performAction(approvalClick('act_zoe', 'U0ZOE'), deps);
    expect(dailyOf(given)).toBe(400);
    expect(await deps.requests.get('req_ask1')).toMatchObject({
      approvals: [{ by: 'U0ZOE' }],
      voided: [{ by: 'U0BEN', why: 'rights', standsInFor: null }],
    });
    await performAction(approvalClick('act_ana', 'U0ANA'), deps);
    expect(dailyOf(given)).toBe(1900);
  });

  it.each([
    ['an order', ask('order-virtual', { id: 'act_much', target: orderOf(2000), actor: person('U0ANA') }), 'order'],
    [
      'a block of many cards',
      ask('block-all', { id: 'act_much', actor: person('U0ANA'), acctIds: sixCards, names: sixCards.map(String) }),
      'status BLOCKED',
    ],
  ])('no longer counts for %s either, so it takes two others', async (_what, action, write) => {
    const roles = new Map<string, Role[]>();
    const rolesOf: WorldDeps['rolesOf'] = async (userId) => ({
      roles: roles.get(userId) ?? ['approver', 'operator'],
      isComplete: true,
    });
    const given = await world({ rolesOf });
    await performAction(action, given.deps);
    expect(await given.deps.requests.get('req_much')).toMatchObject({ needed: 2, approvals: [{ by: 'U0ANA' }] });
    roles.set('U0ANA', []);

    await performAction(approve('req_much', 'act_ben', 'U0BEN'), given.deps);

    expect(given.writes).toEqual([]);
    expect(await given.deps.requests.get('req_much')).toMatchObject({
      state: 'open',
      approvals: [{ by: 'U0BEN' }],
      voided: [{ by: 'U0ANA' }],
    });
    await performAction(approve('req_much', 'act_zoe', 'U0ZOE'), given.deps);
    expect(given.writes).toEqual([write]);
  });
});

it('an approval that waited longer than ten minutes sends the person back to the request, not to somebody else', async () => {
  const given = await world();
  const { deps } = await askedToPay(given, 50_000);
  const click = { ...approvalClick('act_ben', 'U0BEN'), askedAt: deps.now().toISOString() };
  given.advance(11 * 60_000);

  await performAction(click, deps);
  expect(dailyOf(given)).toBe(400);
  expect(told(given)).toContain(
    'Your click waited longer than 10 minutes, so it does not count. Look at the request, and click again if you still agree.',
  );
  expect(told(given)).not.toContain('Ask another');

  await performAction({ ...click, id: 'act_ben2', askedAt: deps.now().toISOString() }, deps);
  expect(dailyOf(given)).toBe(900);
});

it('refuses an emergency override by the requester, even if their own approval is void', async () => {
  const given = await world();
  await performAction(limit('act_much', 2000), given.deps);
  inPortal(given, 300);
  await performAction(approve('req_much', 'act_ben', 'U0BEN'), given.deps);
  given.advance(REQUEST_OVERDUE_MS + 1000);
  const target = { kind: 'request', requestId: 'req_much', revision: 1 } as const;
  const at = { id: 'act_glass', actor: person('U0ANA'), askedAt: given.deps.now().toISOString() };

  await performAction(ask('emergency-override', { ...at, target, reason: 'urgent' }), given.deps);

  expect(dailyOf(given)).toBe(300);
  expect(told(given)).toContain('You can’t use the emergency override for your own request.');
});

describe('a holder who asked and no longer holds the card, or has left', () => {
  it.each<[string, 'U0ZOE' | null]>([
    ['because somebody else holds it now', 'U0ZOE'],
    ['because nobody holds it any more', null],
  ])('gets nothing from an approval or an emergency override, %s', async (_why, holder) => {
    const given = await world();
    const hugo = await askedToPay(given, 50_000);
    if (holder === null) await given.deps.links.unlink(acctId);
    else await given.deps.links.link({ acctId, userId: holder, provedBy: 'approver', by: 'U0BEN', at: '2026-11-20' });

    await performAction(approvalClick('act_yes', 'U0BEN'), hugo.deps);
    given.advance(REQUEST_OVERDUE_MS);
    await performAction(override, hugo.deps);

    expect(given.writes).toEqual([]);
    expect(told(given)).toContain('Whoever asked for it no longer holds the card.');
    expect(await given.deps.requests.get('req_ask1'), 'can still be denied').toMatchObject({ state: 'open' });
  });

  it('gets nothing either if their Slack account was deactivated, though the card is still linked to them', async () => {
    const gone = new Set<string>();
    const given = await world({ person: async (userId) => ({ ...someone, isDeactivated: gone.has(userId) }) });
    const hugo = await askedToPay(given, 50_000);
    gone.add('U0HUGO');

    await performAction(approvalClick('act_yes', 'U0BEN'), hugo.deps);
    given.advance(REQUEST_OVERDUE_MS);
    await performAction(override, hugo.deps);

    expect(given.writes).toEqual([]);
    expect(told(given)).toContain(
      'The Slack account of whoever asked for it is deactivated. Deny the request. Somebody else can ask for it once the card is linked to them: `/card link`.',
    );
    expect(await given.deps.requests.get('req_ask1'), 'can still be denied').toMatchObject({ state: 'open' });
  });
});

describe('an approver who asked for themselves and whose Slack account was deactivated since', () => {
  const small = ask('order-virtual', { ...byCommand, id: 'act_much', target: orderOf(25), actor: person('U0ANA') });
  it.each<[string, VerbAction, string]>([
    [
      'a raise of their own card',
      limit('act_much', 900),
      'Deny the request. Somebody else can ask for it once the card is linked to them: `/card link`.',
    ],
    ['a virtual card for themselves', small, 'Deny the request.'],
  ])('gets nothing from an approval or an emergency override: %s', async (_what, asked, whoCan) => {
    const email = 'holder@example.com';
    const gone = new Set<string>();
    const given = await world({
      person: async (userId) => ({
        ...someone,
        email: userId === 'U0ANA' ? email : null,
        isDeactivated: gone.has(userId),
      }),
    });
    await link(given, 'U0ANA');
    await performAction(asked, given.deps);
    expect(told(given)).toMatch(/(?:is your own card|has your name or email address), so it needs another approver\./);
    gone.add('U0ANA');

    await performAction(approve('req_much', 'act_yes', 'U0BEN'), given.deps);
    expect(told(given)).toContain(`The Slack account of whoever asked for it is deactivated. ${whoCan}`);
    given.advance(REQUEST_OVERDUE_MS);
    const target = { kind: 'request', requestId: 'req_much' } as const;
    const askedAt = given.deps.now().toISOString();
    await performAction(ask('emergency-override', { ...override, target, askedAt }), given.deps);

    expect(given.writes).toEqual([]);
    expect(await given.deps.requests.get('req_much'), 'can still be denied').toMatchObject({ state: 'open' });
  });

  it('may have asked for the card of somebody else, if two others want it', async () => {
    const gone = new Set<string>();
    const given = await world({ person: async (userId) => ({ ...someone, isDeactivated: gone.has(userId) }) });
    await performAction(limit('act_much', 2000), given.deps);
    gone.add('U0ANA');

    await performAction(approve('req_much', 'act_ben', 'U0BEN'), given.deps);
    expect(given.writes).toEqual([]);
    await performAction(approve('req_much', 'act_zoe', 'U0ZOE'), given.deps);

    expect(dailyOf(given)).toBe(2000);
  });
});
