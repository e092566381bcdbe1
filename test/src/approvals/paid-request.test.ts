import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/actions/action-state.ts';
import type { Term } from '../../../src/card-api/rule-change.ts';
import type { VerbAction } from '../../../src/dispatch/verbs.ts';
import { outcomeLine } from '../../../templates/actions/outcomes.ts';
import { approvalRequest } from '../../../templates/approvals/approval-request.ts';
import { approvalClick, linkHugo, override, type Told } from '../../support/asked-for-more.ts';
import { unanswered } from '../../support/card-api-errors.ts';
import { crashAtStep, Killed } from '../../support/crash-at.ts';
import { limitGoal, limitRaise, remedyOf } from '../../support/limit-goals.ts';
import { memoryRedis } from '../../support/memory-redis.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  acctId,
  ask,
  createActionWorld,
  type PerformWorld,
  performAction,
  verbsOf,
  verifyAction,
  type WorldDeps,
} from '../../support/perform-world.ts';

const redis = useRedis();
const alertId = 'evt_0123456789abcdef';
const paidAt = '2026-11-20T15:02:00.000Z';
const person = (userId: string) => ({ userId, teamId: 'T1' });
const purchase: Term = { kind: 'purchase' };

interface Asked {
  readonly world: PerformWorld;
  readonly hugo: Told;
  readonly deps: WorldDeps;
}

/** Hugo asks from the alert of the declined $84.10. */
async function asked(
  over: { readonly term?: Term; readonly amountCents?: number } = {},
  store = redis(),
): Promise<Asked> {
  const world = await createActionWorld(store);
  const hugo = await linkHugo(world);
  const remedy = remedyOf(limitRaise('daily', 40_000, 48_410));
  const deps: WorldDeps = { ...hugo.deps, checkPurchase: async () => ({ state: 'stopped', remedy }) };
  const { term = purchase, amountCents = 8410 } = over;
  await performAction(ask('ask', { actor: person('U0HUGO'), roles: ['holder'], ask: { amountCents, term } }), deps);
  expect((await deps.requests.get('req_ask1'))?.state).toBe('open');
  return { world, hugo, deps };
}

/** The alert shows that its purchase was paid, or what became of that. */
async function pay({ deps }: Pick<Asked, 'deps'>, over: Partial<Outcome> = {}): Promise<void> {
  const paid: Outcome = { verb: 'paid', by: null, at: paidAt, state: 'done', text: '', ...over };
  await deps.alerts.setOutcome(alertId, 'paid-evt_1', paid);
}

const refresh = async ({ deps }: Asked) => await verbsOf(deps).refreshRequests(acctId);
const requestOf = async ({ deps }: Asked) => await deps.requests.get('req_ask1');
const textOf = async (one: Asked): Promise<string> => {
  const request = await requestOf(one);
  return request === null ? '' : approvalRequest(request).text;
};

describe('a request whose purchase was paid without it', () => {
  it('ends by itself, and its alert and its holder are told so once, but nobody is told that anything failed', async () => {
    const one = await asked();
    await pay(one);

    await refresh(one);
    await refresh(one);

    expect(await requestOf(one)).toMatchObject({ state: 'expired', paidAt });
    expect(await textOf(one)).toMatch(
      /^No longer needed: .*\|Its purchase was paid Nov 20, 2026, 10:02 AM ET>\. Nothing changed\./,
    );
    expect(one.hugo.told()).toEqual([
      expect.stringMatching(
        /^U0HUGO req_ask1-expired: Your request is no longer needed: \$84\.10 at .*The purchase was paid meanwhile\..*If it still has to be paid, ask again\.$/,
      ),
    ]);
    const outcomes = (await one.deps.alerts.get(alertId))?.outcomes ?? [];
    // Both have the time of the payment, so their order is not certain.
    expect(outcomes.map((outcome) => outcomeLine(outcome)).toSorted()).toEqual([
      expect.stringMatching(/^\*Paid\* at /),
      expect.stringMatching(/^\*Request no longer needed\* \(asked by the holder <@U0HUGO>\) at /),
    ]);
    expect((await one.world.records()).filter(({ event }) => event === 'ended')).toMatchObject([
      { actor: null, detail: 'req_ask1 ended: its purchase was paid' },
    ]);
  });

  it.each<[string, VerbAction, string]>([
    ['approved', approvalClick('act_ben', 'U0BEN'), 'The purchase was paid meanwhile. Nothing is left to approve.'],
    ['overridden', override, 'The purchase was paid meanwhile. Nothing is left to approve.'],
  ])('cannot be %s, although nothing has refreshed it yet', async (_how, click, why) => {
    const one = await asked();
    one.world.advance(16 * 60_000);
    await pay(one);

    await performAction(click, one.deps);

    expect(one.world.writes).toEqual([]);
    expect(one.world.answers.at(-1)?.text).toContain(why);
    await refresh(one);
    expect((await requestOf(one))?.state).toBe('expired');
  });

  it('is not reminded of, but ended when approvers would be reminded', async () => {
    const posted: string[] = [];
    const one = await asked();
    one.world.advance(16 * 60_000);
    await pay(one);
    const postToApprovals = async (id: string) => void posted.push(id);

    expect(await verbsOf({ ...one.deps, postToApprovals }).ageRequest('req_ask1')).toBeNull();

    expect(posted).toEqual([]);
    expect((await requestOf(one))?.state).toBe('expired');
  });

  it('stays open while an approval of it may be in effect, which then decides it', async () => {
    const one = await asked();
    one.world.advance(16 * 60_000);
    const { card } = one.deps;
    const flaky: WorldDeps['card'] = {
      ...card,
      async putSpendRules(...args) {
        await card.putSpendRules(...args);
        throw unanswered();
      },
      async getSpendRules(...args) {
        if (one.world.writes.length > 0) throw unanswered();
        return await card.getSpendRules(...args);
      },
    };
    await performAction(approvalClick('act_ben', 'U0BEN'), { ...one.deps, isLastAttempt: true, card: flaky });
    await pay(one);

    await refresh(one);
    expect((await requestOf(one))?.state).toBe('open');
    one.world.advance(2000);
    await verifyAction('act_ben', one.deps);

    expect(await requestOf(one)).toMatchObject({ state: 'approved', decision: { by: 'U0BEN' } });
  });

  it('is not approved if it is paid while the approval reads the card', async () => {
    const one = await asked();
    one.world.advance(16 * 60_000);
    let reads = 0;
    const getSpendRules: WorldDeps['card']['getSpendRules'] = async (...args) => {
      reads += 1;
      if (reads === 2) await pay(one);
      return await one.deps.card.getSpendRules(...args);
    };

    await performAction(approvalClick('act_ben', 'U0BEN'), { ...one.deps, card: { ...one.deps.card, getSpendRules } });

    expect(reads).toBeGreaterThan(1);
    expect(one.world.writes).toEqual([]);
    expect(one.world.answers.at(-1)?.text).toContain('The purchase was paid meanwhile.');
  });

  it('is told to an approver who needed others for it', async () => {
    const world = await createActionWorld(redis());
    const changeRequest = { goals: [limitGoal('daily', 195_000)], term: purchase };
    await performAction(ask('limit', { id: 'act_ask1', changeRequest }), world.deps);
    await pay(world);

    await verbsOf(world.deps).refreshRequests(acctId);

    expect(world.direct.map(({ text }) => text)).toEqual([
      'Your request is no longer needed: daily limit $1,950.00 · Jane Doe · card of account 7378. The purchase was paid meanwhile. Nothing changed. If it still has to be paid, ask again.',
    ]);
  });
});

describe('a request stays open', () => {
  it('if something was paid before its holder asked', async () => {
    const one = await asked();
    await pay(one, { at: '2026-11-20T14:59:00.000Z' });

    await refresh(one);

    expect((await requestOf(one))?.state).toBe('open');
  });

  it('if the payment went back before anybody looked at it', async () => {
    const one = await asked();
    await pay(one);
    await pay(one, { state: 'failed' });
    await refresh(one);
    expect((await requestOf(one))?.state).toBe('open');
    one.world.advance(16 * 60_000);

    await performAction(approvalClick('act_ben', 'U0BEN'), one.deps);

    expect(one.world.writes).toEqual(['limit 484.1']);
  });

  it.each<[string, Parameters<typeof asked>[0], Partial<Outcome>]>([
    ['only a part was paid', {}, { isPart: true, text: '$50.00 of $84.10' }],
    ['its holder asks for more than what was declined', { amountCents: 20_000 }, {}],
  ])('if %s', async (_what, over, paid) => {
    const one = await asked(over);
    await pay(one, paid);

    await refresh(one);

    expect((await requestOf(one))?.state).toBe('open');
  });

  it('if it is for longer than the purchase, and shows approvers that this was paid', async () => {
    const one = await asked({ term: { kind: 'duration', ms: 4 * 3_600_000 } });
    await pay(one);

    await refresh(one);
    expect((await requestOf(one))?.state).toBe('open');
    expect(await textOf(one)).toMatch(/\|This purchase was paid Nov 20, 2026, 10:02 AM ET>\./);
    await pay(one, { state: 'failed' });
    await refresh(one);

    expect(await textOf(one)).not.toContain('was paid');
  });
});

const fourHours: Term = { kind: 'duration', ms: 4 * 3_600_000 };
it.each([
  { from: purchase, to: fourHours, state: 'open' },
  { from: fourHours, to: purchase, state: 'expired' },
])('what an approver changed $from.kind to decides: $to.kind', async ({ from, to, state }) => {
  const one = await asked({ term: from });
  const request = await requestOf(one);
  if (request === null) throw new Error('no request');
  await one.deps.requests.save({ ...request, term: to });
  await pay(one);

  await refresh(one);

  expect((await requestOf(one))?.state).toBe(state);
});

it('is over for everybody, whenever the worker that ends it is killed', async () => {
  const begin = async (killAt: number) => {
    const one = await asked(
      {},
      memoryRedis(() => new Date()),
    );
    await pay(one);
    const states: (string | undefined)[] = [];
    const updateRequest = async () => void states.push((await requestOf(one))?.state);
    return { one, states, ...crashAtStep({ ...one.deps, updateRequest }, killAt) };
  };
  const survey = await begin(Number.POSITIVE_INFINITY);
  await verbsOf(survey.deps).ageRequest('req_ask1');

  for (const killAt of survey.life.distinct()) {
    const { one, states, deps, life } = await begin(killAt);
    const at = String(life.diedAt());
    await expect(verbsOf(deps).ageRequest('req_ask1')).rejects.toThrow(Killed);
    const updateRequest = async () => void states.push((await requestOf(one))?.state);
    expect(await verbsOf({ ...one.deps, updateRequest }).ageRequest('req_ask1'), at).toBeNull();
    expect(states.at(-1), at).toBe('expired');
    const outcomes = (await one.deps.alerts.get(alertId))?.outcomes ?? [];
    expect(
      outcomes.filter(({ state }) => state === 'waiting'),
      at,
    ).toEqual([]);
    expect(
      (await one.world.stations()).filter((event) => event === 'ended'),
      at,
    ).toEqual(['ended']);
  }
  expect(survey.life.points()).toBeGreaterThan(5);
});
