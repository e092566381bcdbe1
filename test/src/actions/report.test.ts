import { describe, expect, it } from 'vitest';
import type { Expected, Result } from '../../../src/actions/action-state.ts';
import { createTools } from '../../../src/app/compose-tools.ts';
import { useRedis } from '../../support/on-redis.ts';
import { acctId, ask, byCommand, contextOf, createActionWorld, type WorldDeps } from '../../support/perform-world.ts';
import { card } from '../../templates/fixtures.ts';

const redis = useRedis();
const alertId = 'evt_0123456789abcdef';
const ofBlock: Expected = { kind: 'status', status: 'BLOCKED', cardId: null };

function result(over: Partial<Result> = {}): Result {
  return { state: 'done', card, before: 'active', after: 'blocked', apiWords: null, note: null, ...over };
}

async function reporting(over: Partial<WorldDeps> = {}) {
  const scheduled: string[] = [];
  const scheduleConfirm: WorldDeps['scheduleConfirm'] = async (id) => void scheduled.push(id);
  const world = await createActionWorld(redis(), { scheduleConfirm, ...over });
  const { reports } = createTools(contextOf(world.deps));
  const outcomes = async () => (await world.deps.alerts.get(alertId))?.outcomes ?? [];
  return { ...world, records: world.records, reports, scheduled, outcomes };
}

describe('an outcome', () => {
  it('that another worker stored first is the one that everybody hears of', async () => {
    const { reports, records, outcomes } = await reporting();
    const action = ask('block');

    await reports.report(action, 'block', result());
    const said = await reports.report(action, 'block', result({ state: 'failed', apiWords: 'No such card' }));

    expect(said.state).toBe('done');
    expect((await records()).map(({ event }) => event)).toEqual(['done']);
    expect(await outcomes()).toMatchObject([{ state: 'done' }]);
  });

  it('is on record before anybody hears of it, and is reported by the next worker if it was not', async () => {
    const { deps, reports, answers, records, outcomes } = await reporting();
    const audit = { ...deps.audit, append: async () => Promise.reject(new Error('redis is full')) };
    const full = createTools(contextOf({ ...deps, audit })).reports;
    const action = ask('block', byCommand);

    await expect(full.report(action, 'block', result())).rejects.toThrow('redis is full');
    expect(answers).toEqual([]);
    expect(await outcomes()).toEqual([]);

    const state = await deps.progress.read(action.id);
    expect(await reports.resume(action, 'block', state)).toMatchObject({ state: 'done' });
    expect((await records()).map(({ event }) => event)).toEqual(['done']);
    expect(answers).toHaveLength(1);

    await reports.resume(action, 'block', await deps.progress.read(action.id));
    expect(answers, 'everybody has heard of it').toHaveLength(1);
  });

  it('is not known while a change is only being sent', async () => {
    const { reports, answers } = await reporting();

    expect(await reports.resume(ask('block'), 'block', { state: 'sending', before: null, after: null })).toBeNull();
    expect(answers).toEqual([]);
  });

  it('of a closed card shows on the alert that nothing can be done with it', async () => {
    const { reports, outcomes } = await reporting();
    const failed = result({ state: 'failed', after: null, note: 'The card is closed.' });

    await reports.report(ask('block', { id: 'act_open' }), 'block', failed);
    expect((await outcomes()).map(({ isClosed }) => isClosed)).toEqual([undefined]);

    await reports.report(ask('block', { id: 'act_closed' }), 'block', { ...failed, before: 'closed' });
    expect((await outcomes()).filter(({ isClosed }) => isClosed)).toHaveLength(1);
  });

  it('is looked up at the card service if there is something to see', async () => {
    const { reports, scheduled, deps } = await reporting();

    await reports.report(ask('block', { id: 'act_seen' }), 'block', result({ confirmation: 'confirmed' }));
    await reports.report(ask('block', { id: 'act_sent' }), 'block', result({ confirmation: 'sent', expects: ofBlock }));

    expect(scheduled).toEqual(['act_sent']);
    expect(await deps.progress.awaited()).toMatchObject([{ action: { id: 'act_sent' } }]);
  });
});

describe('the person who asked', () => {
  it.each([
    ['sees a block by a button on the alert alone', {}, 'done', 0],
    ['gets an answer if the alert is a copy that only they see', { messageTs: null }, 'done', 1],
    ['gets an answer in place of a question about the alert', { channel: 'D1', replace: true }, 'done', 1],
    ['gets an answer if it failed', {}, 'failed', 1],
  ] as const)('%s', async (_what, origin, state, count) => {
    const { reports, answers } = await reporting();
    const action = ask('block');

    await reports.report({ ...action, origin: { ...action.origin, ...origin } }, 'block', result({ state }));

    expect(answers).toHaveLength(count);
  });
});

describe('the alert', () => {
  it('shows an approved request under the action that asked for it, and nothing of an approval that failed', async () => {
    const { reports, outcomes } = await reporting();
    const approve = (id: string) => ask('block', { id, target: { kind: 'card', acctId, cardId: null, alertId } });

    await reports.report(approve('act_one'), 'limit', result({ state: 'failed' }), { outcomeOf: 'act_asked' });
    expect(await outcomes(), 'the request is still open').toEqual([]);

    await reports.report(approve('act_two'), 'limit', result(), { outcomeOf: 'act_asked' });
    await reports.report(approve('act_asked'), 'limit', result({ note: 'The same.' }));
    expect(await outcomes()).toMatchObject([{ state: 'done', text: expect.stringContaining('The same.') }]);
  });

  it('is left as it is if there was nothing to change', async () => {
    const { reports, outcomes, records } = await reporting();

    await reports.report(ask('block'), 'block', result({ state: 'unchanged' }));

    expect(await outcomes()).toEqual([]);
    expect((await records()).map(({ event }) => event)).toEqual(['unchanged']);
  });
});

it.each<[Partial<Result>, string | undefined]>([
  [{ confirmation: 'sent' }, 'accepted'],
  [{ confirmation: 'confirmed' }, 'no answer, then found as wished'],
  [{ state: 'failed', apiWords: 'Card is closed' }, 'refused: Card is closed'],
  [{ state: 'failed' }, undefined],
  [{ state: 'unknown' }, 'no answer'],
  [{ state: 'waiting' }, 'not asked'],
  // A raise that is in force already and stays, for example.
  [{}, 'not asked'],
])('the record of %j says what the card service answered: %s', async (over, api) => {
  const { reports, records } = await reporting();

  await reports.report(ask('block'), 'block', result(over));

  expect((await records()).map((record) => record.api)).toEqual([api]);
});
