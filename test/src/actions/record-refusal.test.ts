import { describe, expect, it } from 'vitest';
import type { Action, Target } from '../../../src/actions/action.ts';
import { createAccountOf, createAskAgain } from '../../../src/actions/record-refusal.ts';
import { createTools } from '../../../src/app/compose-tools.ts';
import type { Message } from '../../../src/slack/message.ts';
import { useRedis } from '../../support/on-redis.ts';
import { acctId, ask, contextOf, createActionWorld, performAction, verbsOf } from '../../support/perform-world.ts';
import { temporaryChangeOf } from '../../support/temporary-changes.ts';

const redis = useRedis();
const alertId = 'evt_0123456789abcdef';
const refused = (id: string, verb: 'block' | 'show' = 'block') => ask(verb, { id });

describe('a refusal', () => {
  const words = { what: 'Blocking the card', why: 'Only operators may.', whoCan: 'Ask an operator.' };

  it('is on record, with its card and its reason, before the person reads it', async () => {
    const world = await createActionWorld(redis());
    const { deps, records } = world;
    const dies = async (): Promise<never> => Promise.reject(new Error('killed'));

    await expect(
      createTools(contextOf({ ...deps, answer: dies })).responses.refuse(ask('block'), words),
    ).rejects.toThrow('killed');

    expect(await records()).toMatchObject([{ event: 'refused', verb: 'block', acctId, detail: 'Only operators may.' }]);
    expect(world.auditLines).toEqual([`audit-${ask('block').id}-refused`]);
  });

  it('stands when its job runs again: the person reads it even after a crash, and nothing is done meanwhile', async () => {
    const world = await createActionWorld(redis());
    const dies = async (): Promise<never> => Promise.reject(new Error('killed'));
    await expect(
      createTools(contextOf({ ...world.deps, answer: dies })).responses.refuse(ask('block'), words),
    ).rejects.toThrow();

    // An operator by now.
    await performAction(ask('block'), world.deps);
    await performAction(ask('block'), world.deps);

    expect(world.writes, 'the card service was not asked').toEqual([]);
    expect((await world.records()).map(({ event }) => event)).toEqual(['refused']);
    expect(world.answers.map(({ text }) => text)).toEqual([expect.stringContaining('Only operators may.')]);
  });

  it('stands for a worker that lost the job and refuses it for another reason', async () => {
    const { deps, records, answers } = await createActionWorld(redis());
    const { refuse } = createTools(contextOf(deps)).responses;

    await refuse(ask('block'), words);
    await refuse(ask('block'), { ...words, why: 'It is blocked already.' });

    expect((await records()).map(({ detail }) => detail)).toEqual(['Only operators may.']);
    expect(answers.map(({ text }) => text)).not.toContainEqual(expect.stringContaining('blocked already'));
  });

  it('of an action that may have been sent does not end it', async () => {
    const { deps, records } = await createActionWorld(redis());
    const sending = { state: 'sending', acctId, before: null, after: null } as const;
    await deps.progress.begin(ask('block').id, sending);

    await createTools(contextOf(deps)).responses.refuse(ask('block'), words);

    expect(await deps.progress.read(ask('block').id)).toMatchObject({ state: 'sending' });
    expect(await records()).toMatchObject([{ event: 'refused' }]);
  });

  it('may be on record with another reason than the person reads', async () => {
    const { deps, records, answers } = await createActionWorld(redis());

    await createTools(contextOf(deps)).responses.refuse(ask('block'), words, { acctId: 7, why: 'not the own card' });

    expect(await records()).toMatchObject([{ acctId: 7, detail: 'not the own card' }]);
    expect(answers[0]?.text).toContain('Only operators may. Ask an operator. Nothing changed.');
  });

  it('of something that may have been done is on record as unknown, because "refused" means that nothing changed', async () => {
    const { deps, records, answers } = await createActionWorld(redis());

    await createTools(contextOf(deps)).responses.refuse(ask('block'), { ...words, isUnsure: true });

    expect(await records()).toMatchObject([{ event: 'unknown', acctId }]);
    expect(answers[0]?.text).not.toContain('Nothing changed');
  });
});

it('the account of a refusal is that of its target, or unknown', async () => {
  const { deps } = await createActionWorld(redis());
  await deps.temporaryChanges.save(temporaryChangeOf({ id: 'act_raise' }));
  const block = { acctId, cardId: null, alertId: null, by: 'U0OLGA', at: '2026-11-20T15:00:00.000Z' };
  await deps.blocks.keep({ ...block, actionId: 'act_block' });
  const accountOf = createAccountOf(deps);
  const known: Target[] = [
    { kind: 'card', acctId, cardId: null, alertId: null },
    { kind: 'alert', alertId },
    { kind: 'temporary-change', temporaryChangeId: 'act_raise' },
    { kind: 'action', actionId: 'act_block' },
  ];
  const unknown: Target[] = [
    { kind: 'alert', alertId: 'evt_gone' },
    { kind: 'request', requestId: 'req_gone' },
    { kind: 'own' },
  ];

  expect(await Promise.all(known.map(accountOf))).toEqual([acctId, acctId, acctId, acctId]);
  expect(await Promise.all(unknown.map(accountOf))).toEqual([null, null, null]);
});

it('records a hundred refusals of one person within a minute as two entries: the first and a count of the rest', async () => {
  const { deps, stations, records } = await createActionWorld(redis());
  const scheduled = new Set<string>();
  const verbs = verbsOf({ ...deps, scheduleRefusals: async (_action, first) => void scheduled.add(first) });
  for (let count = 0; count < 100; count += 1)
    await verbs.recordRefusal(refused(`act_${count}`), { why: 'not permitted' });
  expect([...scheduled]).toEqual(['act_0']);

  await verbs.recordRefusals(refused('act_1'), 'act_0');
  await verbs.recordRefusals(refused('act_1'), 'act_0');

  expect(await stations()).toEqual(['refused', 'refused']);
  expect((await records())[1]).toMatchObject({
    detail: '99 more refusals within a minute: block cards (99)',
    actor: { userId: 'U0OLGA' },
  });
});

it('does not call a person refused who mistyped something that they may do', async () => {
  const { deps } = await createActionWorld(redis());
  const lines: string[] = [];
  const postAuditLine: typeof deps.postAuditLine = async (_id, message) => void lines.push(JSON.stringify(message));
  const verbs = verbsOf({ ...deps, postAuditLine, scheduleRefusals: async () => {} });
  for (const id of ['act_0', 'act_1']) await verbs.recordRefusal(refused(id));
  for (const id of ['act_2', 'act_3'])
    await verbs.recordRefusal(refused(id), { why: 'This request is decided already.' });

  await verbs.recordRefusals(refused('act_1'), 'act_0');

  const did = 'was refused 1 more time and tried 2 more things that could not be done within a minute';
  expect(lines.at(-1)).toContain(did);
  expect(lines.at(-1)).toContain('block cards (1); not done: block cards (2); nothing changed');
});

it('records a refusal that is counted in the moment in which the others of the minute are recorded', async () => {
  const world = await createActionWorld(redis());
  const { deps, records } = world;
  const { note, forget } = deps.refusalCounts;
  const isLate = { value: true };
  const refusalCounts = {
    ...deps.refusalCounts,
    async forget(first: string) {
      if (isLate.value) await note(refused('act_3'));
      isLate.value = false;
      await forget(first);
    },
  };
  const verbs = verbsOf({ ...deps, refusalCounts, scheduleRefusals: async () => {} });
  for (const id of ['act_0', 'act_1', 'act_2']) await verbs.recordRefusal(refused(id));

  await verbs.recordRefusals(refused('act_1'), 'act_0');
  await verbs.recordRefusals(refused('act_1'), 'act_0');

  expect((await records()).slice(1).map(({ detail }) => detail)).toEqual([
    '2 more refusals within a minute: block cards (2)',
    '1 more refusal within a minute: block cards (1)',
  ]);
  expect(world.auditLines).toHaveLength(3);
});

it('records refusals once when the worker dies before it forgets them, although one more is counted', async () => {
  const { deps, records } = await createActionWorld(redis());
  const dies = async (): Promise<never> => Promise.reject(new Error('killed'));
  const verbs = verbsOf({ ...deps, scheduleRefusals: async () => {} });
  const dying = verbsOf({ ...deps, refusalCounts: { ...deps.refusalCounts, forget: dies } });
  for (const id of ['act_0', 'act_1']) await verbs.recordRefusal(refused(id));

  await expect(dying.recordRefusals(refused('act_1'), 'act_0')).rejects.toThrow('killed');
  await verbs.recordRefusal(refused('act_2'));
  await verbs.recordRefusals(refused('act_1'), 'act_0');

  const more = '1 more refusal within a minute: block cards (1)';
  expect((await records()).slice(1).map(({ detail, actionId }) => [actionId, detail])).toEqual([
    ['act_1', more],
    ['act_2', more],
  ]);
});

it('records a separate refusal for an action already audited as asked, so that its record has an end', async () => {
  const { deps, stations } = await createActionWorld(redis());
  const verbs = verbsOf({ ...deps, scheduleRefusals: async () => {} });
  await verbs.recordRefusal(refused('act_1'), { why: 'not permitted' });
  await deps.progress.write('act_2', { state: 'asked' });

  await verbs.recordRefusal(refused('act_2'), { why: 'not permitted' });

  expect(await stations()).toEqual(['refused', 'refused']);
});

it('says how long the action waited, offers it again behind a button, and audits that it was not performed', async () => {
  const answers: Message[] = [];
  const steps: unknown[] = [];
  const askAgain = createAskAgain({
    recordRefusal: async (_action, about) => void steps.push(about),
    answer: async (_action: Action, message) => void answers.push(message),
    putChoice: async ({ id }, questionId) => {
      steps.push({ id, questionId });
      return 'p_1';
    },
    askedFor: async (_action, acctId) => `unblock card of account ${acctId}`,
    progress: {
      read: async () => ({ state: 'asked' }),
      async write(id, next) {
        steps.push({ id, ...next });
        return next;
      },
    },
    now: () => new Date('2026-11-20T15:14:00.000Z'),
  });

  await askAgain(ask('unblock'), { acctId: 7 });

  expect(steps).toEqual([
    { acctId: 7, why: 'waited longer than 10 minutes, so it was asked about again' },
    { id: 'act_unblock1', state: 'asked', isAskedAgain: true },
    { id: 'act_unblock1', questionId: 'act_unblock1' },
  ]);
  expect(answers[0]?.text).toContain('You asked 14 minutes ago to unblock card of account 7. It could not');
  expect(JSON.stringify(answers[0]?.blocks)).toContain('"value":"p_1"');
});
