import { describe, expect, it } from 'vitest';
import type { Expected } from '../../../src/actions/action-state.ts';
import type { Verb, VerbAction } from '../../../src/dispatch/verbs.ts';
import { unanswered } from '../../support/card-api-errors.ts';
import { held } from '../../support/held.ts';
import { killEverywhere } from '../../support/kill-everywhere.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  acctId,
  ask,
  byCommand,
  createActionWorld,
  type Over,
  type PerformWorld,
  performAction,
  verifyAction,
  type WorldDeps,
} from '../../support/perform-world.ts';

const redis = useRedis();

/** Lets one worker wait until another opens the gate. */
function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

const onButton = {};
const cases: readonly [string, Verb, Over, string, PerformWorld['service']['status']][] = [
  ['a block by a button', 'block', onButton, 'status BLOCKED', 'ACTIVE'],
  ['a block by a command', 'block', byCommand, 'status BLOCKED', 'ACTIVE'],
  ['an unblock by a command', 'unblock', byCommand, 'status ACTIVE', 'BLOCKED'],
  ['an activation by a button', 'activate', onButton, 'activate', 'INACTIVE'],
  ['a limit by a button', 'limit', onButton, 'limit 450', 'ACTIVE'],
  ['a limit by a command', 'limit', byCommand, 'limit 450', 'ACTIVE'],
];

describe.each(cases)('%s whose worker is killed at any step', (_what, verb, over, write, status) => {
  const action = ask(verb, over);
  const start = (world: PerformWorld): WorldDeps => {
    world.service.status = status;
    return world.deps;
  };

  it('makes one write, one audit entry per step and one answer', async () => {
    const steps = await killEverywhere(action, start, async (world, diedAt) => {
      expect(world.writes, diedAt).toEqual([write]);
      expect(await world.stations(), diedAt).toEqual(
        // If the worker was killed between the write and its record, reading the card back confirmed the change.
        (await world.stations()).length === 3 ? ['asked', 'sent', 'done'] : ['asked', 'sent', 'done', 'confirmed'],
      );
      expect(world.auditLines, diedAt).toEqual([`audit-${action.id}-done`]);
      expect(world.opsIssues, diedAt).toEqual([]);
      if (action.target.kind === 'alert') {
        expect(world.answers, diedAt).toEqual([]);
        expect(world.shown.at(-1), diedAt).toEqual({ state: 'done', confirmation: 'confirmed' });
      } else {
        // Killed after the answer but before recording it: answers again rather than not at all.
        expect(world.answers.length, diedAt).toBeLessThanOrEqual(/answer|progress.write/.test(diedAt) ? 2 : 1);
        expect(world.answers.length, diedAt).toBeGreaterThan(0);
      }
      expect(await world.deps.progress.awaited(), diedAt).toEqual([]);
    });

    expect(steps).toBeGreaterThan(20);
  });
});

describe.each(cases)(
  '%s after someone else changed the same setting, its worker killed at any step',
  (_what, verb, over, write, status) => {
    it('is still performed, because an earlier change does not supersede it', async () => {
      const action = ask(verb, over);
      const changeRequest = action.verb === 'limit' ? action.changeRequest : null;
      const expected: Expected =
        changeRequest === null
          ? { kind: 'status', status: 'BLOCKED', cardId: null }
          : { kind: 'rule', changes: changeRequest.goals.map((goal) => ({ ...goal, from: null })) };
      const start = async (world: PerformWorld): Promise<WorldDeps> => {
        world.service.status = status;
        await world.deps.latestChanges.changed(acctId, expected, {
          id: 'act_before',
          verb: 'activate',
          askedAt: '2026-11-20T14:59:00.000Z',
        });
        return world.deps;
      };

      await killEverywhere(action, start, async (world, diedAt) => {
        expect(world.writes, diedAt).toEqual([write]);
        expect((await world.stations()).slice(0, 3), diedAt).toEqual(['asked', 'sent', 'done']);
      });
    });
  },
);

describe('a write that succeeded but whose response was lost', () => {
  it.each(cases)(
    '%s: is read back and never sent twice, wherever the worker is killed',
    async (_what, verb, over, write, status) => {
      const action = ask(verb, over);
      const lost = (world: PerformWorld): WorldDeps => {
        world.service.status = status;
        const { card } = world.deps;
        const gone = (): never => {
          throw unanswered();
        };
        return {
          ...world.deps,
          card: {
            ...card,
            setCardStatus: (...args) => card.setCardStatus(...args).then(gone),
            activateCard: (...args) => card.activateCard(...args).then(gone),
            putSpendRules: (...args) => card.putSpendRules(...args).then(gone),
          },
        };
      };

      await killEverywhere(action, lost, async (world, diedAt) => {
        expect(world.writes, diedAt).toEqual([write]);
        expect(await world.stations(), diedAt).toEqual(['asked', 'sent', 'done']);
      });
    },
  );
});

describe('a worker that stalls for longer than its lock while another does the work', () => {
  /** The same dependencies for a process that stalls after these calls while another process takes over. */
  const standingStill = (deps: WorldDeps, after: (keyof WorldDeps['card'])[], meanwhile: () => Promise<void>) => {
    let isOver = false;
    const card = { ...deps.card } as Record<string, (...args: never[]) => Promise<unknown>>;
    for (const name of after) {
      const call = card[name] as (...args: never[]) => Promise<unknown>;
      card[name] = async (...args) => {
        const answer = await call(...args);
        if (!isOver) {
          isOver = true;
          await meanwhile();
        }
        return answer;
      };
    }
    return { ...deps, card: card as unknown as WorldDeps['card'] };
  };

  it.each(cases)(
    '%s: reaches the same result if it stalled after its write',
    async (_what, verb, over, write, status) => {
      const action = ask(verb, over);
      const world = await createActionWorld(redis());
      world.service.status = status;
      const deps = standingStill(world.deps, ['setCardStatus', 'activateCard', 'putSpendRules'], () =>
        performAction(action, world.deps),
      );

      await performAction(action, deps);

      expect(world.writes).toEqual([write]);
      expect(await world.stations()).toEqual(['asked', 'sent', 'done']);
      expect(world.auditLines).toEqual([`audit-${action.id}-done`]);
    },
  );

  it.each(cases)('%s: writes nothing if it stalled after its read', async (_what, verb, over, write, status) => {
    const action = ask(verb, over);
    const world = await createActionWorld(redis());
    world.service.status = status;
    const before = { ...world.service };
    // Someone then changed it back, so what this worker read is true again. It must still not write.
    const deps = standingStill(world.deps, ['getAccount', 'getSpendRules'], async () => {
      await performAction(action, world.deps);
      Object.assign(world.service, before);
    });

    await performAction(action, deps);

    expect(world.writes).toEqual([write]);
    expect((await world.stations()).slice(0, 3)).toEqual(['asked', 'sent', 'done']);
  });
});

describe('an unblock that two workers finish, the second while its confirmation is being reported', () => {
  it('is audited as done once', async () => {
    const action = ask('unblock', byCommand);
    const world = await createActionWorld(redis());
    world.service.status = 'BLOCKED';
    const { card, audit, progress } = world.deps;
    const isSent = gate();
    const mayAnswer = gate();
    const first = performAction(action, {
      ...world.deps,
      card: {
        ...card,
        setCardStatus: async (...args) => {
          await card.setCardStatus(...args);
          isSent.open();
          await mayAnswer.opened;
        },
      },
    });
    await isSent.opened;
    const hasFoundIt = gate();
    const mayTell = gate();
    const second = performAction(action, {
      ...world.deps,
      progress: {
        ...progress,
        write: async (...args) => {
          hasFoundIt.open();
          await mayTell.opened;
          return await progress.write(...args);
        },
      },
    });
    await hasFoundIt.opened;
    mayAnswer.open();
    await first;
    world.advance(3_000);
    await verifyAction(action.id, {
      ...world.deps,
      audit: {
        ...audit,
        append: async (record) => {
          await audit.append(record);
          if (record.event !== 'confirmed') return;
          mayTell.open();
          await second;
        },
      },
    });

    expect(await world.stations()).toEqual(['asked', 'sent', 'done', 'confirmed']);
    expect(await progress.read(action.id)).toMatchObject({ state: 'confirmed', isNotified: true });
  });
});

describe('two people who ask for the same block at once', () => {
  it('cause one write, and the second person learns that it is already done', async () => {
    const world = await createActionWorld(redis());
    let queue: Promise<unknown> = Promise.resolve();
    const withLock: WorldDeps['withLock'] = async (_name, work) => {
      const mine = queue.then(() => work(held));
      queue = mine.catch(() => {});
      return await mine;
    };
    const deps = { ...world.deps, withLock };
    const [olga, ana] = ['U0OLGA', 'U0ANA'].map((userId) =>
      ask('block', { id: `act_${userId.toLowerCase()}`, actor: { userId, teamId: 'T1' } }),
    ) as [VerbAction, VerbAction];

    await Promise.all([performAction(olga, deps), performAction(ana, deps)]);

    expect(world.writes).toEqual(['status BLOCKED']);
    expect(world.answers.map(({ text }) => text)).toEqual([expect.stringContaining('blocked already')]);
  });
});

it('does not report a failure if the change was made but could not be audited on the last attempt', async () => {
  const world = await createActionWorld(redis());
  const { append } = world.deps.audit;
  const audit = {
    ...world.deps.audit,
    append: async (record: Parameters<typeof append>[0]) => {
      if (record.event === 'done' || record.event === 'failed') throw new Error('redis is full');
      await append(record);
    },
  };
  const action = ask('block', byCommand);

  await expect(performAction(action, { ...world.deps, audit, isLastAttempt: true })).rejects.toThrow('redis is full');
  expect(world.answers).toEqual([]);

  await performAction(action, world.deps);
  expect(world.answers.map(({ text }) => text)).toEqual([expect.stringMatching(/^Blocked/)]);
  expect(await world.stations()).toEqual(['asked', 'sent', 'done']);
});
