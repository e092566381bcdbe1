import { describe, expect, it } from 'vitest';
import { type AwaitedChange, stateOf } from '../../../src/actions/action-state.ts';
import { createLatestChanges, createProgress } from '../../../src/actions/progress-store.ts';
import { useRedis } from '../../support/on-redis.ts';
import { acctId, ask } from '../../support/perform-world.ts';
import { card } from '../../templates/fixtures.ts';

const redis = useRedis();
const sending = { state: 'sending', before: 'active', after: 'blocked' } as const;

function sentAt(sentAt: string, id: string) {
  const expects = { kind: 'status', status: 'BLOCKED', cardId: null } as const;
  const texts = { before: null, after: null, apiWords: null, note: null };
  const result = { state: 'done', card, ...texts, confirmation: 'sent', expects } as const;
  const action = ask('block', { id });
  const awaited: AwaitedChange = { action, verb: 'block', acctId, outcomeOf: id, result, sentAt };
  return stateOf(result, sentAt, awaited);
}

describe('the progress of an action', () => {
  it('is the last state written', async () => {
    const progress = createProgress(redis());

    await progress.write('act_1', { state: 'asked' });
    await progress.write('act_1', sending);

    expect(await progress.read('act_1')).toEqual(sending);
    expect(await progress.read('act_2')).toBeNull();
  });

  it('keeps the first result and returns it to later writers', async () => {
    const progress = createProgress(redis());
    const first = sentAt('2026-11-20T15:00:00.000Z', 'act_1');
    await progress.write('act_1', first);

    const stands = await progress.write('act_1', sentAt('2026-11-20T15:00:09.000Z', 'act_1'));

    expect(stands).toEqual(first);
  });
});

it('tells once for each action that it takes longer', async () => {
  const progress = createProgress(redis());

  expect(await Promise.all([1, 2].map(() => progress.isFirstTrouble('act_1')))).toEqual([true, false]);
  expect(await progress.isFirstTrouble('act_2')).toBe(true);
});

it('knows which private answers a later one has replaced', async () => {
  const progress = createProgress(redis());
  await progress.answerReplaced('act_1');

  expect(await Promise.all(['act_1', 'act_2'].map(progress.isAnswerReplaced))).toEqual([true, false]);
});

describe('a write that must be sent once', () => {
  it('is sent by the first of several concurrent workers', async () => {
    const progress = createProgress(redis());
    await progress.write('act_1', { state: 'asked' });

    const answers = await Promise.all([1, 2, 3].map(() => progress.begin('act_1', sending)));

    expect(answers.filter((stands) => stands === null)).toHaveLength(1);
    expect(answers.filter((stands) => stands !== null)).toEqual([sending, sending]);
  });
});

it('lists awaited changes, oldest first, until their outcome is reported', async () => {
  const progress = createProgress(redis());
  const older = sentAt('2026-11-20T15:00:00.000Z', 'act_older');
  await progress.write('act_newer', sentAt('2026-11-20T15:00:09.000Z', 'act_newer'));
  await progress.write('act_older', older);
  expect((await progress.awaited()).map(({ outcomeOf }) => outcomeOf)).toEqual(['act_older', 'act_newer']);

  const seen = { by: 'webhook', eventId: 'evt_1' } as const;
  await progress.write('act_older', { ...older, state: 'confirmed', seen, isNotified: true });

  expect((await progress.awaited()).map(({ outcomeOf }) => outcomeOf)).toEqual(['act_newer']);
});

const status = { kind: 'status', status: 'BLOCKED', cardId: null } as const;
const asked = (id: string, second = 0, verb = 'block') => ({
  id,
  verb,
  askedAt: `2026-11-20T15:00:0${second}.000Z`,
});

it('an action is superseded by a later change of the same kind, not by the change before it', async () => {
  const latest = createLatestChanges(redis());
  await latest.changed(1, status, asked('act_before'));
  const followed = await latest.changedBy(1, status);

  expect(followed).toEqual(['act_before']);
  expect(await latest.isSuperseded(1, status, 'act_own', followed)).toBe(false);

  await latest.changed(1, status, asked('act_own'));
  expect(await latest.isSuperseded(1, status, 'act_own')).toBe(false);

  await latest.changed(1, status, asked('act_later'));
  expect(await latest.isSuperseded(1, status, 'act_own', followed)).toBe(true);
  expect(await latest.isSuperseded(2, status, 'act_own'), 'on another account').toBe(false);
});

it('knows the actions that may have made a card active, not those that were certainly not made', async () => {
  const latest = createLatestChanges(redis());
  for (const verb of ['unblock', 'block', 'undo-block', 'activate'])
    await latest.changed(1, status, asked(`act_${verb}`, 0, verb));
  await latest.changed(1, status, asked('act_failed', 0, 'unblock'));
  await latest.notMade(1, status, asked('act_failed'));

  const ids = (await latest.activations(1)).map(({ id }) => id);
  expect(ids).toEqual(['act_unblock', 'act_undo-block', 'act_activate']);
});

describe('an action is overtaken by a later request', () => {
  it('that was sent or found in effect first', async () => {
    const latest = createLatestChanges(redis());
    await latest.changed(1, status, asked('act_own', 2));
    expect(await latest.isOvertaken(1, status, asked('act_own', 2)), 'by the action itself').toBe(false);

    await latest.changed(1, status, asked('act_earlier', 1));
    expect(await latest.isOvertaken(1, status, asked('act_own', 2)), 'by an earlier action').toBe(false);
    expect(await latest.isOvertaken(1, status, asked('act_earlier', 1))).toBe(true);

    await latest.alreadyInEffect(2, status, asked('act_later', 3));
    expect(await latest.isOvertaken(2, status, asked('act_own', 2))).toBe(true);
  });

  it('but not by one that definitely had no effect', async () => {
    const latest = createLatestChanges(redis());
    await latest.changed(1, status, asked('act_failed', 5));
    await latest.notMade(1, status, asked('act_failed'));

    expect(await latest.isOvertaken(1, status, asked('act_own', 2))).toBe(false);
  });

  it('only if the verb of the later request counts', async () => {
    const latest = createLatestChanges(redis());
    await latest.changed(1, status, asked('act_later', 5, 'activate'));
    const isUnblock = (verb: string): boolean => verb === 'unblock';

    expect(await latest.isOvertaken(1, status, asked('act_own', 2), isUnblock)).toBe(false);
    expect(await latest.isSuperseded(1, status, 'act_own', [], isUnblock)).toBe(false);

    await latest.changed(1, status, asked('act_last', 6, 'unblock'));
    expect(await latest.isOvertaken(1, status, asked('act_own', 2), isUnblock)).toBe(true);
    expect(await latest.isSuperseded(1, status, 'act_own', [], isUnblock)).toBe(true);
  });
});

describe('a change that was certainly not made', () => {
  it('leaves the change before it as the last one, however often it was tried', async () => {
    const latest = createLatestChanges(redis());
    await latest.changed(1, status, asked('act_made'));
    await latest.changed(1, status, asked('act_failed', 1, 'unblock'));
    await latest.changed(1, status, asked('act_failed', 1, 'unblock'));

    await latest.notMade(1, status, asked('act_failed'));

    expect(await latest.changedBy(1, status)).toEqual(['act_made']);
    expect(await latest.isSuperseded(1, status, 'act_made')).toBe(false);
  });

  it('leaves a later change as the last one', async () => {
    const latest = createLatestChanges(redis());
    await latest.changed(1, status, asked('act_made'));
    await latest.changed(1, status, asked('act_failed', 1));
    await latest.changed(1, status, asked('act_later', 2));

    await latest.notMade(1, status, asked('act_failed'));
    expect(await latest.changedBy(1, status)).toEqual(['act_later']);

    await latest.notMade(1, status, asked('act_later'));
    expect(await latest.changedBy(1, status)).toEqual(['act_made']);
  });
});
