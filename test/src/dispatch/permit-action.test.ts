import { describe, expect, it } from 'vitest';
import { SlackError } from '../../../src/core/errors.ts';
import { type Verb, verbNames } from '../../../src/dispatch/verbs.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  ask,
  byCommand,
  createActionWorld,
  type Over,
  performAction,
  virtualOrder,
  type WorldDeps,
} from '../../support/perform-world.ts';
import { refusedOf } from '../../support/refused.ts';

const redis = useRedis();

const targets: Partial<Record<Verb, Over>> = {
  'undo-block': { target: { kind: 'action', actionId: 'act_1' } },
  'order-virtual': { target: virtualOrder },
  decide: { target: { kind: 'request', requestId: 'req_1' }, approve: true },
  'emergency-override': { target: { kind: 'request', requestId: 'req_1' } },
  revert: { target: { kind: 'temporary-change', temporaryChangeId: 'act_1' } },
  'complete-temporary-change': { target: { kind: 'temporary-change', temporaryChangeId: 'act_1' }, restore: true },
};
const of = (verb: Verb): Over => targets[verb] ?? byCommand;
const loosening = ['unblock', 'activate', 'limit', 'allow', 'order-virtual', 'emergency-override'] as const;
const nobody = { rolesOf: async () => ({ roles: [], isComplete: true }), whoMay: async () => ['U0ANA', 'S0APPROVERS'] };

/** Verbs that change a card or its money. */
const changing = verbNames.filter((verb) => Object.hasOwn(targets, verb) || verb === 'block').concat([...loosening]);

describe('an entry of the queue', () => {
  it.each([...new Set(changing)])('%s: is not done by whoever has no role, whatever roles it carries', async (verb) => {
    const world = await createActionWorld(redis(), nobody);
    for (const roles of [[], ['operator' as const, 'approver' as const]]) {
      await performAction(ask(verb, { ...of(verb), id: `act_${roles.length}`, roles }), world.deps);

      expect(world.writes).toEqual([]);
      expect((await refusedOf(world)).at(-1)).toMatchObject({ verb, actor: { userId: 'U0OLGA' }, roles: [] });
      const answer = world.answers.at(-1);
      expect(answer?.text).toMatch(/^Not done: Only .* Nothing changed\./);
      expect(JSON.stringify(answer?.blocks)).toContain('Ask <@U0ANA>, <!subteam^S0APPROVERS>.');
    }
  });

  it.each(['unblock', 'activate', 'order-virtual'] as const)(
    '%s: that waited longer than ten minutes is asked again, and done when the person says so',
    async (verb) => {
      const world = await createActionWorld(redis());
      world.service.status = verb === 'unblock' ? 'BLOCKED' : 'INACTIVE';
      world.advance(11 * 60_000);
      const asked = ask(verb, of(verb));

      await performAction(asked, world.deps);

      expect(world.writes).toEqual([]);
      expect(world.answers.at(-1)?.text).toMatch(/You asked 11 minutes ago to .*Do you still want it/);
      expect(await refusedOf(world)).toMatchObject([{ detail: expect.stringContaining('longer than 10 minutes') }]);
      const value = /"value":"(p_[^"]+)"/.exec(JSON.stringify(world.answers.at(-1)?.blocks))?.[1] ?? '';
      expect(await world.deps.pending.get(value)).toMatchObject({ kind: 'choice', action: { verb } });
      const again = ask(verb, { ...of(verb), id: 'act_again1', askedAt: world.deps.now().toISOString() });
      await performAction(again, world.deps);
      expect(world.writes).toHaveLength(1);
    },
  );

  it('a raise that waited longer than ten minutes is asked again; one that lowers a limit is done', async () => {
    const world = await createActionWorld(redis());
    world.advance(11 * 60_000);

    await performAction(ask('limit', byCommand), world.deps);
    expect(world.answers.at(-1)?.text).toMatch(/You asked 11 minutes ago to change limits/);
    expect(world.writes).toEqual([]);
    const goals = [{ rule: { kind: 'limit', period: 'daily', category: null }, to: 1000 }] as const;
    const lower = { changeRequest: { goals, term: { kind: 'permanent' } } } as const;
    await performAction(ask('limit', { ...byCommand, ...lower, id: 'act_lower1' }), world.deps);
    expect(world.writes).toEqual(['limit 10']);
  });

  it('a block is done however long it waited, and while Slack does not say who is in a group', async () => {
    const silent: Partial<WorldDeps> = { rolesOf: async () => ({ roles: [], isComplete: false }) };
    const world = await createActionWorld(redis(), silent);
    world.advance(24 * 3_600_000);

    await performAction(ask('block', byCommand), world.deps);

    expect(world.writes).toEqual(['status BLOCKED']);
  });

  it('anything looser is tried again while Slack does not say who is in a group', async () => {
    const world = await createActionWorld(redis(), { rolesOf: async () => ({ roles: [], isComplete: false }) });
    world.service.status = 'BLOCKED';

    await expect(performAction(ask('unblock', byCommand), world.deps)).rejects.not.toBeInstanceOf(SlackError);

    expect(world.writes).toEqual([]);
    expect(await world.stations()).toEqual([]);
  });

  it('a role that is taken away between the first look and the change counts', async () => {
    let looks = 0;
    const rolesOf: WorldDeps['rolesOf'] = async () => {
      looks += 1;
      return { roles: looks <= 2 ? ['approver'] : [], isComplete: true };
    };
    const world = await createActionWorld(redis(), { rolesOf });
    world.service.status = 'BLOCKED';

    await performAction(ask('unblock', byCommand), world.deps);

    expect(world.writes).toEqual([]);
    expect(await world.stations()).toEqual(['asked', 'refused']);
  });
});
