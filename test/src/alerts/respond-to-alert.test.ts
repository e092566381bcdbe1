import { expect, it } from 'vitest';
import { accountOf, directoryOf } from '../../support/directories.ts';
import { useRedis } from '../../support/on-redis.ts';
import { ask, createActionWorld, performAction } from '../../support/perform-world.ts';

const redis = useRedis();

it('tells whoever presses after somebody else who has seen it, and answers the same person again', async () => {
  const world = await createActionWorld(redis());
  const unseen = { origin: { kind: 'button', channel: 'C1', messageTs: null, reply: null, replace: false } } as const;

  for (const id of ['act_1', 'act_2']) await performAction(ask('acknowledge', { ...unseen, id }), world.deps);
  const otto = { userId: 'U0OTTO', teamId: 'T1' };
  await performAction(ask('acknowledge', { id: 'act_otto', actor: otto }), world.deps);

  expect(world.answers.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^Marked as seen/),
    expect.stringMatching(/^Marked as seen/),
    '<@U0OLGA> marked this alert as seen before you. Nothing changed.',
  ]);
});

it('answers the person if another company reads the channel, because the alert does not show it there', async () => {
  const world = await createActionWorld(redis(), { visibilityOf: async () => 'shared' });

  await performAction(ask('acknowledge'), world.deps);

  expect(world.answers.map(({ text }) => text)).toEqual([expect.stringMatching(/^Marked as seen/)]);
  expect(world.answers[0]?.text).not.toMatch(/everybody/);
});

it('shows once who has seen the alert, however often the button is pressed', async () => {
  const world = await createActionWorld(redis());

  await performAction(ask('acknowledge'), world.deps);
  await performAction(ask('acknowledge', { id: 'act_again' }), world.deps);

  const stored = await world.deps.alerts.get('evt_0123456789abcdef');
  expect(stored?.outcomes).toMatchObject([{ verb: 'acknowledge', by: 'U0OLGA', state: 'done' }]);
});

it('names who may, if the person has the role for other cards only', async () => {
  const world = await createActionWorld(redis(), {
    hasCardGroups: () => true,
    directory: directoryOf({ account: async () => accountOf({ group: 'South' }) }),
    rolesOf: async (_userId, { group } = {}) => ({
      roles: group === 'South' ? [] : ['operator'],
      isComplete: true,
    }),
    whoMay: async () => ['U0SUE', 'U0OLGA'],
  });

  await performAction(ask('acknowledge'), world.deps);

  expect(world.answers.at(-1)?.text).toContain('Ask another operator or an approver. <@U0SUE>.');
  expect((await world.deps.alerts.get('evt_0123456789abcdef'))?.outcomes).toEqual([]);
});
