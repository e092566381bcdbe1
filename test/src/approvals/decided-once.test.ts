import { describe, expect, it } from 'vitest';
import { VerbAction } from '../../../src/dispatch/verbs.ts';
import { REQUEST_OVERDUE_MS } from '../../../src/policy/decide-action.ts';
import {
  approvalClick,
  askedToPay,
  denial,
  linkHugo,
  override,
  type Told,
  toPay,
} from '../../support/asked-for-more.ts';
import { killEverywhere } from '../../support/kill-everywhere.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  ask,
  byCommand,
  createActionWorld,
  type PerformWorld,
  performAction,
  verifyAction,
  type WorldDeps,
} from '../../support/perform-world.ts';

const redis = useRedis();
/** The holder in the current world. */
let hugo: Told;
const read = (): string[] => hugo.told();
const raised = (world: PerformWorld): Promise<number> =>
  world.deps.temporaryChanges
    .all()
    .then((temporaryChanges) => temporaryChanges.filter(({ state }) => state === 'open').length);

describe('a holder’s request whose worker is killed at any step', () => {
  it('is opened once, is audited once, and its holder is answered', async () => {
    const steps = await killEverywhere(
      toPay(50_000),
      async (world) => {
        hugo = await linkHugo(world);
        return hugo.deps;
      },
      async (world, diedAt) => {
        expect(await world.deps.requests.open(), diedAt).toMatchObject([{ id: 'req_ask1', needed: 1, approvals: [] }]);
        expect(await world.stations(), diedAt).toEqual(['waiting']);
        expect(new Set(world.answers.map(({ text }) => text)).size, diedAt).toBe(1);
        expect(world.answers[0]?.text, diedAt).toMatch(/Sent to the approvers: you want to pay/);
        expect(world.writes, diedAt).toEqual([]);
      },
    );

    expect(steps).toBeGreaterThan(10);
  });

  it('is approved with one write and one temporary raise, and tells the holder to retry once confirmed', async () => {
    const steps = await killEverywhere(
      approvalClick('act_zoe', 'U0ZOE'),
      async (world) => {
        hugo = await askedToPay(world, 160_000);
        await performAction(approvalClick('act_ben', 'U0BEN'), hugo.deps);
        expect(world.writes).toEqual([]);
        return hugo.deps;
      },
      async (world, diedAt) => {
        expect(world.writes, diedAt).toEqual(['limit 2000']);
        expect(await raised(world), diedAt).toBe(1);
        const request = await world.deps.requests.get('req_ask1');
        expect(request, diedAt).toMatchObject({ state: 'approved', decision: { by: 'U0ZOE' } });
        expect(
          request?.approvals.map(({ by }) => by),
          diedAt,
        ).toEqual(['U0BEN', 'U0ZOE']);
        const [, , , sent, done, ...after] = await world.stations();
        expect([sent, done], diedAt).toEqual(['sent', 'done']);
        expect(after, diedAt).toEqual(after.length === 0 ? [] : ['confirmed']);
        expect(read(), diedAt).toEqual([
          expect.stringMatching(/^U0HUGO req_ask1-approved: Approved by <@U0ZOE>: you can pay \$1,600\.00 until/),
        ]);
      },
    );

    expect(steps).toBeGreaterThan(30);
  });

  it.each([
    ['denied', denial('act_zoe', 'U0ZOE'), denial('act_again', 'U0ZOE')],
    ['denied, and someone else denies it first', denial('act_zoe', 'U0ZOE'), denial('act_ben', 'U0BEN')],
  ])(
    'is audited as %s, with one result per click, if another click arrives before the next worker',
    async (_what, click, other) => {
      await killEverywhere(
        click,
        async (world) => {
          hugo = await askedToPay(world, 160_000);
          return hugo.deps;
        },
        async (world, diedAt) => {
          const ends = (await world.records()).filter(({ event }) => event === 'denied' || event === 'refused');
          const ofClick = (id: string): string[] =>
            ends.flatMap(({ actionId, event }) => (actionId === id ? [event] : []));
          expect(
            [ofClick(click.id), ofClick(other.id)].map((events) => events.length),
            diedAt,
          ).toEqual([1, 1]);
          expect(ends.map(({ event }) => event).toSorted(), diedAt).toEqual(['denied', 'refused']);
        },
        async (_world, deps) => await performAction(other, deps),
      );
    },
  );

  it('is overridden once, with one write, and everyone is notified', async () => {
    const steps = await killEverywhere(
      override,
      async (world) => {
        hugo = await askedToPay(world, 50_000);
        world.advance(REQUEST_OVERDUE_MS);
        return hugo.deps;
      },
      async (world, diedAt) => {
        expect(world.writes, diedAt).toEqual(['limit 900']);
        expect(await raised(world), diedAt).toBe(1);
        expect((await world.deps.requests.get('req_ask1'))?.state, diedAt).toBe('overridden');
        expect(world.auditLines, diedAt).toContain('audit-act_glass1-override');
        expect(read(), diedAt).toEqual([
          expect.stringMatching(
            /^U0HUGO req_ask1-overridden: <@U0OTTO> used the emergency override: you can pay \$500\.00 until/,
          ),
        ]);
      },
    );

    expect(steps).toBeGreaterThan(30);
  });
});

describe('an approval that the card service does not confirm', () => {
  it('is not reported as "try again", and not before its outcome is known', async () => {
    const world = await createActionWorld(redis());
    hugo = await askedToPay(world, 50_000);
    const { deps } = hugo;
    // The card service accepts the change but still shows the old limit.
    const deaf = { ...deps, card: { ...deps.card, putSpendRules: async () => {} } };

    await performAction(approvalClick('act_ben', 'U0BEN'), deaf);
    expect(read()).toEqual([]);
    for (let again: number | null = 0; again !== null; ) {
      world.advance(again);
      again = await verifyAction('act_ben', deaf);
    }

    expect(read()).toEqual([expect.stringMatching(/Approved by <@U0BEN>, but not confirmed.*may not work yet/)]);
  });
});

describe('a change that fails between the write and its response', () => {
  it('is still verified, and its outcome is reported and audited', async () => {
    const world = await createActionWorld(redis());
    const action = VerbAction.parse({ ...ask('limit', byCommand) });
    const broken = (): never => {
      throw new Error('a fault of ours');
    };
    const deps: WorldDeps = {
      ...world.deps,
      isLastAttempt: true,
      card: {
        ...world.deps.card,
        putSpendRules: async (...args) => {
          await world.deps.card.putSpendRules(...args);
          broken();
        },
      },
    };
    await expect(performAction(action, deps)).rejects.toThrow('a fault of ours');
    expect(world.answers.at(-1)?.text).toMatch(/^Not sure/);

    for (let again: number | null = 0; again !== null; ) {
      world.advance(again);
      again = await verifyAction(action.id, world.deps);
    }

    expect(await world.stations()).toEqual(['asked', 'sent', 'unknown', 'confirmed']);
    expect(world.direct.at(-1)?.text).toMatch(/^Limit changed/);
  });
});
