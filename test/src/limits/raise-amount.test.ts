import { describe, expect, it } from 'vitest';
import type { RuleChange, Term } from '../../../src/card-api/rule-change.ts';
import { createRaiseAmounts } from '../../../src/limits/raise-amount.ts';
import { createRecentRaises } from '../../../src/limits/recent-raise-store.ts';
import { createTemporaryChanges, type TemporaryChange } from '../../../src/limits/temporary-change-store.ts';
import { type ApprovalPolicy, approvalPolicyOf, countedCents } from '../../../src/policy/approval-policy.ts';
import { RAISES_ADDED_MS } from '../../../src/policy/decide-action.ts';
import { limitChange } from '../../support/limit-goals.ts';
import { useRedis } from '../../support/on-redis.ts';
import { acctId, ask, byCommand } from '../../support/perform-world.ts';
import { storeSigner } from '../../support/store-signer.ts';
import { temporaryChangeOf } from '../../support/temporary-changes.ts';
import { declined } from '../../templates/fixtures.ts';

const redis = useRedis();
const { event: purchase } = declined('decline.rule.velocity', 'Over a limit');
const permanent: Term = { kind: 'permanent' };
/** A raise of rules that have no temporary value. */
const lasting = (changes: readonly RuleChange[], term: Term = permanent) => ({
  changes: changes.map((change) => ({ change, fromBase: change })),
  term,
});
const abroad: RuleChange = { rule: { kind: 'international' }, from: false, to: true };

function setUp(
  policy: Partial<ApprovalPolicy> = {},
  purchaseCents = 8410,
  actsFor: Readonly<Record<string, readonly string[]>> = {},
) {
  let nowMs = Date.parse('2026-11-20T15:00:00.000Z');
  const raises = createRaiseAmounts({
    progress: { read: async () => null },
    recentRaises: createRecentRaises(redis()),
    rights: {
      actsFor: async (userId) => actsFor[userId] ?? [userId],
      policyOfCard: async () => ({ ...approvalPolicyOf({ twoPersonAboveCents: 100_000 }), ...policy }),
    },
    temporaryChanges: createTemporaryChanges(redis(), storeSigner),
    purchaseOf: async ({ target }) => (target.kind === 'alert' ? { ...purchase, amountCents: purchaseCents } : null),
    zone: 'America/New_York',
    now: () => new Date(nowMs),
  });
  const remember = async (id: string, changes: readonly RuleChange[], by = 'U0ANA', askedBy = by, card = acctId) =>
    await raises.remember(ask('limit', { id }), card, lasting(changes), { by, askedBy });
  const count = async (changes: readonly RuleChange[], people = ['U0ANA'], term: Term = permanent, over = {}) =>
    await raises.count(ask('limit', { id: 'act_now', ...over }), acctId, lasting(changes, term), people);
  const advance = (ms: number): void => {
    nowMs += ms;
  };
  return { raises, remember, count, advance };
}

describe('a raise of a limit', () => {
  it("counts with the person's raises of the same limit within 24 hours, each listed with amount and time", async () => {
    const { advance, remember, count } = setUp();
    await remember('act_1', [limitChange('daily', 10_000, 80_000)]);
    advance(2 * 3_600_000);
    await remember('act_2', [limitChange('daily', 80_000, 95_000)]);
    await remember('act_3', [limitChange('weekly', 80_000, 95_000)]);

    const counted = await count([limitChange('daily', 95_000, 135_000)]);

    expect(counted).toEqual({
      rule: { kind: 'limit', period: 'daily', category: null },
      ownCents: 40_000,
      earlier: [
        { by: 'U0ANA', at: '2026-11-20T15:00:00.000Z', cents: 70_000 },
        { by: 'U0ANA', at: '2026-11-20T17:00:00.000Z', cents: 15_000 },
      ],
      aboveCents: 100_000,
      cap: null,
    });
    expect(countedCents(counted)).toBe(125_000);
  });

  it.each([
    [100_000, 100_000],
    [150_000, 100_000],
    [600_000, 500_000],
  ])('of %i cents names the amount above which it needs as many approvers: %i', async (cents, aboveCents) => {
    const bands = [
      { upToCents: 100_000, approvals: 1 },
      { upToCents: 500_000, approvals: 2 },
      { upToCents: null, approvals: 3 },
    ];
    const { count } = setUp({ bands });

    expect(await count([limitChange('daily', 10_000, 10_000 + cents)])).toMatchObject({ ownCents: cents, aboveCents });
  });

  it('counts alone once 24 hours have passed', async () => {
    const { advance, remember, count } = setUp();
    await remember('act_1', [limitChange('daily', 10_000, 80_000)]);
    advance(RAISES_ADDED_MS + 1);

    expect(await count([limitChange('daily', 80_000, 120_000)])).toMatchObject({ ownCents: 40_000, earlier: [] });
  });

  it.each([
    ['23 hours and 59 minutes', 23 * 60 + 59, 110_000],
    ['24 hours and 1 minute', 24 * 60 + 1, 40_000],
  ])('an earlier one counts for 24 hours: %s later', async (_what, minutes, cents) => {
    const { advance, remember, count } = setUp();
    await remember('act_1', [limitChange('daily', 10_000, 80_000)]);
    advance(minutes * 60_000);

    expect(countedCents(await count([limitChange('daily', 80_000, 120_000)]))).toBe(cents);
  });

  it.each<[string, string[], number]>([
    ['between other people does not count', ['U0BEN'], 0],
    ['counts for the holder who asked for it', ['U0HUGO'], 1],
    ['counts for the approver who allowed it', ['U0HUGO2', 'U0ANA'], 1],
  ])('an earlier one %s', async (_what, people, earlier) => {
    const { remember, count } = setUp();
    await remember('act_1', [limitChange('daily', 10_000, 80_000)], 'U0ANA', 'U0HUGO');

    expect((await count([limitChange('daily', 80_000, 120_000)], people)).earlier).toHaveLength(earlier);
  });

  it('does not count against itself when its job runs again', async () => {
    const { remember, count } = setUp();
    await remember('act_now', [limitChange('daily', 10_000, 80_000)]);

    expect(await count([limitChange('daily', 10_000, 80_000)])).toMatchObject({ ownCents: 70_000, earlier: [] });
  });

  it('of several limits counts as the one with the highest sum, including earlier raises', async () => {
    const { remember, count } = setUp();
    await remember('act_1', [limitChange('weekly', 10_000, 80_000)]);

    const counted = await count([limitChange('daily', 10_000, 60_000), limitChange('weekly', 80_000, 90_000)]);

    expect(counted).toMatchObject({ rule: { period: 'weekly' }, ownCents: 10_000, earlier: [{ cents: 70_000 }] });
  });

  it('has no amount if it removes the limit', async () => {
    const { count } = setUp();

    const counted = await count([limitChange('daily', 10_000, null), limitChange('weekly', 10_000, null)]);

    expect(counted.ownCents).toBeNull();
    expect(countedCents(counted)).toBe(Number.POSITIVE_INFINITY);
  });

  it('counts from the value the limit would go back to, if it keeps a temporary value', async () => {
    const { raises } = setUp();
    const [change, fromBase] = [limitChange('daily', 90_000, 90_000), limitChange('daily', 40_000, 90_000)];
    const raise = { changes: [{ change, fromBase }], term: permanent };

    expect(await raises.count(ask('limit'), acctId, raise, ['U0ANA'])).toMatchObject({ ownCents: 50_000 });
  });
});

describe('the base of the raise amount', () => {
  const anHour: Term = { kind: 'duration', ms: 3_600_000 };
  const twoHours: Term = { kind: 'duration', ms: 2 * 3_600_000 };
  const daily = limitChange('daily', 80_000, 90_000);

  async function fromBase(term: Term, ...open: Partial<TemporaryChange>[]) {
    const { raises } = setUp();
    const temporaryChanges = createTemporaryChanges(redis(), storeSigner);
    for (const [index, over] of open.entries()) {
      const endsAt = '2026-11-20T16:30:00.000Z';
      await temporaryChanges.save(temporaryChangeOf({ id: `act_${index}`, acctId, endsAt, ...over }));
    }
    return (await raises.changesFromBase([daily], term, acctId))[0]?.from;
  }
  const raised = (from: number) => ({ changes: [limitChange('daily', from, 80_000)] });

  it.each<[string, Partial<TemporaryChange>[], object[]]>([
    ['nothing', [], []],
    ['one change', [raised(40_000)], [{ now: 80_000, back: 40_000, until: '2026-11-20T16:30:00.000Z' }]],
    ['a reduction', [raised(500_000)], [{ now: 80_000, back: 500_000, until: '2026-11-20T16:30:00.000Z' }]],
    [
      'one on top of another, which ends last',
      [
        { changes: [limitChange('daily', 30_000, 40_000)], endsAt: '2026-11-20T18:00:00.000Z' },
        { ...raised(40_000), openedAt: '2026-11-20T15:30:00.000Z' },
      ],
      [{ now: 80_000, back: 30_000, until: '2026-11-20T18:00:00.000Z' }],
    ],
    [
      'one whose end is to be decided',
      [{ ...raised(40_000), state: 'asking' }],
      [{ now: 80_000, back: 40_000, until: null }],
    ],
    ['a change of another value', [{ changes: [limitChange('daily', 40_000, 70_000)] }], []],
    ['a change of another limit', [{ changes: [limitChange('weekly', 40_000, 80_000)] }], []],
    ['two that go back to the same', [{ changes: [limitChange('daily', 80_000, 80_000)] }], []],
  ])('what is temporary about the current limit, with %s', async (_what, open, expected) => {
    await fromBase(permanent, ...open);

    expect(await setUp().raises.temporaryValues([daily], acctId)).toEqual(
      expected.map((value) => ({ rule: daily.rule, ...value })),
    );
  });

  it.each<[string, readonly Partial<TemporaryChange>[], Term]>([
    ['for good if nobody has raised it for a time', [], permanent],
    [
      'until the raise ends that it is on top of',
      [{ ...raised(40_000), endsAt: '2026-11-20T18:00:00.000Z' }],
      { kind: 'until', at: '2026-11-20T18:00:00.000Z' },
    ],
    ['for good if an approver has to decide about that', [{ ...raised(40_000), state: 'asking' }], permanent],
    ['for good if that raised another card', [{ ...raised(40_000), acctId: acctId + 1 }], permanent],
  ])('lasts, once a reduction of it is taken back, %s', async (_what, open, term) => {
    await fromBase(permanent, ...open);
    const reduction = temporaryChangeOf({ id: 'act_reduction', changes: [limitChange('daily', 80_000, 60_000)] });

    expect(await setUp().raises.returnTerm([limitChange('daily', 60_000, 80_000)], reduction)).toEqual(term);
  });

  it('is the current limit if nothing is temporary', async () => {
    expect(await fromBase(permanent)).toBe(80_000);
  });

  it('is the value the limit goes back to if the change outlasts that', async () => {
    expect(await fromBase(permanent, raised(40_000))).toBe(40_000);
    expect(await fromBase(twoHours, raised(40_000))).toBe(40_000);
  });

  it('is the current limit if the change ends no later than the temporary one', async () => {
    expect(await fromBase(anHour, raised(40_000))).toBe(80_000);
    expect(await fromBase(anHour, { ...raised(40_000), endsAt: '2026-11-20T16:00:00.000Z' })).toBe(80_000);
  });

  it('is the current limit if that was temporarily lowered: raising it is no smaller step', async () => {
    expect(await fromBase(permanent, raised(500_000))).toBe(80_000);
  });

  it('is the value the first of several temporary changes goes back to', async () => {
    const first = { changes: [limitChange('daily', 30_000, 40_000)], openedAt: '2026-11-20T14:00:00.000Z' };
    const second = { ...raised(40_000), openedAt: '2026-11-20T14:30:00.000Z' };

    expect(await fromBase(permanent, second, first)).toBe(30_000);
    expect(await fromBase(permanent, first, second)).toBe(30_000);
  });

  it('is what a temporary raise that waits for a decision would go back to', async () => {
    expect(await fromBase(permanent, { ...raised(40_000), state: 'asking' })).toBe(40_000);
  });

  it('is the current limit if someone changed it after the temporary change', async () => {
    const lowered = { changes: [limitChange('daily', 600_000, 599_900)] };

    expect(await fromBase(permanent, lowered)).toBe(80_000);
    expect(await fromBase(permanent, { changes: [limitChange('daily', 40_000, 90_000)] })).toBe(80_000);
  });

  it.each<[string, Partial<TemporaryChange>]>([
    ['another card', { ...raised(40_000), acctId: acctId + 1 }],
    ['another limit', { changes: [limitChange('weekly', 40_000, 80_000)] }],
  ])('ignores a temporary change of %s', async (_what, over) => {
    expect(await fromBase(permanent, over)).toBe(80_000);
  });
});

it('lowering a limit counts as zero and is not stored', async () => {
  const { remember, count } = setUp();
  await remember('act_1', [limitChange('daily', 80_000, 10_000)]);

  expect(await count([limitChange('daily', 10_000, 5_000)])).toMatchObject({ ownCents: 0, earlier: [] });
});

it('closing a rule counts as zero, even together with a raised limit', async () => {
  const { count } = setUp();
  const closed: RuleChange = { ...abroad, from: true, to: false };

  expect((await count([closed])).ownCents).toBe(0);
  expect((await count([closed, limitChange('daily', 10_000, 15_000)])).ownCents).toBe(5_000);
});

it('reports the first of two limits that rise equally', async () => {
  const { count } = setUp();

  const counted = await count([limitChange('daily', 10_000, 60_000), limitChange('weekly', 10_000, 60_000)]);

  expect(counted).toMatchObject({ rule: { period: 'daily' }, ownCents: 50_000 });
});

it('a raise of a single cent is stored', async () => {
  const { remember, count } = setUp();
  await remember('act_1', [limitChange('daily', 100, 101)]);

  expect((await count([limitChange('daily', 101, 102)])).earlier).toMatchObject([{ cents: 1 }]);
});

it('a raise without an amount counts as any amount, but in no cap', async () => {
  const cap = { dayCents: 10_000, monthCents: 10_000 };
  const { remember, count } = setUp({ caps: { person: cap, card: cap, program: cap } });
  await remember('act_1', [limitChange('daily', 80_000, null)]);

  const counted = await count([limitChange('daily', 10_000, 15_000)]);

  expect(counted).toMatchObject({ ownCents: 5_000, earlier: [{ cents: null }], cap: null });
  expect(countedCents(counted)).toBe(Number.POSITIVE_INFINITY);
});

describe('a cap', () => {
  const none = { dayCents: null, monthCents: null };
  const caps = (own: Partial<ApprovalPolicy['caps']>): Partial<ApprovalPolicy> => ({
    caps: { person: none, card: none, program: none, ...own },
  });
  const cap = { dayCents: 150_000, monthCents: 400_000 };
  const other = acctId + 1;

  it('per person adds up their raises on any card over 24 hours and over 30 days', async () => {
    const { advance, remember, count } = setUp(caps({ person: cap }));
    await remember('act_1', [limitChange('daily', 0, 90_000)], 'U0ANA', 'U0ANA', other);
    const more = [limitChange('daily', 10_000, 80_000)];

    expect((await count([limitChange('daily', 10_000, 70_000)])).cap, 'at the cap').toBeNull();
    expect((await count(more)).cap).toEqual({ scope: 'person', days: 1, earlierCents: 90_000, capCents: 150_000 });
    expect((await count(more, ['U0BEN'])).cap, 'another person').toBeNull();
    for (let day = 0; day < 4; day += 1) {
      advance(RAISES_ADDED_MS + 1);
      await remember(`act_day${day}`, [limitChange('weekly', 0, 85_000)], 'U0ANA', 'U0ANA', other);
    }
    advance(RAISES_ADDED_MS + 1);
    expect((await count(more)).cap).toMatchObject({ scope: 'person', days: 30, earlierCents: 430_000 });
  });

  const hour = 3_600_000;
  const day = 86_400_000;
  it.each<[string, number, Partial<typeof cap>, object | null]>([
    ['24 hours: 23 hours and 59 minutes later', 24 * hour - 60_000, { dayCents: 100_000 }, { days: 1 }],
    ['24 hours: 24 hours and 1 minute later', 24 * hour + 60_000, { dayCents: 100_000 }, null],
    ['30 days: 29 days later', 29 * day, { monthCents: 100_000 }, { days: 30 }],
    ['30 days: 31 days later', 31 * day, { monthCents: 100_000 }, null],
  ])('adds up what was loosened within %s', async (_what, laterMs, own, expected) => {
    const { advance, remember, count } = setUp(caps({ person: { ...none, ...own } }));
    await remember('act_1', [limitChange('daily', 0, 90_000)]);
    advance(laterMs);

    const { cap: exceeded } = await count([limitChange('weekly', 0, 20_000)]);

    if (expected === null) expect(exceeded).toBeNull();
    else expect(exceeded).toMatchObject({ scope: 'person', earlierCents: 90_000, ...expected });
  });

  it("per card adds up everyone's raises, made alone or together", async () => {
    const { remember, count, raises } = setUp(caps({ card: cap }));
    await remember('act_1', [limitChange('daily', 0, 60_000)], 'U0BEN');
    const two = lasting([limitChange('weekly', 0, 50_000)]);
    await raises.remember(ask('limit', { id: 'act_2' }), acctId, two, { by: null, askedBy: 'U0HUGO' });

    const counted = await count([limitChange('monthly', 0, 41_000)]);

    expect(counted.cap).toEqual({ scope: 'card', days: 1, earlierCents: 110_000, capCents: 150_000 });
  });

  it('for the program adds up all cards', async () => {
    const { remember, count } = setUp(caps({ program: cap }));
    await remember('act_1', [limitChange('daily', 0, 90_000)], 'U0BEN', 'U0BEN', other);
    await remember('act_2', [limitChange('daily', 0, 50_000)], 'U0ZOE', 'U0ZOE', other + 1);

    expect((await count([limitChange('daily', 0, 10_001)])).cap).toMatchObject({
      scope: 'program',
      earlierCents: 140_000,
    });
  });

  it('includes making a temporary raise permanent, although that raises the limit no further', async () => {
    const { raises, count } = setUp(caps({ person: cap }));
    const [change, fromBase] = [limitChange('daily', 90_000, 90_000), limitChange('daily', 0, 90_000)];
    const raise = { changes: [{ change, fromBase }], term: permanent };
    await raises.remember(ask('limit', { id: 'act_1' }), acctId, raise, { by: 'U0ANA', askedBy: 'U0ANA' });

    const counted = await count([limitChange('daily', 90_000, 160_000)]);

    const earlier = [{ by: 'U0ANA', cents: 90_000 }];
    expect(counted).toMatchObject({ ownCents: 70_000, earlier, cap: { scope: 'person', earlierCents: 90_000 } });
    expect(
      await count([limitChange('daily', 90_000, 160_000)], ['U0ANA'], { kind: 'day', day: '2026-11-20' }),
    ).toMatchObject({
      ownCents: 70_000,
      earlier,
    });
  });

  it('includes the amount of a purchase for which a rule was opened', async () => {
    const { raises, count } = setUp(caps({ card: { ...cap, dayCents: 8410 } }));
    const opened = lasting([abroad], { kind: 'purchase' });
    await raises.remember(ask('allow', { id: 'act_1' }), acctId, opened, { by: 'U0ANA', askedBy: 'U0ANA' });

    expect((await count([limitChange('daily', 0, 1)])).cap).toMatchObject({ scope: 'card', earlierCents: 8410 });
  });

  it('does not include a change that was certainly not made', async () => {
    const { remember, count, raises } = setUp(caps({ card: { ...cap, dayCents: 60_000 } }));
    await remember('act_1', [limitChange('daily', 0, 60_000)]);
    await raises.forget({ id: 'act_1' });

    expect(await count([limitChange('daily', 0, 60_000)])).toMatchObject({ earlier: [], cap: null });
  });
});

describe('how long a card will have been loosened', () => {
  const hour = 3_600_000;
  const forHours = (hours: number): Term => ({ kind: 'duration', ms: hours * hour });
  const most = 'The policy allows this for 4 hours at most.';

  it.each<[string, Term, string | undefined, number, string | null, RegExp | null]>([
    ['its own time', forHours(4), undefined, 4 * hour, null, null],
    ['its own time, which is too long', forHours(5), undefined, 5 * hour, most, /at most\.$/],
    ['also the time since then', forHours(3), '2026-11-20T14:00:00.000Z', 4 * hour, null, null],
    [
      'also the time since then, and people read since when',
      forHours(4),
      '2026-11-20T14:00:00.000Z',
      5 * hour,
      most,
      /at most\. The card has been loosened since 2026-11-20T14:00:00\.000Z, and that counts\.$/,
    ],
  ])('a raise keeps a card loosened for %s', async (_what, term, since, lastsMs, tooLong, inFull) => {
    const { raises } = setUp({ durations: { longestMs: 4 * hour, mayStay: false } });
    const earlier = { changes: [limitChange('daily', 30_000, 40_000)], openedAt: since ?? '' };
    if (since !== undefined)
      await createTemporaryChanges(redis(), storeSigner).save(temporaryChangeOf({ acctId, ...earlier }));

    const loosened = await raises.loosenedFor(lasting([limitChange('daily', 40_000, 50_000)], term), acctId);

    expect(loosened).toMatchObject({ lastsMs, tooLong });
    if (inFull === null) expect(loosened.tooLongInFull).toBeNull();
    else expect(loosened.tooLongInFull).toMatch(inFull);
  });
});

describe('opening a rule', () => {
  const purchase: Term = { kind: 'purchase' };

  it('for a purchase that only checked the card, for $0.00, has no amount, and is kept as such', async () => {
    const { raises, count } = setUp({}, 0);
    const opened = lasting([abroad], purchase);
    await raises.remember(ask('allow', { id: 'act_1' }), acctId, opened, { by: 'U0ANA', askedBy: 'U0ANA' });

    expect(await count([abroad], ['U0ANA'], purchase)).toMatchObject({ ownCents: null, earlier: [{ cents: null }] });
  });

  it.each<[string, Term, object, number | null]>([
    ['for one purchase only counts as that purchase', purchase, {}, 8410],
    [
      'for one purchase that may cost more than was declined counts as that',
      purchase,
      { changeRequest: { goals: [{ rule: abroad.rule, to: true }], term: purchase, payCents: 500_000 } },
      500_000,
    ],
    [
      'for a day has no amount, since any number of purchases fit into it',
      { kind: 'duration', ms: RAISES_ADDED_MS },
      {},
      null,
    ],
    ['for a minute has no amount', { kind: 'duration', ms: 60_000 }, {}, null],
    ['until midnight has no amount', { kind: 'day', day: '2026-11-20' }, {}, null],
    ['permanently has no amount', permanent, {}, null],
    ['for no purchase has no amount', purchase, byCommand, null],
  ])('%s', async (_what, term, over, ownCents) => {
    const { count } = setUp();

    expect((await count([abroad], ['U0ANA'], term, over)).ownCents).toBe(ownCents);
  });
});

describe('what approvers raised together', () => {
  const together = { by: null, askedBy: 'U0ANA', approvedBy: ['U0ANA', 'U0BEN'] };
  const first = [limitChange('daily', 10_000, 120_000)];
  const later = [limitChange('daily', 120_000, 219_900)];

  it.each<[string, string, string | null]>([
    ['the one who asked', 'U0ANA', 'U0ANA'],
    ['the other one', 'U0BEN', 'U0BEN'],
    ['whom the other one acted for', 'U0CEM', 'U0ANA'],
    ['nobody else', 'U0OLGA', null],
  ])('counts with what they raise next: %s', async (_who, next, shownBy) => {
    const { raises, count } = setUp({}, undefined, { U0BEN: ['U0CEM', 'U0BEN'] });
    await raises.remember(ask('limit'), acctId, lasting(first), together);

    const counted = await count(later, [next]);

    expect(counted.earlier).toMatchObject(shownBy === null ? [] : [{ by: shownBy, cents: 110_000 }]);
  });

  it.each([['U0HUGO'], ['U0ANA'], ['U0BEN']])('counts also if a holder asked for it: for %s', async (whom) => {
    const { raises, count } = setUp();
    await raises.remember(ask('limit'), acctId, lasting(first), { ...together, askedBy: 'U0HUGO' });

    const counted = await count(later, [whom]);

    expect(counted.earlier).toMatchObject([{ by: whom, cents: 110_000 }]);
  });

  it('has no amount if it removed a limit, so whatever they raise next needs others', async () => {
    const { raises, count } = setUp();
    const removed = [limitChange('daily', 10_000, null)];
    await raises.remember(ask('limit'), acctId, lasting(removed, { kind: 'purchase' }), together);

    const counted = await count([limitChange('daily', 10_000, 10_100)]);

    expect(counted).toMatchObject({ ownCents: 100, earlier: [{ by: 'U0ANA', cents: null }] });
    expect(countedCents(counted)).toBe(Number.POSITIVE_INFINITY);
  });

  it('is in the sums of the card and the program once, and in that of no person', async () => {
    const cap = (dayCents: number) => ({ dayCents, monthCents: null });
    const none = cap(Number.MAX_SAFE_INTEGER);
    const { raises, count } = setUp({ caps: { person: cap(100_000), card: none, program: none } });
    await raises.remember(ask('limit'), acctId, lasting(first), together);
    expect((await count(later)).cap).toBeNull();

    const ofCard = setUp({ caps: { person: none, card: cap(209_900), program: none } });
    expect((await ofCard.count(later)).cap).toBeNull();
    expect((await setUp({ caps: { person: none, card: cap(209_899), program: none } }).count(later)).cap).toMatchObject(
      {
        scope: 'card',
        earlierCents: 110_000,
      },
    );
  });

  it('no longer counts if it was certainly not made', async () => {
    const { raises, count } = setUp();
    await raises.remember(ask('limit'), acctId, lasting(first), together);

    await raises.forget(ask('limit'));

    expect((await count(later)).earlier).toEqual([]);
  });
});
