import { describe, expect, it } from 'vitest';
import { isLooser, type RuleGoal, reversed, type Term } from '../../../src/card-api/rule-change.ts';
import { CardApiError, RolesUnreadError } from '../../../src/core/errors.ts';
import {
  createAnswerBack,
  createDecideTemporaryChange,
  createPermitDecisionOrAsk,
} from '../../../src/limits/decide-temporary-change.ts';
import type { OverChange } from '../../../src/limits/notify-end.ts';
import type { TemporaryChange } from '../../../src/limits/temporary-change-store.ts';
import { lastsMs } from '../../../src/limits/term.ts';
import type { TemporaryChangeAction } from '../../../src/limits/verbs.ts';
import { approvalPolicyOf } from '../../../src/policy/approval-policy.ts';
import { temporaryChangeEnded } from '../../../templates/limits/temporary-change.ts';
import { authorizationOf } from '../../support/authorization.ts';
import { refusal, unanswered } from '../../support/card-api-errors.ts';
import { held, withoutLock } from '../../support/held.ts';
import { limitChange, limitGoal } from '../../support/limit-goals.ts';
import { memoryRedis } from '../../support/memory-redis.ts';
import {
  acctId,
  ask,
  byCommand,
  createActionWorld,
  endTemporaryChange,
  type Over,
  performAction,
  verbsOf,
  verifyAction,
} from '../../support/perform-world.ts';
import { temporaryChangeOf } from '../../support/temporary-changes.ts';
import { card } from '../../templates/fixtures.ts';

const target = { kind: 'temporary-change', temporaryChangeId: 'act_1' } as const;
const takeBack = (over: Over = {}): TemporaryChangeAction => ask('revert', { target, ...over });
const resolve = (restore: boolean): TemporaryChangeAction => ask('complete-temporary-change', { target, restore });

describe('a click on a temporary change', () => {
  interface Given {
    readonly hasBegun?: boolean;
    readonly why?: string;
    readonly after?: OverChange['state'] | null;
    readonly isSending?: boolean;
    readonly fails?: Error;
    /** Rules that another change took over. */
    readonly later?: TemporaryChange['later'];
    /** The accounts whose raise by the click no longer counts. */
    readonly forgotten?: string[];
  }
  type Found = TemporaryChange | null;
  const over = (why: string): string => `refused: ${why} Nothing is left to be done.`;
  async function decide(action: TemporaryChangeAction, found: Found | (() => Found), given: Given = {}) {
    const steps: string[] = [];
    const progress: Parameters<typeof createAnswerBack>[0]['progress'] = {
      async read() {
        if (given.isSending === true) return { state: 'sending', before: null, after: null };
        return given.hasBegun === true ? { state: 'asked' } : null;
      },
    };
    await createDecideTemporaryChange({
      temporaryChanges: { get: async () => (typeof found === 'function' ? found() : found) },
      withLock: withoutLock,
      progress,
      answerBack: createAnswerBack({
        responses: {
          refuse: async (_action, { why, whoCan }) =>
            void steps.push(`refused: ${why} ${typeof whoCan === 'string' ? whoCan : whoCan.text}`),
          askAgain: async () => void steps.push('asked again'),
          answer: async (_action, { text }) => void steps.push(`answered: ${text}`),
        },
        progress,
        factsOf: async () => card,
        raises: { forget: async ({ id }) => void given.forgotten?.push(id) },
      }),
      permitDecisionOrAsk: async () =>
        given.why === undefined ? null : { why: given.why, whoCan: 'Ask an approver.' },
      confirmIfMade: async (given) => given,
      restore: async (change, by) => {
        if (given.fails !== undefined) throw given.fails;
        if (given.after === null) return { kind: 'unclear' };
        return by?.isKept === true
          ? { kind: 'over', after: { ...change, state: 'kept', closedBy: by.actor.userId } }
          : { kind: 'over', after: { ...change, state: given.after ?? 'ended', later: given.later } };
      },
      notifyEnd: {
        conclude: async ({ state, closedBy }) => void steps.push([state, closedBy].filter(Boolean).join(' by ')),
        show: async ({ state }) => void steps.push(`shown ${state}`),
      },
    })(action);
    return steps;
  }

  it.each<[string, TemporaryChangeAction, TemporaryChange | null, Given, string[]]>([
    ['reverts it', takeBack(), temporaryChangeOf(), {}, ['ended']],
    [
      'is refused while nobody knows whether the change was made',
      takeBack(),
      temporaryChangeOf(),
      { after: null },
      [
        'refused: Whether the card service made the change itself is not clear yet. Wait two minutes, then look at the card.',
      ],
    ],
    [
      'restores a rule that someone changed in the meantime',
      resolve(true),
      temporaryChangeOf({ state: 'asking' }),
      {},
      ['ended'],
    ],
    [
      'keeps a rule that someone changed in the meantime',
      resolve(false),
      temporaryChangeOf({ state: 'asking' }),
      {},
      ['kept by U0OLGA'],
    ],
    [
      'leaves the decision to the approvers if someone changed the rule in the meantime',
      takeBack(),
      temporaryChangeOf(),
      { after: 'asking' },
      [
        'asking',
        'refused: Somebody changed the daily limit or the card’s ruleset meanwhile, or the card service stored another value. I left it. The question is in the approvals channel.',
      ],
    ],
    [
      'is refused if the policy refuses it',
      takeBack(),
      temporaryChangeOf(),
      { why: 'No.' },
      ['refused: No. Ask an approver.'],
    ],
    ['is refused if it is too old', takeBack(), null, {}, ['refused: This change is too old. Look at the card.']],
    [
      'is refused if someone else already did it',
      takeBack(),
      temporaryChangeOf({ state: 'ended', closedBy: 'U0BEN' }),
      { hasBegun: true },
      [over('It was put back already.')],
    ],
    [
      'is refused if the same person already did it with another click',
      takeBack(),
      temporaryChangeOf({ state: 'ended', closedBy: 'U0OLGA' }),
      {},
      [over('It was put back already.')],
    ],
    [
      'is not taken for done if the same person did it with another click while it waited for its retry',
      takeBack(),
      temporaryChangeOf({ state: 'ended', closedBy: 'U0OLGA', closingActionId: 'act_other' }),
      { hasBegun: true },
      [over('It was put back already.')],
    ],
    [
      'shows its own end again after a crash',
      takeBack(),
      temporaryChangeOf({ state: 'ended', closedBy: 'U0OLGA', closingActionId: takeBack().id }),
      { hasBegun: true },
      ['shown ended'],
    ],
  ])('%s', async (_what, action, found, given, expected) => {
    expect(await decide(action, found, given)).toEqual(expected);
  });

  const later = [limitGoal('daily', 40_000)];
  it.each<[string, Given, boolean]>([
    ['the policy refuses it', { why: 'No.' }, true],
    ['nobody knows whether the change was made', { after: null }, true],
    ['somebody changed the rule meanwhile', { after: 'asking' }, true],
    ['the card has the earlier value already', {}, true],
    ['the card has lost what it was about', { after: 'kept' }, true],
    ['the card service refuses it', { fails: refusal('Too low.') }, true],
    ['the card could not be read', { fails: unanswered({ operation: 'read' }) }, true],
    ['nobody knows any more who may do it', { fails: new RolesUnreadError() }, true],
    ['it may have been sent', { after: null, isSending: true }, false],
    ['its answer was lost', { fails: unanswered(), isSending: true }, false],
    ['it is done', { isSending: true }, false],
    ['another change does it later', { later }, false],
  ])('counts as no raise if it does nothing: %s', async (_why, given, isForgotten) => {
    const forgotten: string[] = [];
    const click = takeBack();

    const decided = decide(click, temporaryChangeOf(), { ...given, forgotten });
    await (given.fails === undefined ? decided : expect(decided).rejects.toBe(given.fails));

    expect(forgotten.length > 0).toBe(isForgotten);
    expect(forgotten.every((id) => id === click.id)).toBe(true);
  });

  it.each<[string, TemporaryChangeAction, Given, boolean]>([
    ['counts what it keeps', resolve(false), {}, false],
    ['counts nothing of what an earlier click handed over', resolve(true), { later }, true],
  ])('%s', async (_what, action, given, isForgotten) => {
    const forgotten: string[] = [];

    await decide(action, temporaryChangeOf({ state: 'asking', later }), { ...given, forgotten });

    expect(forgotten.length > 0).toBe(isForgotten);
  });

  it('does nothing if the change was dropped while the click was queued', async () => {
    const found = [temporaryChangeOf(), null];

    expect(await decide(takeBack(), () => found.shift() ?? null)).toEqual([]);
  });

  it.each<[TemporaryChange['state'], TemporaryChangeAction, string]>([
    ['open', resolve(true), 'It is still in force. It ends by itself.'],
    [
      'asking',
      takeBack(),
      'Its time is over, but the card has another value or ruleset now: an approver has to decide. The question is in the approvals channel.',
    ],
    ['ended', takeBack(), 'It was put back already. Nothing is left to be done.'],
    ['kept', takeBack(), 'It was decided already to leave it as it is. Nothing is left to be done.'],
    [
      'refused',
      takeBack(),
      'The card service refused to put it back. It is still in force: change it in the card program’s portal.',
    ],
    ['superseded', takeBack(), 'A later change took its place. Nothing is left to be done.'],
  ])('is refused with a reason and what is left to be done if the change is %s', async (state, action, why) => {
    expect(await decide(action, temporaryChangeOf({ state }))).toEqual([`refused: ${why}`]);
  });
});

describe('a click on the private answer to a command', () => {
  const origin = { kind: 'button', channel: 'C1', messageTs: null, reply: 'sealed', replace: true } as const;
  const changeRequest = { goals: [limitGoal('daily', 60_000)], term: { kind: 'duration', ms: 3_600_000 } } as const;

  it('is answered there, also if the change was not confirmed yet, and again after a crash', async () => {
    const world = await createActionWorld(memoryRedis(() => new Date('2026-11-20T15:00:00.000Z')));
    await performAction(ask('limit', { ...byCommand, id: 'act_1', changeRequest }), world.deps);
    const click = takeBack({ id: 'act_back', origin });

    await performAction(click, world.deps);
    await performAction(click, world.deps);
    world.advance(1000);
    await verifyAction('act_1', world.deps);

    const back = expect.stringMatching(/^Daily limit of .*: Back to \$400\.00 by <@U0OLGA>/);
    expect(world.answers.map(({ text }) => text)).toEqual([expect.stringMatching(/^Limit changed: /), back, back]);
  });
});

describe('a reduction of a limit that is raised for ten hours', () => {
  const hours = (count: number) => ({ kind: 'duration', ms: count * 3_600_000 }) as const;
  const by = (userId: string) => ({ ...byCommand, actor: { userId, teamId: 'T1' } });

  /** $400.00 a day, $2,000.00 by two approvers, and $600.00 for two hours by one of them. */
  async function reduced() {
    const world = await createActionWorld(memoryRedis(() => new Date('2026-11-20T15:00:00.000Z')));
    const { deps, service } = world;
    service.rules['MonthlySpendLimit'] = 5000;
    const limit = (id: string, userId: string, dollars: number, term: Term) => {
      const changeRequest = { goals: [limitGoal('daily', dollars * 100)], term };
      return performAction(ask('limit', { ...by(userId), id, changeRequest }), deps);
    };
    const approve = (id: string, userId: string, requestId: string) => {
      const askedAt = deps.now().toISOString();
      const target = { kind: 'request', requestId } as const;
      return performAction(ask('decide', { ...by(userId), id, askedAt, approve: true, target }), deps);
    };
    await limit('act_raise', 'U0OLGA', 2000, hours(10));
    await approve('act_yes', 'U0BEN', 'req_raise');
    await limit('act_less', 'U0BEN', 600, hours(2));
    return { world, approve, daily: () => service.rules['DailySpendLimit'] };
  }

  async function endAll({ deps, advance }: Awaited<ReturnType<typeof reduced>>['world']): Promise<void> {
    for (;;) {
      const [next] = (await deps.temporaryChanges.all()).filter(({ state }) => state === 'open');
      if (next === undefined) return;
      advance(Math.max(0, Date.parse(next.endsAt) - deps.now().getTime()));
      await endTemporaryChange(next.id, deps);
    }
  }

  it('is taken back by a second approver until the raise ends, not for good', async () => {
    const { world, approve, daily } = await reduced();
    const lessTarget = { kind: 'temporary-change', temporaryChangeId: 'act_less' } as const;

    await performAction(ask('revert', { ...by('U0ZOE'), id: 'act_back', target: lessTarget }), world.deps);
    expect(daily()).toBe(600);
    expect(await world.deps.requests.get('req_back')).toMatchObject({
      changes: [limitChange('daily', 60_000, 200_000)],
      term: { kind: 'until', at: '2026-11-21T01:00:00.000Z' },
    });
    await approve('act_backyes', 'U0ANA', 'req_back');
    expect(daily()).toBe(2000);
    expect(world.answers.at(-1)?.text).toMatch(
      /Goes back to \$400\.00 <!date\^\d+\^automatically .*\|automatically Nov 20, 2026, 8:00 PM ET>\./,
    );

    await endAll(world);
    expect(world.deps.now()).toEqual(new Date('2026-11-21T01:00:00.000Z'));
    expect(daily()).toBe(400);
  });

  it('is put back until the raise ends after somebody changed it in the portal', async () => {
    const { world, approve, daily } = await reduced();
    world.service.rules['DailySpendLimit'] = 500;
    world.advance(2 * 3_600_000);
    await endTemporaryChange('act_less', world.deps);
    const lessTarget = { kind: 'temporary-change', temporaryChangeId: 'act_less' } as const;
    const putBack = { ...by('U0ZOE'), id: 'act_put', target: lessTarget, restore: true };

    await performAction(
      ask('complete-temporary-change', { ...putBack, askedAt: world.deps.now().toISOString() }),
      world.deps,
    );
    await approve('act_putyes', 'U0ANA', 'req_put');
    expect(daily()).toBe(2000);

    await endAll(world);
    expect(daily(), 'what the portal set').toBe(500);
  });
});

describe('taking back a reduction under a shorter one of somebody else', () => {
  const by = (userId: string) => ({ ...byCommand, actor: { userId, teamId: 'T1' } });
  const hours = (count: number) => ({ kind: 'duration', ms: count * 3_600_000 }) as const;
  const goals = { daily: limitGoal('daily', 10_000), monthly: limitGoal('monthly', 150_000) };

  /** Bob lowers $400 a day and $2,000 a month for a week, and Ana the daily one to $90 for an hour. */
  async function reduced(of: readonly ('daily' | 'monthly')[] = ['daily'], over: Over = byCommand) {
    const world = await createActionWorld(memoryRedis(() => new Date('2026-11-20T15:00:00.000Z')));
    const { deps } = world;
    const lower = (id: string, userId: string, goals: RuleGoal[], term: Term, about: Over = {}) =>
      performAction(ask('limit', { ...by(userId), id, changeRequest: { goals, term }, ...about }), deps);
    const bobs = of.map((period) => goals[period]);
    await lower('act_bob', 'U0BOB', bobs, hours(7 * 24), over);
    world.advance(1000);
    await lower('act_ana', 'U0ANA', [limitGoal('daily', 9000)], hours(1));
    world.advance(1000);
    const bob = { kind: 'temporary-change', temporaryChangeId: 'act_bob' } as const;
    const takenBack = (changed: Partial<typeof deps> = {}) =>
      performAction(ask('revert', { ...by('U0CEM'), id: 'act_cem', target: bob }), { ...deps, ...changed });
    const counted = async () =>
      (await deps.recentRaises.list({ acctId }, deps.now().getTime())).map(({ actionId, cents }) => [actionId, cents]);
    const limits = () => [world.service.rules['DailySpendLimit'], world.service.rules['MonthlySpendLimit']];
    return { world, deps, takenBack, counted, limits };
  }

  it('ends it for whoever asked, with the shorter one', async () => {
    const { world, deps, takenBack, counted, limits } = await reduced(['daily'], { target: byCommand.target });

    await takenBack();

    expect(limits()).toEqual([90, 2000]);
    expect(await counted()).toEqual([['act_cem', 30_000]]);
    const change = await deps.temporaryChanges.get('act_bob');
    expect(change).toMatchObject({ state: 'ended', closedBy: 'U0CEM', closingActionId: 'act_cem' });
    expect(change === null ? '' : temporaryChangeEnded(change, card).text).toMatch(
      /: Ended by <@U0CEM>.*\. Daily limit \$400\.00 when the other temporary change ends<!date.*, planned for Nov 20, 2026, 11:00 AM ET>\.$/,
    );
    expect((await world.records()).filter(({ actionId }) => actionId === 'act_cem')).toMatchObject([
      { event: 'asked' },
      {
        event: 'ended',
        before: 'daily limit $100.00',
        after: 'daily limit $400.00',
        detail: 'The temporary change has ended. Daily limit $400.00 when the other temporary change ends.',
      },
    ]);
    expect(world.answers.map(({ text }) => text).join(), 'it is not refused').not.toContain('Not done');
    world.advance(3_600_000);
    await endTemporaryChange('act_ana', deps);
    expect(limits()).toEqual([400, 2000]);
  });

  it('puts the others of its limits back at once', async () => {
    const { deps, takenBack, limits } = await reduced(['daily', 'monthly']);

    await takenBack();

    expect(limits()).toEqual([90, 2000]);
    expect(await deps.temporaryChanges.get('act_bob')).toMatchObject({
      state: 'ended',
      changes: [limitChange('monthly', 200_000, 150_000), limitChange('daily', 40_000, 10_000)],
      later: [limitGoal('daily', 40_000)],
    });
  });

  it.each(['read', 'written'] as const)('leaves everything as it is if the rules cannot be %s', async (what) => {
    const { world, deps, takenBack, counted, limits } = await reduced(['daily', 'monthly']);
    const before = await deps.temporaryChanges.all();
    const fails = async (): Promise<never> => {
      throw refusal();
    };
    const card = { ...deps.card, ...(what === 'read' ? { getSpendRules: fails } : { putSpendRules: fails }) };

    await takenBack({ card, isLastAttempt: true }).catch(() => {});

    expect(await deps.temporaryChanges.all()).toEqual(before);
    expect(await counted()).toEqual([]);
    world.advance(3_600_000);
    await endTemporaryChange('act_ana', deps);
    expect(limits()).toEqual([100, 1500]);
  });

  it('says on its alert that it goes back later', async () => {
    const { deps, takenBack } = await reduced(['daily'], { target: ask('limit').target });

    await takenBack();

    const alert = await deps.alerts.get('evt_0123456789abcdef');
    expect(alert?.outcomes.at(-1)).toMatchObject({
      verb: 'restore',
      by: 'U0CEM',
      state: 'done',
      ends: 'act_bob',
      text: 'Daily limit $100.00 → $400.00 when the other temporary change ends',
    });
    // It is not back yet.
    expect(alert?.outcomes.at(-1)?.goals).toBeUndefined();
  });
});

describe('*Leave it*', () => {
  /** $500 for an hour. It ends while the portal has $777, so people are asked. Then the portal sets another value. */
  async function left(dollars: number) {
    const world = await createActionWorld(memoryRedis(() => new Date('2026-11-20T15:00:00.000Z')));
    const { deps, service } = world;
    const changeRequest = { goals: [limitGoal('daily', 50_000)], term: { kind: 'duration', ms: 3_600_000 } } as const;
    await performAction(ask('limit', { ...byCommand, id: 'act_1', changeRequest }), deps);
    service.rules = { ...service.rules, DailySpendLimit: 777 };
    world.advance(3_600_000);
    await endTemporaryChange('act_1', deps);
    service.rules = { ...service.rules, DailySpendLimit: dollars };
    const leave = ask('complete-temporary-change', {
      ...byCommand,
      id: 'act_leave',
      target,
      restore: false,
      askedAt: deps.now().toISOString(),
    });
    await performAction(leave, deps);
    return { world, change: await deps.temporaryChanges.get('act_1'), last: (await world.records()).at(-1) };
  }

  it('keeps the value that they were asked about', async () => {
    const { change, last } = await left(777);

    expect(change).toMatchObject({ state: 'kept', closedBy: 'U0OLGA', meanwhile: [{ to: 77_700 }] });
    expect(last).toMatchObject({ event: 'ended', before: 'daily limit $777.00' });
  });

  it('asks again about a value that they have not seen', async () => {
    const { world, change } = await left(800);

    expect(change).toMatchObject({ state: 'asking', meanwhile: [{ to: 80_000 }] });
    expect(world.answers.at(-1)?.text).toContain('Somebody changed the daily limit or the card’s ruleset meanwhile');
    expect(world.service.rules['DailySpendLimit']).toBe(800);
  });

  it('has nothing to leave if the card has its earlier value by now', async () => {
    const { change, last } = await left(400);

    expect(change).toMatchObject({ state: 'ended', closedBy: 'U0OLGA' });
    expect(last).toMatchObject({ event: 'ended', after: 'daily limit $400.00' });
  });

  it.each([
    ['ended', 'by now the card has its earlier values', 400, 2000, 0],
    ['asking', 'by now it has one of them', 400, 2150, 0],
    ['kept', 'it keeps a raise', 500, 2150, 1],
  ])('leads to %s if %s, and counts as a raise only if it keeps one', async (state, _what, daily, monthly, raises) => {
    const world = await createActionWorld(memoryRedis(() => new Date('2026-11-20T15:00:00.000Z')));
    const { deps, service } = world;
    const goals = [limitGoal('daily', 50_000), limitGoal('monthly', 210_000)];
    const changeRequest = { goals, term: { kind: 'duration', ms: 3_600_000 } } as const;
    await performAction(ask('limit', { ...byCommand, id: 'act_1', changeRequest }), deps);
    world.advance(3_600_000);
    service.rules = { ...service.rules, MonthlySpendLimit: 2150 };
    const refuses = async (): Promise<never> => {
      throw refusal();
    };
    const refusing = { ...deps, card: { ...deps.card, putSpendRules: refuses } };
    for (let times = 0; times < 5; times += 1) await endTemporaryChange('act_1', refusing);
    service.rules = { ...service.rules, DailySpendLimit: daily, MonthlySpendLimit: monthly };

    const askedAt = deps.now().toISOString();
    const leave = { ...byCommand, id: 'act_leave', target, restore: false, askedAt };
    await performAction(ask('complete-temporary-change', leave), deps);

    expect((await deps.temporaryChanges.get('act_1'))?.state).toBe(state);
    const counted = await deps.recentRaises.list({ acctId }, deps.now().getTime());
    expect(counted.filter(({ actionId }) => actionId === 'act_leave')).toHaveLength(raises);
  });
});

describe('a click whose answer from the card service was lost', () => {
  /** Ana lowered the limit for an hour and takes that back; the card service carries it out only later. */
  async function takenBack() {
    const redis = memoryRedis(() => new Date('2026-11-20T15:00:00.000Z'));
    const lost = new CardApiError('no answer', {
      operation: 'putSpendRules',
      status: null,
      outcome: 'unknown',
      code: 'timeout',
      apiMessage: null,
    });
    let isAnswered = true;
    const world = await createActionWorld(redis);
    const { putSpendRules } = world.deps.card;
    const verbs = verbsOf({
      ...world.deps,
      card: {
        ...world.deps.card,
        async putSpendRules(acctId, raw) {
          if (!isAnswered) throw lost;
          await putSpendRules(acctId, raw);
        },
      },
    });
    const limit = (id: string, to: number) => {
      const changeRequest = { goals: [limitGoal('daily', to)], term: { kind: 'duration', ms: 3_600_000 } } as const;
      return verbs.performAction(ask('limit', { ...byCommand, id, changeRequest }), { isLast: true });
    };
    await limit('act_1', 10_000);
    isAnswered = false;
    const click = takeBack({ id: 'act_back' });
    await expect(verbs.performAction(click, { isLast: false })).rejects.toThrow('no answer');
    const run = async (isLast: boolean) => {
      await verbs.performAction(click, { isLast });
      const events = (await world.records()).filter(({ actionId }) => actionId === 'act_back');
      return { events: events.map(({ event }) => event), answer: world.answers.at(-1)?.text };
    };
    return {
      run,
      limit,
      answerAgain: () => {
        isAnswered = true;
      },
    };
  }

  it('is not said to have changed nothing if it can no longer be made', async () => {
    const { run, limit, answerAgain } = await takenBack();
    answerAgain();
    await limit('act_2', 20_000);

    const { events, answer } = await run(false);

    expect(events).toEqual(['asked', 'unknown']);
    expect(answer).toMatch(/^Not certain\. /);
  });

  it('is not said to have changed nothing if it is given up', async () => {
    const { run } = await takenBack();

    const { events, answer } = await run(true);

    expect(events).toEqual(['asked', 'unknown']);
    expect(answer).toMatch(/^Not certain/);
  });
});

describe('who may decide', () => {
  const standard = approvalPolicyOf({ twoPersonAboveCents: 100_000 });
  async function permit(
    action: TemporaryChangeAction,
    over: Partial<TemporaryChange> = {},
    isHolder = false,
    policy = standard,
  ) {
    const requested: unknown[] = [];
    const recorded: unknown[] = [];
    const remembered: unknown[] = [];
    const underLock: string[] = [];
    let lock = '';
    const decided = await createPermitDecisionOrAsk({
      raises: {
        async count(_action, _acctId, { changes }) {
          underLock.push(`counted: ${lock}`);
          const { rule } = limitChange('daily', 0, 0);
          const ownCents = changes.reduce((sum, { fromBase: { from, to } }) => sum + Number(to) - Number(from), 0);
          return { rule, ownCents, earlier: [], aboveCents: 100_000, cap: null };
        },
        async remember(_action, _acctId, { changes }) {
          underLock.push(`remembered: ${lock}`);
          remembered.push(...changes.map(({ fromBase }) => fromBase));
        },
        valuesPutBack: async ({ changes }) => changes.map(({ from }) => from),
        returnTerm: async () => ({ kind: 'permanent' }),
        lastsMs: (term) => lastsMs(term, new Date('2026-11-20T15:30:00.000Z'), 'America/New_York'),
        withoutChange: async ({ changes }) => reversed(changes).filter((change) => isLooser([change])),
      },
      record: async (_action, { event, begins, detail }) => void recorded.push({ event, begins, detail }),
      factsOf: async () => card,
      rights: {
        ...authorizationOf({ roles: action.roles, holder: isHolder ? action.actor.userId : null, policy }),
        policyOfCard: async () => policy,
      },
      async withLock(name, work) {
        lock = name;
        const result = await work(held);
        lock = '';
        return result;
      },
      resumeRequest: async () => null,
      openRequest: async ({ action: asked, changes, others }) => {
        requested.push({ verb: asked.verb, changeRequest: asked.changeRequest, changes, others });
        return { kind: 'opened', note: 'I asked in the approvals channel.' };
      },
    })(action, temporaryChangeOf(over));
    const { why, whoCan } = decided === null || decided === 'late' ? { why: decided, whoCan: null } : decided;
    return { why, ...(whoCan !== null && { whoCan }), recorded, remembered, requested, underLock };
  }
  const byOperator = takeBack({ roles: ['operator'] });
  const lowered = { changes: [limitChange('daily', 45_000, 40_000)] };

  it('an operator reverts a raise, audited once', async () => {
    expect(await permit(byOperator)).toEqual({
      why: null,
      recorded: [{ event: 'asked', begins: true, detail: 'act_1' }],
      remembered: [],
      requested: [],
      underLock: [],
    });
  });

  it('reverting a lowered limit is a raise: an approver decides, and nobody for their own card', async () => {
    expect(await permit(byOperator, lowered)).toMatchObject({ why: 'Only approvers may decide that.', recorded: [] });
    expect((await permit(takeBack(), lowered)).why).toBeNull();
    expect((await permit(resolve(true))).why).toBeNull();
    expect((await permit(ask('complete-temporary-change', { target, restore: false, roles: ['operator'] }))).why).toBe(
      'Only approvers may decide that.',
    );
    expect((await permit(takeBack(), lowered, true)).why).toMatch(/own card/);
  });

  it('restoring a limit that someone lowered in the meantime is permanent, so a policy with temporary raises only refuses it', async () => {
    const asking = { state: 'asking' as const, changes: [limitChange('daily', 10_102, 10_000)] };
    const policy = { ...standard, durations: { longestMs: null, mayStay: false } };
    const lower = { ...asking, meanwhile: [limitChange('daily', 10_000, 10_004)] };

    expect(await permit(resolve(true), lower, false, policy)).toMatchObject({
      why: expect.stringMatching(/for good|permanent|time/i),
      whoCan: 'Leave it, or use `/card limit` with a duration.',
    });
    expect((await permit(resolve(true), lower)).why).toBeNull();
    expect((await permit(resolve(true), asking, false, policy)).why, 'unchanged since').toBeNull();
  });

  it('restoring a limit that someone lowered further is a raise from the current limit', async () => {
    const changes = [limitChange('daily', 600_000, 599_900)];
    const asking = (to: number) => ({
      changes,
      state: 'asking' as const,
      meanwhile: [limitChange('daily', 599_900, to)],
    });

    const much = await permit(resolve(true), asking(10_000));
    expect(much.why).toBe('One approver alone may not raise this: daily limit $100.00 → $6,000.00.');
    expect(much.recorded).toEqual([]);
    expect(much.requested, 'others are asked to approve').toEqual([
      {
        verb: 'limit',
        changeRequest: { goals: [{ rule: limitChange('daily', 0, 0).rule, to: 600_000 }], term: { kind: 'permanent' } },
        changes: [limitChange('daily', 10_000, 600_000)],
        others: 1,
      },
    ]);
    const little = await permit(resolve(true), asking(599_800));
    expect(little).toMatchObject({ why: null, remembered: [limitChange('daily', 599_800, 600_000)] });
    expect(little.underLock, 'two at once do not both count as the first').toEqual([
      'counted: recent-raises',
      'remembered: recent-raises',
    ]);
    expect((await permit(resolve(false), asking(10_000))).why, 'keeping the current limit').toBeNull();
  });

  it('restoring a limit that may have been lowered for good before a backup was restored is a raise', async () => {
    const lower = [limitChange('daily', 600_000, 10_000)];
    const meanwhile = [limitChange('daily', 10_000, 10_000)];

    const asking = { changes: lower, state: 'asking' as const, meanwhile };
    expect((await permit(resolve(true), asking)).why).toBeNull();
    expect(await permit(resolve(true), { ...asking, isFromBackup: true })).toMatchObject({
      why: 'One approver alone may not raise this: daily limit $100.00 → $6,000.00.',
      requested: [{ changes: [limitChange('daily', 10_000, 600_000)], others: 1 }],
    });
  });

  it('taking back a reduction from before a backup was restored is a raise, also for whoever made it', async () => {
    const lower = { changes: [limitChange('daily', 600_000, 10_000)], by: takeBack().actor };
    const asked = { requested: [{ changes: [limitChange('daily', 10_000, 600_000)], others: 1 }] };
    const policy = { ...standard, durations: { longestMs: null, mayStay: false } };

    expect(await permit(takeBack(), lower)).toMatchObject({ why: null, remembered: [] });
    expect(await permit(takeBack(), { ...lower, isFromBackup: true })).toMatchObject({
      why: 'One approver alone may not raise this: daily limit $100.00 → $6,000.00.',
      ...asked,
    });
    expect(await permit(takeBack(), { ...lower, isFromBackup: true }, false, policy)).toMatchObject({
      whoCan: 'Leave it, or use `/card limit` with a duration.',
      requested: [],
    });
  });

  it('keeping a raise for good is a raise from what it would go back to, but not what someone else has set since', async () => {
    const keep = (weekly: number) => {
      const changes = [limitChange('daily', 40_000, 90_000), limitChange('weekly', 60_000, weekly)];
      const meanwhile = [limitChange('daily', 90_000, 90_100), limitChange('weekly', weekly, weekly)];
      return permit(resolve(false), { changes, state: 'asking' as const, meanwhile });
    };

    expect(await keep(5_000_000)).toMatchObject({
      why: 'One approver alone may not raise this: weekly limit $600.00 → $50,000.00.',
      requested: [{ changes: [limitChange('weekly', 5_000_000, 5_000_000)], others: 1 }],
      remembered: [],
    });
    expect(await keep(90_000)).toMatchObject({
      why: null,
      requested: [],
      remembered: [limitChange('weekly', 60_000, 90_000)],
    });
  });

  it('asks others to restore a lowered limit if the policy leaves no raise to one approver', async () => {
    const policy = { ...standard, bands: [{ upToCents: null, approvals: 2 }] };

    expect(await permit(takeBack(), lowered, false, policy)).toMatchObject({
      why: 'One approver alone may not raise this: daily limit $400.00 → $450.00.',
      requested: [{ changes: [limitChange('daily', 40_000, 45_000)], others: 1 }],
    });
  });

  it('restoring a limit that someone raised further lowers it and counts as no raise', async () => {
    const changes = [limitChange('daily', 45_000, 40_000)];
    const meanwhile = [limitChange('daily', 40_000, 70_000)];

    expect(await permit(resolve(true), { changes, state: 'asking', meanwhile })).toMatchObject({
      why: null,
      remembered: [],
    });
  });

  it('asks again about a raise that waited longer than ten minutes, and audits nothing yet', async () => {
    const askedAt = '2026-11-20T14:49:00.000Z';

    expect(await permit(takeBack({ askedAt }), lowered)).toEqual({
      requested: [],
      why: 'late',
      recorded: [],
      remembered: [],
      underLock: ['counted: recent-raises'],
    });
    expect((await permit(takeBack({ askedAt }))).why, 'reverting a raise is never late').toBeNull();
  });
});
