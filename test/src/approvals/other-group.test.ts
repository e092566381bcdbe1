import { describe, expect, it } from 'vitest';
import type { VerbAction } from '../../../src/dispatch/verbs.ts';
import { accountOf, directoryOf } from '../../support/directories.ts';
import { limitGoal } from '../../support/limit-goals.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  ask,
  byCommand,
  createActionWorld,
  type PerformWorld,
  performAction,
  virtualOrder,
} from '../../support/perform-world.ts';

const redis = useRedis();
const person = (userId: string) => ({ userId, teamId: 'T1' });

/** Zed approves for the crew, everybody else for all other cards. */
async function world(group: string | null = null): Promise<PerformWorld> {
  return await createActionWorld(redis(), {
    hasCardGroups: () => true,
    directory: directoryOf({ account: async () => accountOf({ group }) }),
    rolesOf: async (userId, asked = {}) => {
      const isTheirs = asked.group === undefined || (userId === 'U0ZED') === (asked.group === 'Crew');
      return { roles: isTheirs ? ['approver', 'operator'] : [], isComplete: true };
    },
    whoMay: async (_role, group) => (group === 'Crew' ? ['U0ZED'] : ['U0ANA', 'U0BEN']),
  });
}

const much: VerbAction = ask('limit', {
  ...byCommand,
  id: 'act_much',
  actor: person('U0ANA'),
  changeRequest: { goals: [limitGoal('daily', 200_000)], term: { kind: 'permanent' } },
});
const sealed = JSON.stringify({ ...JSON.parse(virtualOrder.sealed), fundCents: 200_000 });
const order = ask('order-virtual', { id: 'act_much', target: { ...virtualOrder, sealed }, actor: person('U0ANA') });
const blockAll = ask('block-all', {
  id: 'act_much',
  actor: person('U0ANA'),
  acctIds: [1, 2, 3, 4, 5, 6],
  names: ['1', '2', '3', '4', '5', '6'],
});
const decide = (userId: string, id: string, approve: boolean): VerbAction =>
  ask('decide', { id, approve, target: { kind: 'request', requestId: 'req_much' }, actor: person(userId) });

describe.each([
  ['a limit', much],
  ['an order', order],
  ['a block of many cards', blockAll],
])('a request for %s of the main part', (_what, asked) => {
  it.each([
    ['denied', false],
    ['approved', true],
  ])('is not %s by an approver of a card group', async (_how, approve) => {
    const { deps, answers, stations } = await world();
    await performAction(asked, deps);

    await performAction(decide('U0ZED', 'act_zed', approve), deps);

    expect(answers.at(-1)?.text).toContain(
      'Only approvers of other cards may decide this request. Ask another approver. <@U0ANA> or <@U0BEN>.',
    );
    expect((await stations()).at(-1)).toBe('refused');
    expect(await deps.requests.get('req_much')).toMatchObject({ state: 'open', approvals: [{ by: 'U0ANA' }] });
  });

  it('is denied by one of its approvers', async () => {
    const { deps } = await world();
    await performAction(asked, deps);

    await performAction(decide('U0BEN', 'act_ben', false), deps);

    expect(await deps.requests.get('req_much')).toMatchObject({ state: 'denied', decision: { by: 'U0BEN' } });
  });
});

it('a request for a card of a group is denied by an approver of that group only', async () => {
  const { deps, answers } = await world('Crew');
  await performAction({ ...much, actor: person('U0ZED') }, deps);
  expect(await deps.requests.get('req_much')).toMatchObject({ state: 'open' });

  await performAction(decide('U0BEN', 'act_ben', false), deps);
  expect(answers.at(-1)?.text).toContain(
    'Only approvers of other cards may decide this request. Ask another approver. <@U0ZED>.',
  );
  expect(await deps.requests.get('req_much')).toMatchObject({ state: 'open' });

  await performAction(decide('U0ZED', 'act_zed', false), deps);
  expect(await deps.requests.get('req_much')).toMatchObject({ state: 'denied', decision: { by: 'U0ZED' } });
});

it('a block of many cards asked by an approver of a card group needs one approver of the main part', async () => {
  const given = await world();
  const blocked: number[] = [];
  const card = { ...given.deps.card, setCardStatus: async (acctId: number) => void blocked.push(acctId) };
  const deps = { ...given.deps, card };

  await performAction({ ...blockAll, actor: person('U0ZED') }, deps);
  expect(await deps.requests.get('req_much')).toMatchObject({ needed: 1, approvals: [] });
  await performAction(decide('U0BEN', 'act_ben', true), deps);

  expect(await deps.requests.get('req_much')).toMatchObject({ state: 'approved', voided: [] });
  expect(blocked).toEqual([1, 2, 3, 4, 5, 6]);
});
