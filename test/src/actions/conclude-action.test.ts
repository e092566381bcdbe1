import { describe, expect, it } from 'vitest';
import type { LimitPeriod } from '../../../src/card-api/rule.ts';
import type { LimitGoal, Term } from '../../../src/card-api/rule-change.ts';
import { AccountDetails } from '../../../src/card-api/schema-account.ts';
import { CardApiError } from '../../../src/core/errors.ts';
import { toCardFacts } from '../../../src/directory/account.ts';
import type { VerbAction } from '../../../src/dispatch/verbs.ts';
import type { TemporaryChange } from '../../../src/limits/temporary-change-store.ts';
import { unanswered } from '../../support/card-api-errors.ts';
import { killEverywhere } from '../../support/kill-everywhere.ts';
import { limitChange, limitGoal } from '../../support/limit-goals.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  acctId,
  ask,
  byCommand,
  createActionWorld,
  endTemporaryChange,
  type Over,
  type PerformWorld,
  performAction,
  verifyAction,
  type WorldDeps,
} from '../../support/perform-world.ts';

const redis = useRedis();
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const forMs = (ms: number): Term => ({ kind: 'duration', ms });
const permanent: Term = { kind: 'permanent' };

function limits(dollars: Partial<Record<LimitPeriod, number>>): LimitGoal[] {
  return Object.entries(dollars).map(([period, amount]) => limitGoal(period as LimitPeriod, amount * 100));
}

const raise = (id: string, dollars: Partial<Record<LimitPeriod, number>>, term: Term, over: Over = {}): VerbAction =>
  ask('limit', { id: `act_${id}`, changeRequest: { goals: limits(dollars), term }, ...over });
const earlier = raise('earlier', { daily: 450 }, forMs(HOUR), byCommand);
const later = raise('later', { daily: 500 }, forMs(2 * HOUR));
const lasting = raise('later', { daily: 500 }, permanent);

async function away(): Promise<never> {
  throw unanswered();
}

/** The card service stops answering at a write and is back for the verification. @param arrives whether it made the change. */
function silent({ deps }: PerformWorld, arrives = true): WorldDeps {
  let isBlind = false;
  const card: WorldDeps['card'] = {
    ...deps.card,
    putSpendRules: async (...args) => {
      if (arrives) await deps.card.putSpendRules(...args);
      isBlind = true;
      await away();
    },
    getSpendRules: async (...args) => (isBlind ? away() : await deps.card.getSpendRules(...args)),
  };
  const scheduleConfirm = async () => {
    isBlind = false;
  };
  return { ...deps, card, isLastAttempt: true, scheduleConfirm };
}

async function lookUntilOver(world: PerformWorld, id = later.id): Promise<void> {
  for (let again: number | null = 0; again !== null; ) {
    world.advance(again);
    again = await verifyAction(id, world.deps);
  }
}

const temporaryChangeOf = ({ deps }: PerformWorld, { id }: VerbAction): Promise<TemporaryChange | null> =>
  deps.temporaryChanges.get(id);
const lastOutcome = async ({ deps }: PerformWorld) =>
  (await deps.alerts.get('evt_0123456789abcdef'))?.outcomes.find(({ verb }) => verb === 'limit');

/** The card service stops answering at a change of a status. It is made later. */
function silentOnce({ deps }: PerformWorld): WorldDeps {
  return { ...deps, card: { ...deps.card, setCardStatus: away, activateCard: away }, isLastAttempt: true };
}

describe('a change whose response was lost and that is found in effect later', () => {
  it.each([
    ['block', 'ACTIVE', 'BLOCKED', 'Blocked: ', 'Active → blocked.'],
    ['unblock', 'BLOCKED', 'ACTIVE', 'Unblocked: ', 'Blocked → active.'],
    ['activate', 'INACTIVE', 'ACTIVE', 'Activated: ', 'Not activated → active.'],
  ] as const)('a %s says what the card was and is', async (verb, was, is, head, moved) => {
    const world = await createActionWorld(redis());
    world.service.status = was;
    const action = ask(verb, byCommand);
    await performAction(action, silentOnce(world));

    world.service.status = is;
    await lookUntilOver(world, action.id);

    const text = world.direct.at(-1)?.text ?? '';
    expect(text.startsWith(head)).toBe(true);
    expect(text).toContain(`. ${moved} Confirmed by the card service.`);
    const [before, after] = moved.toLowerCase().slice(0, -1).split(' → ');
    expect((await world.records()).at(-1)).toMatchObject({ event: 'confirmed', before, after });
  });

  it('an activation says what it has closed for good, to the person, on the alert and on record', async () => {
    const lines: string[] = [];
    const world = await createActionWorld(redis(), { postAuditLine: async (_id, { text }) => void lines.push(text) });
    const statuses = { old: 'BLOCKED', fresh: 'INACTIVE' };
    const getAccount = async () =>
      AccountDetails.parse({
        AccountId: acctId,
        AccountStatus: 'OPEN',
        CardList: [
          { CardId: 7, Last4CardNumber: '0007', CardStatus: statuses.old },
          { CardId: 8, Last4CardNumber: '0008', CardStatus: statuses.fresh },
        ],
      });
    const deps = { ...world.deps, card: { ...world.deps.card, getAccount } };
    const target = { kind: 'card', acctId, cardId: 8, alertId: 'evt_0123456789abcdef' } as const;
    const action = ask('activate', { ...byCommand, target, closes: [7] });
    await performAction(action, silentOnce({ ...world, deps }));

    Object.assign(statuses, { old: 'CLOSED', fresh: 'ACTIVE' });
    await lookUntilOver({ ...world, deps }, action.id);

    const closed = 'Closed for good by this: card 0007.';
    expect(world.direct.at(-1)?.text).toContain(closed);
    expect((await world.deps.alerts.get('evt_0123456789abcdef'))?.outcomes.at(-1)?.text).toContain(closed);
    expect((await world.records()).at(-1)).toMatchObject({ event: 'confirmed', detail: closed });
    expect(lines.at(-1)?.toLowerCase()).toContain('closed for good by this: card 0007');
  });

  it.each([
    ['the same rule only', {}, ['superseded', 40_000]],
    ['another rule too', { monthly: 2100 }, ['open', 200_000]],
  ])('a raise can be reverted from its alert and supersedes an earlier raise of %s', async (_what, more, left) => {
    const world = await createActionWorld(redis());
    await performAction(raise('earlier', { daily: 450, ...more }, forMs(HOUR), byCommand), world.deps);

    await performAction(later, silent(world));
    expect(await temporaryChangeOf(world, earlier)).toMatchObject({ state: 'open' });
    await lookUntilOver(world);

    expect(await lastOutcome(world)).toMatchObject({
      state: 'done',
      confirmation: 'confirmed',
      control: { kind: 'revert', id: later.id, back: { to: '$400.00' } },
    });
    const was = await temporaryChangeOf(world, earlier);
    expect([was?.state, was?.changes.at(-1)?.from]).toEqual(left);
    expect(await temporaryChangeOf(world, later)).toMatchObject({ state: 'open', changes: [{ from: 40_000 }] });
  });

  it('a raise says what else stops the purchase, its limit and its duration, as if the response had come', async () => {
    const changeRequest = { goals: limits({ daily: 500 }), term: permanent, alsoNeeds: ['allow_international'] };
    const also = 'Purchases abroad are not allowed either.';
    for (const isOnAlert of [true, false]) {
      const world = await createActionWorld(redis(), {
        toFacts: (id, account, which) => ({ ...toCardFacts(id, account, which), status: 'BLOCKED' }),
      });
      const id = isOnAlert ? 'act_onalert' : 'act_typed';
      const action = ask('limit', { ...(!isOnAlert && byCommand), id, changeRequest } as Over);

      await performAction(action, silent(world));
      await lookUntilOver(world, id);

      if (isOnAlert) {
        const outcome = await lastOutcome(world);
        expect(outcome).toMatchObject({ state: 'done', goals: [limitGoal('daily', 50_000)] });
        expect(outcome?.text).toMatch(new RegExp(`The card is blocked.* ${also}`));
      } else {
        expect(world.direct.at(-1)?.text).toMatch(new RegExp(`Duration: permanent\\. The card is blocked.* ${also}`));
      }
    }
  });

  it('a raise by command gets a separate message', async () => {
    const world = await createActionWorld(redis());
    const posted: string[] = [];
    const deps = {
      ...world.deps,
      postTemporaryChange: async ({ id }: { readonly id: string }) => void posted.push(id),
    };

    await performAction({ ...later, ...byCommand } as VerbAction, silent({ ...world, deps }));
    await lookUntilOver({ ...world, deps });

    expect(posted).toEqual([later.id]);
    expect(JSON.stringify(world.direct.at(-1)?.blocks)).toContain('Take back now');
  });

  it('a permanent raise cancels the end of an earlier temporary raise', async () => {
    const world = await createActionWorld(redis());
    await performAction(earlier, world.deps);

    await performAction(lasting, silent(world));
    await lookUntilOver(world);
    world.advance(2 * HOUR);
    await endTemporaryChange(earlier.id, world.deps);

    expect(await temporaryChangeOf(world, earlier)).toMatchObject({ state: 'superseded' });
    expect(world.writes).toEqual(['limit 450', 'limit 500']);
  });

  it.each([
    ['temporary', later, ['open']],
    ['permanent', lasting, []],
  ] as const)('a %s raise ends the same way when its worker is killed at any step', async (_what, action, open) => {
    const steps = await killEverywhere(
      action,
      async (world) => {
        await performAction(earlier, world.deps);
        return silent(world);
      },
      async (world, diedAt) => {
        expect(world.writes, diedAt).toEqual(['limit 450', 'limit 500']);
        expect(await temporaryChangeOf(world, earlier), diedAt).toMatchObject({ state: 'superseded' });
        expect(
          (await world.deps.temporaryChanges.all()).map(({ state }) => state),
          diedAt,
        ).toEqual(open);
        const outcome = await lastOutcome(world);
        expect(outcome, diedAt).toMatchObject({ state: 'done' });
        expect(outcome?.control?.id, diedAt).toBe(open.length === 0 ? undefined : action.id);
      },
    );

    expect(steps).toBeGreaterThan(30);
  });
});

describe('a change found in effect because of a later change', () => {
  it('a temporary raise stays temporary, although the same permanent raise was requested before and never applied', async () => {
    const world = await createActionWorld(redis());
    await performAction(lasting, silent(world, false));

    await performAction(raise('newer', { daily: 500 }, forMs(HOUR), byCommand), world.deps);
    await lookUntilOver(world);

    expect(await world.deps.temporaryChanges.get('act_newer')).toMatchObject({
      state: 'open',
      changes: [{ from: 40_000 }],
    });
  });

  it('a raise that someone made permanent is not reopened', async () => {
    const world = await createActionWorld(redis());
    await performAction(later, silent(world));

    await performAction(raise('keeps', { daily: 500 }, permanent, byCommand), world.deps);
    await lookUntilOver(world);

    expect(await temporaryChangeOf(world, later)).toMatchObject({ state: 'superseded' });
    expect((await lastOutcome(world))?.control).toBeNull();
  });

  it('of two limits, the one that someone made permanent stays and the other can be reverted', async () => {
    const world = await createActionWorld(redis());
    const two = raise('later', { daily: 500, monthly: 2100 }, forMs(HOUR));
    await performAction(two, silent(world));

    await performAction(raise('keeps', { monthly: 2100 }, permanent, byCommand), world.deps);
    await lookUntilOver(world);

    expect(await temporaryChangeOf(world, two)).toMatchObject({
      state: 'open',
      changes: [limitChange('daily', 40_000, 50_000)],
    });
    expect((await lastOutcome(world))?.control).toMatchObject({ kind: 'revert' });
  });
});

it('restores a raise that expires before it is found, and offers no revert', async () => {
  const world = await createActionWorld(redis());
  const short = raise('later', { daily: 500 }, forMs(MINUTE));
  await performAction(short, silent(world));

  world.advance(MINUTE + 1);
  await lookUntilOver(world);
  expect(await lastOutcome(world)).toMatchObject({ state: 'done', control: null });
  await endTemporaryChange(short.id, world.deps);

  expect(world.service.rules['DailySpendLimit']).toBe(400);
});

describe('a change whose response was lost and that is not found in effect', () => {
  it('is unconfirmed, and nobody is notified of its end', async () => {
    const world = await createActionWorld(redis());
    await performAction(earlier, world.deps);

    await performAction(later, silent(world, false));
    await lookUntilOver(world);

    expect(await temporaryChangeOf(world, later)).toMatchObject({ state: 'open', certainty: 'unconfirmed' });
    expect(await temporaryChangeOf(world, earlier)).toMatchObject({ state: 'open' });
    expect((await lastOutcome(world))?.confirmation).toBe('unconfirmed');
    world.advance(HOUR);
    const before = await world.stations();
    await endTemporaryChange(later.id, world.deps);
    expect(await temporaryChangeOf(world, later)).toBeNull();
    expect(await world.stations()).toEqual(before);
  });

  it('keeps its end if the card cannot be read, because the change may be in effect', async () => {
    const world = await createActionWorld(redis());
    await performAction(later, silent(world, false));

    await lookUntilOver({ ...world, deps: { ...world.deps, card: { ...world.deps.card, getSpendRules: away } } });

    expect(await temporaryChangeOf(world, later)).toMatchObject({ state: 'open' });
  });

  it('keeps its end if a shorter change will restore it later', async () => {
    const world = await createActionWorld(redis());
    await performAction(later, silent(world));

    await performAction(raise('newer', { daily: 600 }, forMs(HOUR), byCommand), world.deps);
    await lookUntilOver(world);

    expect(await temporaryChangeOf(world, later)).toMatchObject({ state: 'open', changes: [{ from: 40_000 }] });
  });

  it('does not cut a later change short', async () => {
    const world = await createActionWorld(redis());
    await performAction(later, silent(world, false));

    await performAction(raise('newer', { daily: 600 }, forMs(3 * HOUR), byCommand), world.deps);
    await lookUntilOver(world);

    world.advance(2 * HOUR);
    await endTemporaryChange(later.id, world.deps);

    expect(world.service.rules['DailySpendLimit']).toBe(600);
    expect((await world.deps.temporaryChanges.all()).map(({ id }) => id)).toEqual(['act_newer']);
  });
});

describe('a change whose response was lost, after which the card shows a third value', () => {
  /** The card service stores another amount and does not answer. @param isRead whether it can be read right after that. */
  function storesAnother(world: PerformWorld, isRead: boolean): WorldDeps {
    const { card } = world.deps;
    const other: WorldDeps['card'] = {
      ...card,
      putSpendRules: async (id, raw) => {
        await card.putSpendRules(id, { ...raw, DailySpendLimit: 470 });
        if (isRead) await away();
      },
    };
    return isRead
      ? { ...world.deps, card: other, isLastAttempt: true }
      : silent({ ...world, deps: { ...world.deps, card: other } });
  }

  it.each([true, false])('keeps its end, because the value may be its own (read at once: %s)', async (isRead) => {
    const world = await createActionWorld(redis());
    await performAction(later, storesAnother(world, isRead));
    await lookUntilOver(world);

    expect((await temporaryChangeOf(world, later))?.state).toBe('open');
    await endTemporaryChange(later.id, world.deps);

    expect(await temporaryChangeOf(world, later)).toMatchObject({
      state: 'asking',
      meanwhile: [{ from: 50_000, to: 47_000 }],
    });
    expect(world.service.rules['DailySpendLimit']).toBe(470);
  });

  it('says that it may be a change by somebody else or by the card service', async () => {
    const world = await createActionWorld(redis());

    await performAction({ ...later, ...byCommand } as VerbAction, storesAnother(world, true));

    const text = world.answers.at(-1)?.text ?? '';
    expect(text).toContain('Daily limit $470.00 now: neither what it was before nor what was asked for.');
    expect(text).toContain('Somebody changed it, or the card service stored another value.');
    expect(text).toContain('When its time is over, an approver decides whether it goes back.');
  });

  it('also after a retry', async () => {
    const world = await createActionWorld(redis());
    const blind = { ...storesAnother(world, false), isLastAttempt: false };
    await expect(performAction(later, blind)).rejects.toThrow(CardApiError);

    await performAction(later, world.deps);

    expect(await temporaryChangeOf(world, later)).toMatchObject({ state: 'open', changes: [{ from: 40_000 }] });
    expect(world.service.rules['DailySpendLimit']).toBe(470);
  });
});

it('a retried change also keeps its end if a shorter change will restore it later', async () => {
  const world = await createActionWorld(redis());
  await expect(performAction(later, { ...silent(world), isLastAttempt: false })).rejects.toThrow(CardApiError);

  await performAction(raise('newer', { daily: 600 }, forMs(HOUR), byCommand), world.deps);
  await performAction(later, world.deps);

  expect((await world.stations()).at(-1)).toBe('unknown');
  expect(await temporaryChangeOf(world, later)).toMatchObject({ state: 'open', changes: [{ from: 40_000 }] });
});
