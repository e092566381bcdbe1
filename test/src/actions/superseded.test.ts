import { describe, expect, it } from 'vitest';
import type { Term } from '../../../src/card-api/rule-change.ts';
import { CardApiError, TooLateError } from '../../../src/core/errors.ts';
import { createLock } from '../../../src/core/lock.ts';
import type { VerbAction } from '../../../src/dispatch/verbs.ts';
import { refusal, unanswered } from '../../support/card-api-errors.ts';
import { limitGoal } from '../../support/limit-goals.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  ask,
  byCommand,
  createActionWorld,
  endTemporaryChange,
  type PerformWorld,
  performAction,
  verifyAction,
  virtualOrder,
  type WorldDeps,
} from '../../support/perform-world.ts';
import { until } from '../../support/until.ts';

const redis = useRedis();

const lost = async (): Promise<never> => {
  throw unanswered();
};
const never = (): Promise<never> => new Promise(() => {});
const permanent: Term = { kind: 'permanent' };
const limitOf = (id: string, limitCents: number, term: Term = permanent): VerbAction =>
  ask('limit', {
    ...byCommand,
    id,
    changeRequest: {
      goals: [limitGoal('daily', limitCents)],
      term,
    },
  });

/** Name, older request, newer request, card status before, and expected state afterwards. */
type Sequence = [what: string, older: VerbAction, newer: VerbAction, was: string, is: object];

const [t0, t1] = ['2026-11-20T15:00:00.000Z', '2026-11-20T15:00:05.000Z'];
const olderBlock = ask('block', { ...byCommand, id: 'act_older' });
const newerUnblock = ask('unblock', { ...byCommand, id: 'act_newer', askedAt: t1 });
const toThreeHundred = { rules: expect.objectContaining({ DailySpendLimit: 300 }) };
const newerLimit = { ...limitOf('act_newer', 30_000), askedAt: t1 };
const block: Sequence = ['a block', olderBlock, newerUnblock, 'BLOCKED', { status: 'ACTIVE' }];
const limit: Sequence = ['a limit', limitOf('act_older', 45_000), newerLimit, 'ACTIVE', toThreeHundred];

it.each<Sequence>([block, limit])(
  '%s whose first attempt failed is not retried over a newer request',
  async (_what, older, newer, was, is) => {
    const world = await createActionWorld(redis());
    const card = { ...world.deps.card, setCardStatus: lost, putSpendRules: lost };
    const broken: WorldDeps = { ...world.deps, card };
    await expect(performAction(older, broken)).rejects.toThrow(CardApiError);
    // The state if the first attempt had succeeded after all, so that there is something to undo.
    world.service.status = was as typeof world.service.status;

    await performAction(newer, world.deps);
    await performAction(older, world.deps);

    expect(world.service).toMatchObject(is);
    expect((await world.stations()).slice(-1)).toEqual(['unknown']);
    expect(world.answers.at(-1)?.text).toContain('I did not repeat it');
  },
);

it('a change without an answer is sent again after the card service has refused somebody else’s', async () => {
  const world = await createActionWorld(redis());
  const lowered = limitOf('act_lower', 10_000);
  const cardWith = (putSpendRules: WorldDeps['card']['putSpendRules']) => ({ ...world.deps.card, putSpendRules });
  await expect(performAction(lowered, { ...world.deps, card: cardWith(lost) })).rejects.toThrow(CardApiError);
  const card = cardWith(async () => {
    throw refusal();
  });
  await performAction(limitOf('act_other', 45_000), { ...world.deps, card });
  expect(world.answers.at(-1)?.text).toContain('Nothing changed');

  await performAction(lowered, world.deps);

  expect(world.service.rules['DailySpendLimit']).toBe(100);
});

const international = { kind: 'international' } as const;
const allow = (id: string, to: boolean, over: object = {}): VerbAction =>
  ask('allow', {
    ...byCommand,
    id,
    changeRequest: { goals: [{ rule: international, to }], term: permanent },
    ...over,
  });
const later = <A extends VerbAction>(action: A): A => ({ ...action, askedAt: t1 });

describe('a queued action and a later request that was performed first', () => {
  it.each<Sequence>([
    block,
    limit,
    [
      'an unblock',
      ask('unblock', { ...byCommand, id: 'act_older' }),
      ask('block', { ...byCommand, id: 'act_newer' }),
      'ACTIVE',
      { status: 'BLOCKED' },
    ],
    [
      'an unblock of a card that was already blocked when someone asked to block it',
      ask('unblock', { ...byCommand, id: 'act_older' }),
      ask('block', { ...byCommand, id: 'act_newer' }),
      'BLOCKED',
      { status: 'BLOCKED' },
    ],
    [
      'a lower limit',
      limitOf('act_older', 10_000),
      limitOf('act_newer', 45_000),
      'ACTIVE',
      { rules: expect.objectContaining({ DailySpendLimit: 450 }) },
    ],
    [
      'a limit for an hour',
      limitOf('act_older', 45_000, { kind: 'duration', ms: 3_600_000 }),
      newerLimit,
      'ACTIVE',
      toThreeHundred,
    ],
    [
      'one of several limits',
      ask('limit', {
        ...byCommand,
        id: 'act_older',
        changeRequest: { goals: [limitGoal('daily', 45_000), limitGoal('monthly', 190_000)], term: permanent },
      }),
      limitOf('act_newer', 30_000),
      'ACTIVE',
      { rules: expect.objectContaining({ DailySpendLimit: 300, MonthlySpendLimit: 2000 }) },
    ],
    [
      'allowing purchases abroad',
      allow('act_older', true),
      allow('act_newer', false),
      'ACTIVE',
      { rules: expect.objectContaining({ InternationalSpendEnabled: false }) },
    ],
  ])('%s is not performed, and the requester is notified', async (_what, older, newer, was, is) => {
    const world = await createActionWorld(redis());
    world.service.status = was as typeof world.service.status;
    world.service.rules = { ...world.service.rules, InternationalSpendEnabled: true };

    await performAction(later(newer), world.deps);
    const writes = [...world.writes];
    await performAction(older, world.deps);

    expect(world.service).toMatchObject(is);
    expect(world.writes, 'the older request wrote nothing').toEqual(writes);
    expect((await world.stations()).at(-1)).toBe('failed');
    expect(world.answers.at(-1)?.text).toContain('after you did, so I did not make yours');
  });

  it('a permanent limit does not make a later temporary limit of the same amount permanent', async () => {
    const world = await createActionWorld(redis());
    await performAction(later(limitOf('act_newer', 45_000, { kind: 'duration', ms: 3_600_000 })), world.deps);

    await performAction(limitOf('act_older', 45_000), world.deps);

    expect((await world.deps.temporaryChanges.get('act_newer'))?.state).toBe('open');
    expect((await world.stations()).at(-1)).toBe('failed');
    expect(world.answers.at(-1)?.text).toContain('after you did, so I did not make yours');
  });

  it('a later change of another rule does not overtake it', async () => {
    const world = await createActionWorld(redis());
    await performAction(later(allow('act_newer', true)), world.deps);

    await performAction(limitOf('act_older', 45_000), world.deps);

    expect(world.service.rules).toMatchObject({ DailySpendLimit: 450 });
  });

  it('a later request that the card service refused does not overtake it', async () => {
    const world = await createActionWorld(redis());
    const refuses = async (): Promise<never> => {
      throw refusal();
    };
    world.service.status = 'BLOCKED';
    const card = { ...world.deps.card, putSpendRules: refuses, setCardStatus: refuses };
    const refusing: WorldDeps = { ...world.deps, card };
    await performAction(later(limitOf('act_newer', 30_000)), refusing);
    await performAction(later(ask('unblock', { ...byCommand, id: 'act_newer2' })), refusing);
    world.service.status = 'ACTIVE';

    await performAction(limitOf('act_older', 45_000), world.deps);
    await performAction(ask('block', { ...byCommand, id: 'act_older2' }), world.deps);

    expect(world.service).toMatchObject({ status: 'BLOCKED', rules: { DailySpendLimit: 450 } });
  });

  it('undoing a block gives way to a block requested later', async () => {
    const world = await createActionWorld(redis());
    await performAction(ask('block', { ...byCommand, id: 'act_block1', askedAt: t0 }), world.deps);
    world.service.status = 'ACTIVE';
    const ana = { userId: 'U0ANA', teamId: 'T1' };
    await performAction(later(ask('block', { ...byCommand, id: 'act_block2', actor: ana })), world.deps);

    await performAction(
      ask('undo-block', { id: 'act_undo', target: { kind: 'action', actionId: 'act_block1' } }),
      world.deps,
    );

    expect(world.service.status).toBe('BLOCKED');
  });

  it('reverting a temporary change gives way to a permanent limit set later', async () => {
    const world = await createActionWorld(redis());
    await performAction(limitOf('act_raise', 45_000, { kind: 'duration', ms: 3_600_000 }), world.deps);
    await performAction(later(limitOf('act_newer', 60_000)), world.deps);

    const target = { kind: 'temporary-change', temporaryChangeId: 'act_raise' } as const;
    await performAction(ask('revert', { id: 'act_revert', target }), world.deps);

    expect(world.service.rules).toMatchObject({ DailySpendLimit: 600 });
    expect(world.answers.at(-1)?.text).toContain('A later change took its place');
  });

  it('the automatic end of a temporary change does not overtake it', async () => {
    const world = await createActionWorld(redis());
    await performAction(limitOf('act_raise', 45_000, { kind: 'duration', ms: 60_000 }), world.deps);
    world.advance(61_000);
    await endTemporaryChange('act_raise', world.deps);

    await performAction(later(limitOf('act_older', 60_000)), world.deps);

    expect(world.service.rules).toMatchObject({ DailySpendLimit: 600 });
  });
});

describe('a block gives way only to an unblock', () => {
  const activate = ask('activate', { ...byCommand, id: 'act_newer', askedAt: t1 });
  const secondBlock = ask('block', {
    ...byCommand,
    id: 'act_newer',
    askedAt: t1,
    actor: { userId: 'U0ANA', teamId: 'T1' },
  });

  it.each([
    ['that waited in the queue', async () => {}],
    [
      'whose response was lost',
      async ({ deps }: PerformWorld) => {
        const broken = { ...deps, card: { ...deps.card, setCardStatus: lost } };
        await expect(performAction(olderBlock, broken)).rejects.toThrow(CardApiError);
      },
    ],
  ])('a block %s is still sent after someone activated the card', async (_what, before) => {
    const world = await createActionWorld(redis());
    world.service.status = 'INACTIVE';
    await before(world);

    await performAction(activate, world.deps);
    await performAction(olderBlock, world.deps);

    expect(world.writes).toEqual(['activate', 'status BLOCKED']);
    expect(world.service.status).toBe('BLOCKED');
  });

  it('a block is sent although somebody has asked since to unblock the card, which was active', async () => {
    const world = await createActionWorld(redis());
    await performAction(newerUnblock, world.deps);
    expect((await world.stations()).at(-1)).toBe('unchanged');

    await performAction(olderBlock, world.deps);

    expect(world.writes).toEqual(['status BLOCKED']);
    expect(world.service.status).toBe('BLOCKED');
  });

  it('a block whose card cannot be read is sent again after a later block, and not reported as skipped', async () => {
    const world = await createActionWorld(redis());
    await performAction(secondBlock, world.deps);

    await performAction(olderBlock, { ...world.deps, card: { ...world.deps.card, getAccount: lost } });

    expect(world.service.status).toBe('BLOCKED');
    expect((await world.stations()).at(-1)).toBe('done');
  });

  it('a queued activation is not performed after a later block', async () => {
    const world = await createActionWorld(redis());
    world.service.status = 'INACTIVE';
    await performAction(secondBlock, world.deps);

    await performAction(ask('activate', { ...byCommand, id: 'act_older' }), world.deps);

    expect(world.writes).toEqual(['status BLOCKED']);
    expect((await world.stations()).at(-1)).toBe('failed');
  });
});

describe('a worker that stalls just before its write while others do its work and a newer change', () => {
  /** Stalls once it has recorded that it is about to change the card. */
  function standingStill(world: PerformWorld, meanwhile: () => Promise<void>): WorldDeps {
    const { latestChanges } = world.deps;
    let isOver = false;
    return {
      ...world.deps,
      withLock: createLock(redis()),
      latestChanges: {
        ...latestChanges,
        async changed(...args) {
          const changes = await latestChanges.changed(...args);
          if (isOver) return changes;
          isOver = true;
          await redis().del(...(await redis().keys('*lock:account:*')));
          await meanwhile();
          return changes;
        },
      },
    };
  }

  it.each<Sequence>([limit, block])('%s: keeps the newer change', async (_what, older, newer, _was, is) => {
    const world = await createActionWorld(redis());
    const others: WorldDeps = { ...world.deps, withLock: createLock(redis()) };
    const stalled = standingStill(world, async () => {
      await performAction(older, others);
      await performAction(newer, others);
      world.advance(3_000);
      await verifyAction(newer.id, others);
    });

    await expect(performAction(older, stalled)).rejects.toThrow(TooLateError);
    await performAction(older, others);

    expect(world.service).toMatchObject(is);
    expect(world.writes).toHaveLength(2);
    expect((await world.stations()).filter((station) => station === 'done')).toHaveLength(2);
  });

  it('the end of a temporary change: keeps what was set since', async () => {
    const world = await createActionWorld(redis());
    const raise = limitOf('act_raise', 45_000, { kind: 'duration', ms: 60_000 });
    const others: WorldDeps = { ...world.deps, withLock: createLock(redis()) };
    await performAction(raise, others);
    const stalled = standingStill(world, async () => {
      await endTemporaryChange(raise.id, others);
      await performAction(limitOf('act_newer', 60_000), others);
    });
    world.advance(61_000);

    await expect(endTemporaryChange(raise.id, stalled)).rejects.toThrow(TooLateError);

    expect(world.service.rules).toMatchObject({ DailySpendLimit: 600 });
    expect(world.writes).toEqual(['limit 450', 'limit 400', 'limit 600']);
  });

  it('an order: places nothing after its outcome was reported as unknown', async () => {
    const world = await createActionWorld(redis());
    const order = ask('order-virtual', { ...byCommand, id: 'act_order3', target: virtualOrder });
    const { progress } = world.deps;
    const stalled: WorldDeps = {
      ...world.deps,
      withLock: createLock(redis()),
      progress: {
        ...progress,
        async begin(...args) {
          const stands = await progress.begin(...args);
          await redis().del(...(await redis().keys('*lock:order:*')));
          await performAction(order, { ...world.deps, withLock: createLock(redis()) });
          return stands;
        },
      },
    };

    await expect(performAction(order, stalled)).rejects.toThrow(TooLateError);

    expect(world.writes).toEqual([]);
    expect(world.answers.map(({ text }) => text)).toEqual([expect.stringContaining('I won’t order it again')]);
  });
});

describe('an order whose worker stalled for longer than its lock', () => {
  const action = ask('order-virtual', { ...byCommand, id: 'act_order2', target: virtualOrder });

  it.each([
    ['has placed it', (deps: WorldDeps): WorldDeps => deps],
    ['is placing it', (deps: WorldDeps): WorldDeps => ({ ...deps, card: { ...deps.card, orderVirtualCards: never } })],
  ])('is not placed again if another worker %s', async (_what, asOther) => {
    const world = await createActionWorld(redis());
    const { progress } = world.deps;
    const stalled: WorldDeps = {
      ...world.deps,
      progress: {
        ...progress,
        async begin(id, entry) {
          const other = performAction(action, asOther(world.deps));
          await Promise.race([
            other,
            until(async () => (await progress.read(id))?.state === 'sending', 'the order is being sent'),
          ]);
          return await progress.begin(id, entry);
        },
      },
    };
    const before = world.writes.length;

    await performAction(action, stalled);

    expect(world.writes.length - before).toBe(asOther(world.deps) === world.deps ? 1 : 0);
  });
});

describe('a status change that the card service certainly did not make at first', () => {
  const limited = async (): Promise<never> => {
    throw refusal(null, { code: 'rate_limited' });
  };
  const retried = async (world: PerformWorld, action: VerbAction): Promise<void> => {
    const deps = { ...world.deps, card: { ...world.deps.card, setCardStatus: limited } };
    await expect(performAction(action, deps)).rejects.toThrow(CardApiError);
  };

  it('does not unblock a card whose block somebody else was told to be in effect', async () => {
    const world = await createActionWorld(redis());
    world.service.status = 'BLOCKED';
    const ben = { userId: 'U0BEN', teamId: 'T1' };
    const unblock = ask('unblock', { ...byCommand, id: 'act_older' });
    await retried(world, unblock);

    await performAction(ask('block', { ...byCommand, id: 'act_newer', actor: ben, askedAt: t1 }), world.deps);
    expect(world.answers.at(-1)?.text).toMatch(/blocked already/);
    await performAction(unblock, world.deps);

    expect(world.service.status).toBe('BLOCKED');
    expect(world.writes).toEqual([]);
  });

  it('does not claim a block that somebody else made meanwhile, nor offers to undo it', async () => {
    const world = await createActionWorld(redis());
    const block = ask('block', { ...byCommand, id: 'act_older' });
    await retried(world, block);
    world.service.status = 'BLOCKED';

    await performAction(block, world.deps);

    expect((await world.stations()).at(-1)).toBe('unchanged');
    expect(JSON.stringify(world.answers.at(-1))).not.toContain('undo');
  });
});

describe('a block of a blocked card while an unblock without an answer may still be carried out', () => {
  const [ben, zoe] = [
    { userId: 'U0BEN', teamId: 'T1' },
    { userId: 'U0ZOE', teamId: 'T1' },
  ];
  const unblock = ask('unblock', { ...byCommand, id: 'act_older' });
  const blockBy = (id: string, actor: typeof ben) => ask('block', { ...byCommand, id, actor, askedAt: t1 });
  async function unanswer() {
    const world = await createActionWorld(redis());
    world.service.status = 'BLOCKED';
    const deps = { ...world.deps, card: { ...world.deps.card, setCardStatus: lost } };
    await expect(performAction(unblock, deps)).rejects.toThrow(CardApiError);
    return { world, deps };
  }

  it('is sent by everyone who asks for it, without an offer to undo it, and the unblock is not repeated', async () => {
    const { world } = await unanswer();

    await performAction(blockBy('act_newer', ben), world.deps);
    await performAction(unblock, world.deps);
    await performAction(blockBy('act_newest', zoe), world.deps);

    expect(world.writes).toEqual(['status BLOCKED', 'status BLOCKED']);
    expect(JSON.stringify(world.answers)).not.toMatch(/blocked already|undo/);
  });

  it('is not confirmed by the card, which was blocked before, but sent again', async () => {
    const { world, deps } = await unanswer();
    await expect(performAction(blockBy('act_newer', ben), deps)).rejects.toThrow(CardApiError);

    await performAction(blockBy('act_newer', ben), world.deps);

    expect(world.writes).toEqual(['status BLOCKED']);
  });

  it('is not confirmed by the card after a later unblock', async () => {
    const { world, deps } = await unanswer();
    await expect(performAction(blockBy('act_newer', ben), deps)).rejects.toThrow(CardApiError);
    const last = ask('unblock', { ...byCommand, id: 'act_last', askedAt: '2026-11-20T15:00:09.000Z' });
    await expect(performAction(last, deps)).rejects.toThrow(CardApiError);

    await performAction(blockBy('act_newer', ben), world.deps);

    expect((await world.stations()).at(-1)).toBe('unknown');
  });

  it('is not confirmed by the card after it was given up', async () => {
    const { world, deps } = await unanswer();
    await performAction(blockBy('act_newer', ben), { ...deps, isLastAttempt: true });
    world.advance(121_000);

    await verifyAction('act_newer', world.deps);

    expect((await world.stations()).at(-1)).toBe('unconfirmed');
  });

  it.each([
    ['also after the unblock was given up', 5 * 60_000, ['status BLOCKED']],
    ['but not after ten minutes', 11 * 60_000, []],
  ])('%s', async (_when, ms, writes) => {
    const { world, deps } = await unanswer();
    await performAction(unblock, { ...deps, isLastAttempt: true });
    world.advance(121_000);
    await verifyAction(unblock.id, world.deps);
    expect((await world.stations()).at(-1)).toBe('unconfirmed');
    world.advance(ms - 121_000);

    await performAction(blockBy('act_newer', ben), world.deps);

    expect(world.writes).toEqual(writes);
  });
});
