import { describe, expect, it } from 'vitest';
import { REQUEST_OVERDUE_MS } from '../../../src/policy/decide-action.ts';
import { approvalRequest } from '../../../templates/approvals/approval-request.ts';
import { approvalClick, askedToPay, denial, linkHugo, override, toPay } from '../../support/asked-for-more.ts';
import { refusal } from '../../support/card-api-errors.ts';
import { approve, dailyOf, dailyWorld, inPortal, limit, person, told } from '../../support/daily-limit.ts';
import { limitGoal } from '../../support/limit-goals.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  acctId,
  ask,
  byCommand,
  endTemporaryChange,
  type PerformWorld,
  performAction,
  type WorldDeps,
} from '../../support/perform-world.ts';
import { link } from '../../support/refused.ts';
import { transactionAlert } from '../../templates/fixtures.ts';
import { shown } from '../../templates/shown.ts';

const redis = useRedis();
const forDays = (days: number) => ({ kind: 'duration', ms: days * 24 * 3_600_000 }) as const;
const world = (): Promise<PerformWorld> => dailyWorld(redis());

describe('one approver alone and a lowered limit', () => {
  it('cannot restore a limit that was lowered temporarily and lowered further in the portal', async () => {
    const given = await world();
    inPortal(given, 6000);
    await performAction(limit('act_lower', 5999, {}, forDays(300)), given.deps);
    inPortal(given, 100);

    await performAction(limit('act_back', 6000), given.deps);

    expect(dailyOf(given)).toBe(100);
    expect(told(given)).toMatch(/second approver|another approver/);
    expect(await given.deps.requests.open()).toMatchObject([{ needed: 2, changes: [{ from: 10_000, to: 600_000 }] }]);
  });

  it('cannot restore it by reverting the temporary change either', async () => {
    const given = await world();
    inPortal(given, 6000);
    await performAction(limit('act_lower', 5999, {}, forDays(300)), given.deps);
    inPortal(given, 100);
    const target = { kind: 'temporary-change', temporaryChangeId: 'act_lower' } as const;

    await performAction(ask('revert', { target, actor: person('U0ANA') }), given.deps);
    expect((await given.deps.temporaryChanges.get('act_lower'))?.state).toBe('asking');
    await performAction(
      ask('complete-temporary-change', { target, restore: true, actor: person('U0ANA') }),
      given.deps,
    );

    expect(dailyOf(given)).toBe(100);
    expect(told(given)).toContain('One approver alone may not raise this: daily limit $100.00 → $6,000.00');
  });

  it('cannot raise a temporarily lowered limit of their own card by typing the old limit', async () => {
    const given = await world();
    await link(given, 'U0ANA');
    await performAction(limit('act_lower', 100, { actor: person('U0BEN') }, forDays(7)), given.deps);

    await performAction(limit('act_back', 400), given.deps);

    expect(dailyOf(given)).toBe(100);
    expect(told(given)).toContain('It is your own card, so it needs another approver.');
  });

  it('hears how many others a large raise of their own card needs, and why', async () => {
    const given = await world();
    await link(given, 'U0ANA');

    await performAction(limit('act_much', 2000), given.deps);

    expect(told(given)).toMatch(/Waiting for approval: change the limit of /);
    expect(told(given)).toContain(
      'A raise of more than $1,000.00 within 24 hours needs a second approver. It is your own card, so it needs 2 other approvers.',
    );
  });
});

describe('a request whose numbers changed', () => {
  it('is not approved by a click on the old numbers, but shows the new ones and requires the approvals they need', async () => {
    const given = await world();
    inPortal(given, 5000);
    const { deps } = await askedToPay(given, 6800);
    inPortal(given, 100);

    await performAction(approvalClick('act_ben', 'U0BEN'), deps);
    expect(dailyOf(given)).toBe(100);
    expect(told(given)).toMatch(/Somebody changed it since it was asked for\. Now: daily limit \$100\.00\./);
    expect(await deps.requests.get('req_ask1')).toMatchObject({
      state: 'open',
      approvals: [],
      needed: 2,
      changes: [{ from: 10_000, to: 506_800 }],
    });
    await performAction(approvalClick('act_ben2', 'U0BEN', 1), deps);
    expect(dailyOf(given), 'after one approval of the new numbers').toBe(100);
    await performAction(approvalClick('act_zoe', 'U0ZOE', 1), deps);
    expect(dailyOf(given), 'after two').toBe(5068);
  });

  it('loses earlier approvals, including that of the approver who asked, who may approve again', async () => {
    const given = await world();
    await performAction(limit('act_much', 2000), given.deps);
    const requestId = 'req_much';
    inPortal(given, 300);

    await performAction(approve(requestId, 'act_ben', 'U0BEN'), given.deps);
    expect(await given.deps.requests.get(requestId)).toMatchObject({
      approvals: [],
      voided: [{ by: 'U0ANA' }],
      needed: 2,
    });
    await performAction(approve(requestId, 'act_ana', 'U0ANA', 1), given.deps);
    expect(dailyOf(given)).toBe(300);
    await performAction(approve(requestId, 'act_ben2', 'U0BEN', 1), given.deps);
    expect(dailyOf(given)).toBe(2000);
  });

  it('never lowers a limit: the smaller of two raises does nothing after the larger one', async () => {
    const given = await world();
    await performAction(limit('act_small', 1800), given.deps);
    await performAction(limit('act_large', 2500, { actor: person('U0ZOE') }), given.deps);
    await performAction(approve('req_large', 'act_ben', 'U0BEN'), given.deps);
    expect(dailyOf(given)).toBe(2500);

    for (const id of ['act_1', 'act_2']) {
      await performAction(approve('req_small', id, 'U0BEN'), given.deps);
      expect(dailyOf(given)).toBe(2500);
      expect(told(given)).toContain('Already enough: daily limit $2,500.00.');
    }
  });

  it('is not set below the current limit, whatever the approver types', async () => {
    const given = await world();
    await performAction(limit('act_much', 2000), given.deps);
    const changeRequest = { goals: [limitGoal('daily', 10_000)], term: { kind: 'permanent' } } as const;

    await performAction(Object.assign(approve('req_much', 'act_ben', 'U0BEN'), { changeRequest }), given.deps);

    expect(dailyOf(given)).toBe(400);
    expect(told(given)).toContain('approving never lowers a limit');
  });

  it('is overridden at most by what one approver may allow above the current limit, and mentions a block', async () => {
    const given = await world();
    inPortal(given, 4000);
    const { deps } = await askedToPay(given, 500_000);
    given.advance(REQUEST_OVERDUE_MS);
    inPortal(given, 100);
    given.service.status = 'BLOCKED';
    const posted: string[] = [];
    const postToApprovals: WorldDeps['postToApprovals'] = async (_id, { text }) => void posted.push(text);

    await performAction(override, deps);
    expect(dailyOf(given)).toBe(100);
    expect(told(given)).toContain('Somebody changed it since it was asked for');
    const target = { kind: 'request', requestId: 'req_ask1', revision: 1 } as const;
    await performAction(Object.assign({ ...override }, { id: 'act_glass2', target }), { ...deps, postToApprovals });

    expect(dailyOf(given)).toBe(1100);
    expect(posted.at(-1)).toContain('The card is blocked: nothing is paid until an approver unblocks it.');
  });

  it('requires a new approval if the card was blocked since', async () => {
    const given = await world();
    const { deps } = await askedToPay(given, 50_000);
    given.service.status = 'BLOCKED';

    await performAction(approvalClick('act_ben', 'U0BEN'), deps);
    expect(dailyOf(given)).toBe(400);
    expect(told(given)).toContain('The card was blocked since it was asked for.');
    await performAction(approvalClick('act_ben2', 'U0BEN', 1), deps);
    expect(dailyOf(given)).toBe(900);
  });

  it('requires a new approval if the card was replaced since by one that is blocked', async () => {
    const given = await world();
    const { deps } = await askedToPay(given, 50_000);
    const [request] = await deps.requests.open();
    if (request?.state !== 'open') throw new Error('nothing was asked');
    const { cardId } = (await deps.card.getAccount(acctId)).cards[0] ?? { cardId: null };
    await deps.requests.save({ ...request, card: { ...request.card, cardId } });
    const getAccount: WorldDeps['card']['getAccount'] = async (...asked) => {
      const account = await deps.card.getAccount(...asked);
      const [card] = account.cards;
      if (card === undefined) throw new Error('the account has no card');
      const replacement = { ...card, cardId: card.cardId + 1, status: 'BLOCKED' as const };
      return { ...account, cards: [{ ...card, status: 'CLOSED' }, replacement] };
    };

    await performAction(approvalClick('act_ben', 'U0BEN'), { ...deps, card: { ...deps.card, getAccount } });

    expect(dailyOf(given)).toBe(400);
    expect(told(given)).toContain('The card was blocked since it was asked for.');
  });
});

describe('an approval of numbers the person has not seen', () => {
  it('does not count, however late the click, because the message with the new numbers may not have arrived', async () => {
    const given = await world();
    inPortal(given, 5000);
    await performAction(limit('act_raise', 8000), given.deps);
    inPortal(given, 100);
    await performAction(approve('req_raise', 'act_first', 'U0CAL'), given.deps);
    given.advance(60_000);
    const askedAt = given.deps.now().toISOString();

    await performAction({ ...approve('req_raise', 'act_old', 'U0BEN'), askedAt }, given.deps);
    expect(told(given)).toContain(
      'It was changed since you saw it. It is now: daily limit $100.00 → $8,000.00, permanently.',
    );
    expect((await given.deps.requests.get('req_raise'))?.approvals).toEqual([]);

    await performAction({ ...approve('req_raise', 'act_new', 'U0BEN', 1), askedAt }, given.deps);
    expect((await given.deps.requests.get('req_raise'))?.approvals).toMatchObject([{ by: 'U0BEN' }]);
    expect(dailyOf(given)).toBe(100);
  });

  it('does not count after another approver changed them, even as an override; a denial still counts', async () => {
    const given = await world();
    const { deps } = await askedToPay(given, 150_000);
    const more = { goals: [limitGoal('daily', 900_000)], term: { kind: 'permanent' } } as const;
    await performAction(Object.assign(approvalClick('act_ben', 'U0BEN'), { changeRequest: more }), deps);
    given.advance(REQUEST_OVERDUE_MS);

    await performAction(approvalClick('act_zoe', 'U0ZOE'), deps);
    expect(told(given)).toContain('daily limit $400.00 → $9,000.00');
    await performAction(override, deps);
    expect(told(given)).toContain('It was changed since you saw it');
    expect(dailyOf(given)).toBe(400);
    expect((await deps.requests.get('req_ask1'))?.approvals).toMatchObject([{ by: 'U0BEN' }]);

    await performAction(denial('act_deny', 'U0ZOE'), deps);
    expect((await deps.requests.get('req_ask1'))?.state).toBe('denied');
  });

  it('does not count for a permanent raise if the limit is there already, but only for the moment', async () => {
    const given = await world();
    await performAction(limit('act_hour', 2000, {}, forDays(1 / 24)), given.deps);
    const permanently = { goals: [limitGoal('daily', 200_000)], term: { kind: 'permanent' } } as const;
    await performAction(
      Object.assign(approve('req_hour', 'act_ben', 'U0BEN'), { changeRequest: permanently }),
      given.deps,
    );
    await performAction(limit('act_moment', 2000, { actor: person('U0DAN') }, forDays(1 / 12)), given.deps);
    await performAction(approve('req_moment', 'act_eve', 'U0EVE'), given.deps);
    expect(dailyOf(given)).toBe(2000);

    await performAction(approve('req_hour', 'act_cem', 'U0CEM'), given.deps);
    expect(told(given)).toContain('It was changed since you saw it. It is now: daily limit $2,000.00, permanently.');
    const [moment] = await given.deps.temporaryChanges.all();
    await endTemporaryChange(moment?.id ?? '', given.deps);
    expect(dailyOf(given)).toBe(400);

    await performAction(approve('req_hour', 'act_cem2', 'U0CEM', 1), given.deps);
    expect(dailyOf(given)).toBe(2000);
  });

  it('does not count for a larger raise if the limit is there only for the moment, above a base that was lowered', async () => {
    const given = await world();
    const { deps } = await askedToPay(given, 100_000);
    inPortal(given, 100);
    await performAction(limit('act_moment', 1400, { actor: person('U0DAN') }, forDays(1 / 48)), deps);
    await performAction(approve('req_moment', 'act_eve', 'U0EVE'), deps);
    expect(dailyOf(given)).toBe(1400);

    await performAction(approvalClick('act_ben', 'U0BEN'), deps);

    expect(told(given)).toContain('Somebody changed it since it was asked for.');
    expect(await deps.requests.get('req_ask1')).toMatchObject({
      state: 'open',
      needed: 2,
      changes: [{ from: 10_000, to: 140_000 }],
    });
  });

  it('does not close the request either if the limit is there already: the next click does', async () => {
    const given = await world();
    await performAction(limit('act_much', 2000), given.deps);
    const more = { goals: [limitGoal('daily', 300_000)], term: { kind: 'permanent' } } as const;
    await performAction(Object.assign(approve('req_much', 'act_ben', 'U0BEN'), { changeRequest: more }), given.deps);
    inPortal(given, 3000);

    await performAction(approve('req_much', 'act_old', 'U0CEM'), given.deps);
    const request = await given.deps.requests.get('req_much');
    expect(request).toMatchObject({ state: 'open' });

    await performAction(approve('req_much', 'act_new', 'U0CEM', request?.revision), given.deps);
    await performAction(approve('req_much', 'act_zoe', 'U0ZOE', request?.revision), given.deps);
    expect(await given.deps.requests.get('req_much')).toMatchObject({ state: 'approved' });
    expect(given.writes).toEqual([]);
  });
});

describe('a request while a limit is higher for the moment', () => {
  /** The daily limit is $900 for four hours, then $400 again. Ana asks for $2,000, permanently. */
  async function asked() {
    const given = await world();
    await performAction(limit('act_moment', 900, { actor: person('U0BEN') }, forDays(1 / 6)), given.deps);
    await performAction(limit('act_much', 2000), given.deps);
    return given;
  }
  const shownNow = async ({ deps }: PerformWorld): Promise<string> => {
    const request = await deps.requests.get('req_much');
    return request === null ? '' : shown(approvalRequest(request).blocks);
  };

  it('shows the limit of the card and that it goes back, and counts from what it goes back to', async () => {
    const given = await asked();

    expect(await given.deps.requests.get('req_much')).toMatchObject({
      changes: [{ from: 40_000, to: 200_000 }],
      temporary: [{ now: 90_000, back: 40_000, until: '2026-11-20T19:00:00.000Z' }],
    });
    expect(await shownNow(given)).toMatch(
      /daily limit: \$900\.00 → \$2,000\.00\*\n.*\nTemporary now: daily limit \$900\.00, back to \$400\.00<!date\^\d+\^, .*\. The raise is counted from \$400\.00: \+\$1,600\.00\./,
    );
  });

  it('is approved for good: the end of the temporary change no longer applies', async () => {
    const given = await asked();

    await performAction(approve('req_much', 'act_ben', 'U0BEN'), given.deps);
    await endTemporaryChange('act_moment', given.deps);

    expect(dailyOf(given)).toBe(2000);
    expect((await given.deps.temporaryChanges.get('act_moment'))?.state).toBe('superseded');
  });
});

it('a request to keep a temporary limit counts from what it would go back to, and shows the limit of the card', async () => {
  const given = await world();
  given.service.rules = { IsActive: true, DailySpendLimit: 400, WeeklySpendLimit: 3000 };
  const goals = [limitGoal('daily', 250_000), limitGoal('weekly', 310_000)];
  const changeRequest = { goals, term: forDays(1) };
  await performAction(
    ask('limit', { ...byCommand, id: 'act_both', actor: person('U0ANA'), changeRequest }),
    given.deps,
  );
  await performAction(approve('req_both', 'act_ben', 'U0BEN'), given.deps);
  given.service.rules = { ...given.service.rules, WeeklySpendLimit: 3500 };
  const [moment] = await given.deps.temporaryChanges.all();
  // Otherwise the daily limit, which nobody changed, would go back at once. It is tried five times.
  const putSpendRules = async (): Promise<never> => {
    throw refusal();
  };
  const deps = { ...given.deps, card: { ...given.deps.card, putSpendRules } };
  for (let attempt = 1; attempt <= 5; attempt += 1) await endTemporaryChange(moment?.id ?? '', deps);

  const target = { kind: 'temporary-change', temporaryChangeId: moment?.id ?? '' } as const;
  await performAction(
    ask('complete-temporary-change', { id: 'act_keep', target, restore: false, actor: person('U0ZOE') }),
    given.deps,
  );

  const request = await given.deps.requests.get('req_keep');
  expect(request).toMatchObject({
    needed: 2,
    changes: [{ from: 40_000, to: 250_000 }],
    temporary: [{ now: 250_000, back: 40_000, until: null }],
  });
  expect(request === null ? '' : shown(approvalRequest(request).blocks)).toMatch(
    /keep the daily limit: \$2,500\.00\*.*Temporary now: daily limit \$2,500\.00, an approver decides whether it goes back to \$400\.00\./s,
  );
});

it('a request that would outlast a temporary change by now says so, and nobody is said to have changed anything', async () => {
  const given = await world();
  await performAction(limit('act_moment', 900, { actor: person('U0BEN') }, forDays(1 / 6)), given.deps);
  await performAction(limit('act_much', 2000, {}, forDays(1 / 12)), given.deps);
  given.advance(3 * 3_600_000);

  const click = { ...approve('req_much', 'act_zoe', 'U0ZOE'), askedAt: given.deps.now().toISOString() };
  await performAction(click, given.deps);

  expect(told(given)).toContain('It now outlasts a temporary change, so it is counted from $400.00.');
  expect(dailyOf(given)).toBe(900);
});

describe('a request for less than a limit is for the moment', () => {
  /** Ana asks for $1,800 permanently. Then two others raise the limit to $2,500 for a day. */
  async function raisedMeanwhile() {
    const given = await world();
    await performAction(limit('act_less', 1800), given.deps);
    await performAction(limit('act_moment', 2500, { actor: person('U0ZOE') }, forDays(1)), given.deps);
    await performAction(approve('req_moment', 'act_zoe', 'U0BEN'), given.deps);
    expect(dailyOf(given)).toBe(2500);
    return given;
  }

  it('is not called enough: it says that the limit goes back, and can be approved then', async () => {
    const given = await raisedMeanwhile();
    const [moment] = await given.deps.temporaryChanges.all();
    if (moment === undefined) throw new Error('nothing is temporary');

    await performAction(approve('req_less', 'act_early', 'U0BEN'), given.deps);

    expect(told(given)).toMatch(
      /Approving never lowers a limit, and it is higher for the moment: daily limit \$2,500\.00 <!date\^\d+\^until .*\|until Nov 21, 2026, 10:00 AM ET>, then \$400\.00 again\./,
    );
    expect(told(given)).toContain('Approve it after that, or have the temporary change taken back first.');
    expect(dailyOf(given)).toBe(2500);
    const request = await given.deps.requests.get('req_less');
    expect(request === null ? '' : shown(approvalRequest(request).blocks)).toContain(
      'Temporary now: daily limit $2,500.00',
    );

    await endTemporaryChange(moment.id, given.deps);
    expect(dailyOf(given)).toBe(400);
    await performAction(approve('req_less', 'act_then', 'U0BEN'), given.deps);
    expect(dailyOf(given)).toBe(1800);
  });

  it('is enough if the request would end before the limit goes back', async () => {
    const given = await world();
    await performAction(limit('act_less', 1800, {}, forDays(1 / 24)), given.deps);
    await performAction(limit('act_moment', 2500, { actor: person('U0ZOE') }, forDays(1)), given.deps);
    await performAction(approve('req_moment', 'act_zoe', 'U0BEN'), given.deps);

    await performAction(approve('req_less', 'act_early', 'U0BEN'), given.deps);

    expect(told(given)).toContain('Already enough: daily limit $2,500.00.');
  });

  it('can be changed to at least the limit for the moment, which then stays', async () => {
    const given = await raisedMeanwhile();
    const [moment] = await given.deps.temporaryChanges.all();
    const changeRequest = { goals: [limitGoal('daily', 250_000)], term: { kind: 'permanent' } } as const;

    await performAction(Object.assign(approve('req_less', 'act_ben', 'U0BEN'), { changeRequest }), given.deps);
    const revision = (await given.deps.requests.get('req_less'))?.revision ?? 0;
    await performAction(approve('req_less', 'act_cal', 'U0CAL', revision), given.deps);

    expect(dailyOf(given)).toBe(2500);
    expect((await given.deps.temporaryChanges.get(moment?.id ?? ''))?.state).toBe('superseded');
    expect(await given.deps.requests.get('req_less')).toMatchObject({ state: 'approved' });
  });

  it('leaves out no limit of several that would go back: none of them is changed', async () => {
    const given = await world();
    given.service.rules = { IsActive: true, DailySpendLimit: 400, WeeklySpendLimit: 3000 };
    const goals = [limitGoal('daily', 180_000), limitGoal('weekly', 500_000)];
    const both = ask('limit', {
      ...byCommand,
      id: 'act_both',
      actor: person('U0ANA'),
      changeRequest: { goals, term: { kind: 'permanent' } },
    });
    await performAction(both, given.deps);
    await performAction(limit('act_moment', 2500, { actor: person('U0ZOE') }, forDays(1)), given.deps);
    await performAction(approve('req_moment', 'act_zoe', 'U0BEN'), given.deps);

    await performAction(approve('req_both', 'act_early', 'U0BEN'), given.deps);

    expect(told(given)).toContain('it is higher for the moment: daily limit $2,500.00');
    expect(given.service.rules).toMatchObject({ DailySpendLimit: 2500, WeeklySpendLimit: 3000 });
  });

  it('is not made by an emergency override either', async () => {
    const given = await world();
    const { deps } = await askedToPay(given, 50_000);
    await performAction(limit('act_moment', 1300, {}, forDays(1 / 48)), deps);
    given.advance(REQUEST_OVERDUE_MS);

    await performAction(override, deps);

    expect(dailyOf(given)).toBe(1300);
    expect(told(given)).toContain('The card already allows what the override would.');
  });
});

it('a request to open a rule for this purchase needs a second approver if the rule is open for the moment', async () => {
  const given = await world();
  given.service.rules = { ...given.service.rules, InternationalSpendEnabled: false };
  const { deps: linked } = await linkHugo(given);
  const stops = { state: 'stopped', remedy: { kind: 'allow_international' } } as const;
  const deps: WorldDeps = { ...linked, checkPurchase: async () => stops };
  const term = { kind: 'purchase' } as const;
  const alert = transactionAlert({ amountCents: 8000, decline: { code: 'decline.rule.international', message: 'no' } });
  await deps.alerts.save(alert);
  const target = { kind: 'alert', alertId: alert.event.id } as const;
  await performAction(ask('ask', { ...toPay(8000), target, ask: { amountCents: 8000, term } }), deps);
  expect(await deps.requests.get('req_ask1')).toMatchObject({ needed: 1 });
  const opens = { goals: [{ rule: { kind: 'international' }, to: true }], term } as const;
  await performAction(ask('allow', { target, id: 'act_ana', actor: person('U0ANA'), changeRequest: opens }), deps);

  await performAction(approve('req_ask1', 'act_ben', 'U0BEN'), deps);

  expect(await deps.requests.get('req_ask1')).toMatchObject({
    state: 'open',
    needed: 2,
    approvals: [{ by: 'U0BEN' }],
  });
  await performAction(approve('req_ask1', 'act_zoe', 'U0ZOE'), deps);
  expect((await deps.requests.get('req_ask1'))?.state).toBe('approved');
});
