import { expect, it } from 'vitest';
import { createLock } from '../../../src/core/lock.ts';
import { unreadableKey } from '../../../src/core/record-store.ts';
import type { VerbAction } from '../../../src/dispatch/verbs.ts';
import { approvalPolicyOf } from '../../../src/policy/approval-policy.ts';
import { refusal, unanswered } from '../../support/card-api-errors.ts';
import { crashAtStep, Killed } from '../../support/crash-at.ts';
import { memoryRedis } from '../../support/memory-redis.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  acctId,
  ask,
  byCommand,
  createActionWorld,
  type PerformWorld,
  performAction,
  verbsOf,
  virtualOrder,
  type WorldDeps,
} from '../../support/perform-world.ts';
import { virtualAlert } from '../../templates/fixtures.ts';

const redis = useRedis();
const MINUTE = 60_000;
const order = ask('order-virtual', { ...byCommand, id: 'act_order1', target: virtualOrder });
const resend = ask('resend-virtual', { ...byCommand, id: 'act_resend1' });

const report = (deps: WorldDeps) => verbsOf(deps).reportOverdueOrders();
const told = ({ direct }: PerformWorld): string[] => direct.map(({ text }) => text);

const results = {
  order: { virtualCardOrderId: 77, holder: 'Vera Nova' },
  name: { holder: 'Vera Nova' },
  resend: { outcome: 'resend', acctId },
} as const;

/** The webhook arrives that an action waits for. */
async function arrives({ deps }: PerformWorld, awaited: keyof typeof results, over: Partial<WorldDeps> = {}) {
  const alert = virtualAlert({ ...results[awaited], callbackAt: deps.now().toISOString() });
  await deps.alerts.save(alert);
  await verbsOf({ ...deps, ...over }).virtualCardArrived(alert.event);
}

const lost = async (): Promise<never> => {
  throw unanswered();
};

/** What waits for a webhook, and how the card service answered. */
const waits: readonly [
  what: string,
  VerbAction,
  awaited: keyof typeof results,
  card: Partial<WorldDeps['card']>,
  says: RegExp,
][] = [
  [
    'an order',
    order,
    'order',
    {},
    /^No result yet: a virtual card for Vera Nova\. The card service .*accepted this order .*\. Its result never arrived, so the card may or may not exist\. Ask the card service about order 77 before you order again\./,
  ],
  [
    'an order without an answer',
    order,
    'name',
    { orderVirtualCards: lost },
    /^No result yet: a virtual card for Vera Nova\. I don’t know whether the card service took this order, and no result arrived: the card may or may not exist\. Check the card program’s portal before you order again\./,
  ],
  [
    'a resend',
    resend,
    'resend',
    {},
    /^Not confirmed: the details of Jane Doe · card [\s\S]* The card is unchanged\. Ask again: it does no harm\.$/,
  ],
  ['a resend without an answer', resend, 'resend', { requestVirtualCardData: lost }, /^Not confirmed: the details of /],
];

async function waiting(action: VerbAction, card: Partial<WorldDeps['card']>, on = redis()): Promise<PerformWorld> {
  const world = await createActionWorld(on);
  await performAction(action, { ...world.deps, card: { ...world.deps.card, ...card } });
  return world;
}

it.each(waits)(
  '%s without a webhook is reported once to the person who asked',
  async (_what, action, _awaited, card, says) => {
    const world = await waiting(action, card);
    world.advance(89 * MINUTE);
    await report(world.deps);
    expect(told(world), 'it may still come').toEqual([]);
    world.advance(2 * MINUTE);

    for (const _run of [1, 2]) await report(world.deps);

    expect(told(world)).toEqual([expect.stringMatching(says)]);
    expect((await world.stations()).slice(3)).toEqual(['unconfirmed']);
    expect((await world.records()).at(-1)).toMatchObject({ actor: { userId: 'U0OLGA' }, detail: 'no webhook arrived' });
  },
);

it.each(waits)('%s: a webhook that comes after all is reported, too', async (_what, action, awaited, card) => {
  const world = await waiting(action, card);
  world.advance(91 * MINUTE);
  await report(world.deps);

  await arrives(world, awaited);
  await report(world.deps);

  expect(told(world).slice(1)).toEqual([expect.stringMatching(/^You asked for this: /)]);
  expect((await world.stations()).slice(3)).toEqual(['unconfirmed', 'confirmed']);
});

it.each(waits)('%s: nobody reads that no webhook came if it did', async (_what, action, awaited, card) => {
  const world = await waiting(action, card);
  await arrives(world, awaited);
  world.advance(91 * MINUTE);

  await report(world.deps);

  expect(told(world)).toEqual([expect.stringMatching(/^You asked for this: /)]);
  expect((await world.stations()).slice(3)).toEqual(['confirmed']);
});

it.each(waits.slice(0, 2))('%s: nor if it came before the answer', async (_what, action, awaited, card) => {
  const world = await createActionWorld(redis());
  await arrives(world, awaited);
  await performAction(action, { ...world.deps, card: { ...world.deps.card, ...card } });
  world.advance(91 * MINUTE);

  await report(world.deps);

  expect(told(world)).toEqual([expect.stringMatching(/^You asked for this: /)]);
});

it('the wait of an order begins when it is sent, also if its approval took hours', async () => {
  const world = await createActionWorld(redis());
  const policyFor = () => approvalPolicyOf({ twoPersonAboveCents: 1000 });
  const decide = ask('decide', {
    target: { kind: 'request', requestId: 'req_order1' },
    id: 'act_ben',
    approve: true,
    actor: { userId: 'U0BEN', teamId: 'T1' },
  });
  const deps = { ...world.deps, policyFor, card: { ...world.deps.card, orderVirtualCards: lost } };
  await performAction(order, deps);
  world.advance(5 * 60 * MINUTE);
  await performAction({ ...decide, askedAt: world.deps.now().toISOString() }, deps);
  expect((await world.stations()).at(-1)).toBe('unknown');
  world.advance(80 * MINUTE);

  await report(deps);

  expect(told(world).filter((text) => text.startsWith('No result'))).toEqual([]);
});

it('a resend that was refused waits for nothing', async () => {
  const world = await waiting(resend, {
    requestVirtualCardData: async () => {
      throw refusal();
    },
  });
  world.advance(91 * MINUTE);

  await report(world.deps);

  expect(told(world)).toEqual([]);
});

it('a resend that was given up before it was sent is not reported, even if a worker died before that was stored', async () => {
  const world = await createActionWorld(redis());
  const unstored = { ...world.deps.awaitedOrders, forget: async () => {} };
  const requestVirtualCardData = async (): Promise<never> => {
    throw refusal();
  };
  const card = { ...world.deps.card, requestVirtualCardData };
  await performAction(resend, { ...world.deps, awaitedOrders: unstored, card });
  world.advance(91 * MINUTE);

  await report(world.deps);

  expect(told(world)).toEqual([]);
  expect((await world.stations()).at(-1)).toBe('failed');
});

it('a resend that was refused after its worker died before it was sent waits for nothing', async () => {
  const world = await createActionWorld(redis());
  const begin = async (): Promise<never> => {
    throw new Killed('before it was sent');
  };
  const dying = { ...world.deps, progress: { ...world.deps.progress, begin } };
  await expect(performAction(resend, dying)).rejects.toThrow(Killed);
  await performAction({ ...resend, roles: [] }, world.deps);
  expect((await world.stations()).at(-1)).toBe('refused');
  world.advance(91 * MINUTE);

  await report(world.deps);
  expect(await redis().exists('{cardbell:state}:virtual-awaited')).toBe(0);
  await arrives(world, 'resend');

  expect(told(world)).toEqual([]);
});

it('what could not be reported is forgotten after 8 days, also if others wait since', async () => {
  const world = await waiting(order, {});
  world.advance(8 * 24 * 60 * MINUTE + MINUTE);

  await performAction({ ...resend, askedAt: world.deps.now().toISOString() }, world.deps);

  expect(await redis().zrange('{cardbell:state}:virtual-awaited', '0', '-1')).toEqual([
    expect.stringContaining(resend.id),
  ]);
});

it('a resend whose own outcome is not known yet is reported after it', async () => {
  const world = await createActionWorld(redis());
  const requestVirtualCardData = async (): Promise<never> => {
    throw new Killed('while sending');
  };
  const card = { ...world.deps.card, requestVirtualCardData };
  await expect(performAction(resend, { ...world.deps, card })).rejects.toThrow(Killed);
  world.advance(91 * MINUTE);
  await report(world.deps);
  expect(told(world)).toEqual([]);

  await performAction(resend, world.deps);
  await report(world.deps);

  expect((await world.stations()).slice(-2)).toEqual(['unknown', 'unconfirmed']);
});

it('a resend whose own outcome is stored, but not reported yet, is reported after it', async () => {
  const read: string[] = [];
  const world = await createActionWorld(redis(), {
    answer: async (_asked, { text }) => void read.push(text),
    notifyDirectly: async (_userId, _id, { text }) => void read.push(text),
  });
  const answer = async (): Promise<never> => {
    throw new Killed('before the answer');
  };
  await expect(performAction(resend, { ...world.deps, answer })).rejects.toThrow(Killed);
  world.advance(91 * MINUTE);
  await report(world.deps);

  await performAction(resend, world.deps);
  await report(world.deps);

  expect(read).toEqual([expect.stringMatching(/^Asked for the details/), expect.stringMatching(/^Not confirmed: /)]);
  expect((await world.stations()).slice(-2)).toEqual(['done', 'unconfirmed']);
});

it('an order that was given up while it was sent waits for its webhook, too', async () => {
  const world = await createActionWorld(redis());
  const orderVirtualCards = async (): Promise<never> => {
    throw new Error('a fault of ours');
  };
  const card = { ...world.deps.card, orderVirtualCards };
  await expect(performAction(order, { ...world.deps, card, isLastAttempt: true })).rejects.toThrow('a fault of ours');
  await performAction(order, world.deps);
  expect(world.answers.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^Not sure: .* I won’t order it again/),
  ]);
  world.advance(91 * MINUTE);

  await report(world.deps);
  await arrives(world, 'name');

  expect(told(world)).toEqual([
    expect.stringMatching(/^No result yet: a virtual card for Vera Nova/),
    expect.stringMatching(/^You asked for this: /),
  ]);
  expect(await world.stations()).toEqual(['asked', 'sent', 'unknown', 'unconfirmed', 'confirmed']);
  expect(world.writes).toEqual([]);
});

it('waits for webhooks that arrived while no worker ran', async () => {
  const world = await waiting(order, {});
  const sinceMs = world.deps.now().getTime();
  world.advance(91 * MINUTE);

  await report({ ...world.deps, isDelivered: async (beforeMs) => beforeMs !== sinceMs + 90 * MINUTE });
  expect(told(world)).toEqual([]);

  await report(world.deps);
  expect(told(world)).toHaveLength(1);
});

it.each(waits)('%s is reported once if a worker crashes at any step', async (_what, action, _awaited, card, says) => {
  const overdue = async (killAt: number) => {
    const world = await waiting(
      action,
      card,
      memoryRedis(() => new Date()),
    );
    world.advance(91 * MINUTE);
    const { deps, life } = crashAtStep(world.deps, killAt);
    await report(deps).catch(() => {});
    return { world, life };
  };
  const steps = (await overdue(Number.POSITIVE_INFINITY)).life.points();
  expect(steps).toBeGreaterThan(8);

  for (let killAt = 1; killAt <= steps; killAt += 1) {
    const { world, life } = await overdue(killAt);
    await report(world.deps);

    expect(told(world), `${life.diedAt()}`).toEqual([expect.stringMatching(says)]);
    expect((await world.stations()).slice(3), `${life.diedAt()}`).toEqual(['unconfirmed']);
  }
});

it.each(waits)(
  '%s: of a webhook that arrives meanwhile, people read after that none came',
  async (_what, action, awaited, card) => {
    const world = await waiting(action, card);
    world.advance(91 * MINUTE);
    const withLock = createLock(redis());
    const arrivals: Promise<void>[] = [];

    await report({
      ...world.deps,
      withLock,
      progress: {
        ...world.deps.progress,
        // Everything that this process decides by has been read.
        async read(id) {
          const state = await world.deps.progress.read(id);
          if (arrivals.length === 0) arrivals.push(arrives(world, awaited, { withLock }));
          await new Promise((resolve) => setTimeout(resolve, 50));
          return state;
        },
      },
    });
    await Promise.all(arrivals);

    expect(told(world)).toEqual([
      expect.stringMatching(/^(?:No result yet|Not confirmed): /),
      expect.stringMatching(/^You asked for this: /),
    ]);
  },
);

it('one that cannot be reported does not hold up others', async () => {
  const world = await waiting(order, {});
  await performAction({ ...resend, askedAt: world.deps.now().toISOString() }, world.deps);
  world.advance(91 * MINUTE);
  const read: WorldDeps['progress']['read'] = async (id) => {
    if (id === order.id) throw new Error('cannot be read');
    return await world.deps.progress.read(id);
  };

  await report({ ...world.deps, progress: { ...world.deps.progress, read } });

  expect(told(world)).toEqual([expect.stringMatching(/^Not confirmed/)]);
});

it('one that a newer version has registered and this one cannot read does not hold up others, and ops are told', async () => {
  const world = await waiting(order, {});
  const key = '{cardbell:state}:virtual-awaited';
  const newer = JSON.stringify({ awaited: { kind: 'activation', acctId }, actionId: 'act_newer1' });
  await redis().zadd(key, world.deps.now().getTime() - MINUTE, newer);
  world.advance(91 * MINUTE);

  await report(world.deps);

  expect(told(world)).toEqual([expect.stringMatching(/^No result yet/)]);
  expect(await redis().smembers(unreadableKey)).toEqual([key]);
  expect(await redis().zrange(key, '0', '-1'), 'the newer version reports it').toEqual([newer]);
});

it('an order that an earlier version stored is not reported, and its webhook still is', async () => {
  const world = await waiting(order, {});
  await redis().del('{cardbell:state}:virtual-awaited');
  world.advance(91 * MINUTE);
  await report(world.deps);
  expect(told(world)).toEqual([]);

  await arrives(world, 'order');
  expect(told(world)).toEqual([expect.stringMatching(/^You asked for this: /)]);
});
