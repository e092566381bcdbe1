import { describe, expect, it } from 'vitest';
import type { AwaitedChange, Result } from '../../../src/actions/action-state.ts';
import type { Opened } from '../../../src/limits/open-temporary-change.ts';
import { createApplyLateConfirmation } from '../../../src/limits/send-rules.ts';
import type { TemporaryChange } from '../../../src/limits/temporary-change-store.ts';
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
  verifyAction,
  type WorldDeps,
} from '../../support/perform-world.ts';
import { openedAt, rulesOf, temporaryChangeOf } from '../../support/temporary-changes.ts';
import { card } from '../../templates/fixtures.ts';

const action = ask('limit');
const forAnHour = { kind: 'duration', ms: 3_600_000 } as const;
const unknown: Result = { state: 'unknown', card, before: null, after: null, apiWords: null, note: null };

function awaitedOf(over: Partial<Result> = {}): AwaitedChange {
  const expects = { kind: 'rule', changes: [limitChange('daily', 40_000, 45_000)], term: forAnHour } as const;
  const result = { ...unknown, expects, ...over };
  return { action, verb: 'limit', acctId, outcomeOf: action.id, result, sentAt: openedAt };
}

interface Given {
  readonly isSuperseded?: boolean;
  readonly isKnown?: boolean;
  readonly until?: string;
  /** State of the temporary change in the meantime. */
  readonly state?: TemporaryChange['state'];
  /** The error that reading the card's rules throws. */
  readonly unreadable?: Error;
}

async function apply(
  awaited: AwaitedChange,
  confirmation: 'confirmed' | 'unconfirmed',
  { isSuperseded = false, isKnown = true, until = '2026-11-20T16:00:00.000Z', state = 'open', unreadable }: Given = {},
): Promise<{ said: Opened | null; steps: string[] }> {
  const steps: string[] = [];
  const said = await createApplyLateConfirmation({
    card: {
      async getSpendRules() {
        if (unreadable !== undefined) throw unreadable;
        return { rules: rulesOf({ daily: 40_000 }), raw: {} };
      },
    },
    ruleWrites: { of: async () => [], made: async () => [] },
    latestChanges: { isSuperseded: async () => isSuperseded },
    temporaryChanges: { get: async () => (isKnown ? temporaryChangeOf({ state }) : null) },
    terms: {
      begin: async ({ requestId }) => {
        steps.push(`begun for ${requestId ?? 'no request'}`);
        return { note: 'Goes back.', control: { kind: 'revert', id: 'act_1', until } };
      },
      markUnconfirmed: async (_id, seen) =>
        void steps.push(seen === null ? 'marked, unread' : `marked, from ${String(seen.now[0]?.from)}`),
    },
    now: () => new Date('2026-11-20T15:30:00.000Z'),
  })(awaited, { confirmation });
  return { said, steps };
}

describe('a rule change whose answer was lost', () => {
  it('completes as if the answer had arrived, once the change is confirmed', async () => {
    expect(await apply(awaitedOf(), 'confirmed')).toMatchObject({
      said: { note: 'Goes back.' },
      steps: ['begun for no request'],
    });
  });

  it('belongs to its request if it was made for one', async () => {
    const { steps } = await apply({ ...awaitedOf(), outcomeOf: 'act_asked' }, 'confirmed');

    expect(steps).toEqual(['begun for req_asked']);
  });

  it('does not announce an end that has already passed', async () => {
    expect((await apply(awaitedOf(), 'confirmed', { until: '2026-11-20T15:30:00.000Z' })).said).toBeNull();
  });

  it('is marked once nothing shows it, and keeps its scheduled end', async () => {
    expect(await apply(awaitedOf(), 'unconfirmed')).toEqual({ said: null, steps: ['marked, from 40000'] });
  });

  it('needs no end if it is permanent', async () => {
    const expects = {
      kind: 'rule',
      changes: [limitChange('daily', 40_000, 45_000)],
      term: { kind: 'permanent' },
    } as const;

    expect((await apply(awaitedOf({ expects }), 'confirmed', { isKnown: false })).steps).toEqual([
      'begun for no request',
    ]);
  });

  it('is marked when the card is unreadable, so that it is read again, but does not hide a bug of ours', async () => {
    const away = unanswered({ outcome: 'not_sent' });

    expect(await apply(awaitedOf(), 'unconfirmed', { unreadable: away })).toEqual({
      said: null,
      steps: ['marked, unread'],
    });
    await expect(apply(awaitedOf(), 'unconfirmed', { unreadable: new TypeError('a bug') })).rejects.toThrow('a bug');
  });

  it('says what else the purchase needs, even if a later change replaced all of it', async () => {
    const alsoNeeds = ['raise_limit'] as const;
    const changeRequest = { goals: [limitGoal('daily', 45_000)], term: forAnHour, alsoNeeds };
    const awaited = { ...awaitedOf(), action: ask('limit', { changeRequest }) };

    expect((await apply(awaited, 'confirmed')).said?.note).toBe('Goes back. A limit is too small, too.');
    expect(await apply(awaited, 'confirmed', { isSuperseded: true })).toEqual({
      said: { note: 'A limit is too small, too.', alsoNeeds },
      steps: [],
    });
  });

  it.each<[string, AwaitedChange, 'confirmed' | 'unconfirmed', Given]>([
    ['its time is over', awaitedOf(), 'confirmed', { isKnown: false }],
    ['its answer was not lost', awaitedOf({ state: 'done' }), 'confirmed', {}],
    [
      'it is the end of another change',
      awaitedOf({ expects: { kind: 'rule', changes: [limitChange('daily', 1, 2)] } }),
      'confirmed',
      {},
    ],
    ['its end has been decided in the meantime', awaitedOf(), 'unconfirmed', { state: 'kept' }],
    [
      "the card follows a ruleset and may show the ruleset's values",
      awaitedOf({ card: { ...card, ruleset: { id: 3, name: 'Travel', mayOverrule: true } } }),
      'unconfirmed',
      {},
    ],
  ])('is left alone if %s', async (_what, awaited, confirmation, given) => {
    expect(await apply(awaited, confirmation, given)).toEqual({ said: null, steps: [] });
  });
});

describe('a temporary raise that the card service has not shown within two minutes', () => {
  const redis = useRedis();
  const raise = ask('limit', {
    ...byCommand,
    changeRequest: { goals: [limitGoal('daily', 140_000)], term: forAnHour, alsoNeeds: ['allow_international'] },
  });
  const MINUTE = 60_000;

  /** The write gets no answer. @returns makes it at the card service after all. */
  async function sendUnanswered(world: PerformWorld): Promise<() => void> {
    let sent: Record<string, unknown> = {};
    const putSpendRules = async (_acctId: number, raw: Record<string, unknown>): Promise<never> => {
      sent = raw;
      throw unanswered({ outcome: 'unknown', code: 'timeout' });
    };
    const deps = { ...world.deps, card: { ...world.deps.card, putSpendRules }, isLastAttempt: true };
    await performAction(raise, deps);
    world.advance(2 * MINUTE);
    await verifyAction(raise.id, world.deps);
    return () => void Object.assign(world.service, { rules: sent });
  }

  const withTime = ({ deps }: PerformWorld): WorldDeps => ({
    ...deps,
    timeLeft: async (moment) => Date.parse(moment) - deps.now().getTime(),
  });

  it('still goes back at its end if the service makes it later', async () => {
    const world = await createActionWorld(redis());
    const makeLate = await sendUnanswered(world);
    world.advance(MINUTE);
    makeLate();
    expect(world.service.rules['DailySpendLimit']).toBe(1400);

    world.advance(57 * MINUTE);
    await endTemporaryChange(raise.id, world.deps);

    expect(world.service.rules['DailySpendLimit']).toBe(400);
    expect(await world.deps.temporaryChanges.get(raise.id)).toMatchObject({ state: 'ended' });
  });

  it('goes back if the service makes it after its end', async () => {
    const world = await createActionWorld(redis());
    const makeLate = await sendUnanswered(world);

    expect(await endTemporaryChange(raise.id, world.deps)).toBe(MINUTE);
    world.advance(7 * MINUTE);
    makeLate();
    await endTemporaryChange(raise.id, world.deps);

    expect(world.service.rules['DailySpendLimit']).toBe(400);
  });

  it.each([
    ['never makes it', 400],
    ['shows another value by then', 1000],
  ])('ends without a word if the service %s', async (_what, dollars) => {
    const world = await createActionWorld(redis());
    await sendUnanswered(world);
    const before = await world.stations();
    world.service.rules = { ...world.service.rules, DailySpendLimit: dollars };

    world.advance(58 * MINUTE);
    expect(await endTemporaryChange(raise.id, world.deps)).toBeNull();

    expect(await world.deps.temporaryChanges.get(raise.id)).toBeNull();
    expect(world.service.rules['DailySpendLimit']).toBe(dollars);
    expect(await world.stations()).toEqual(before);
  });

  it('is forgotten once the service can no longer make it, and undoes nothing that somebody sets later', async () => {
    const world = await createActionWorld(redis());
    const deps = withTime(world);
    await sendUnanswered(world);

    expect(await endTemporaryChange(raise.id, deps), 'it looks again').toBe(MINUTE);
    world.advance(8 * MINUTE);
    expect(await endTemporaryChange(raise.id, deps)).toBeNull();
    expect(await deps.temporaryChanges.get(raise.id)).toBeNull();

    world.service.rules = { ...world.service.rules, DailySpendLimit: 1400 };
    world.advance(60 * MINUTE);
    await endTemporaryChange(raise.id, deps);
    expect(world.service.rules['DailySpendLimit']).toBe(1400);
  });

  it('is shown like any other once the service makes it', async () => {
    const posted: string[] = [];
    const world = await createActionWorld(redis(), { postTemporaryChange: async ({ id }) => void posted.push(id) });
    const deps = withTime(world);
    const makeLate = await sendUnanswered(world);
    world.advance(3 * MINUTE);
    makeLate();

    expect(await endTemporaryChange(raise.id, deps)).toBe(55 * MINUTE);

    expect(await deps.temporaryChanges.get(raise.id)).toMatchObject({ state: 'open', certainty: 'certain' });
    expect(posted).toEqual([raise.id]);
    expect(world.direct.at(-1)?.text).toMatch(/made after all\..* Purchases abroad are not allowed either\./);
    expect((await world.records()).at(-1)).toMatchObject({ event: 'confirmed', duration: 'for 1 hour' });
  });

  it('takes nothing from a later change on its value when it is over', async () => {
    const world = await createActionWorld(redis());
    const deps = withTime(world);
    await sendUnanswered(world);
    const changeRequest = { goals: [limitGoal('daily', 120_000)], term: forAnHour };
    await performAction(ask('limit', { ...byCommand, id: 'act_later', changeRequest }), deps);
    const before = await deps.temporaryChanges.get('act_later');

    world.advance(58 * MINUTE);
    await endTemporaryChange(raise.id, deps);

    expect(await deps.temporaryChanges.get(raise.id)).toBeNull();
    expect(await deps.temporaryChanges.get('act_later')).toEqual(before);
  });

  it('cannot be taken back while nothing shows it', async () => {
    const world = await createActionWorld(redis());
    await sendUnanswered(world);

    const target = { kind: 'temporary-change', temporaryChangeId: raise.id } as const;
    await performAction(ask('revert', { target }), world.deps);

    expect(world.answers.at(-1)?.text).toContain('is not clear yet');
    expect(await world.deps.temporaryChanges.get(raise.id)).toMatchObject({ state: 'open', certainty: 'unconfirmed' });
  });
});
