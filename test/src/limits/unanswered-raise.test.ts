import { describe, expect, it } from 'vitest';
import { type ActionState, type Result, stateOf } from '../../../src/actions/action-state.ts';
import { readUnanswered } from '../../../src/limits/unanswered-raise.ts';
import { limitChange } from '../../support/limit-goals.ts';
import { acctId, ask } from '../../support/perform-world.ts';
import { card } from '../../templates/fixtures.ts';

const at = '2026-11-20T15:00:00.000Z';
const expects = { kind: 'rule', changes: [limitChange('daily', 40_000, 130_000)] } as const;
const result: Result = { state: 'unknown', card, before: null, after: null, apiWords: null, note: null, expects };
const awaited = { action: ask('limit'), verb: 'limit', acctId, outcomeOf: 'act_1', result, sentAt: at } as const;
const unanswered = stateOf(result, at, awaited);
const late = { ...unanswered, state: 'unconfirmed', isNotified: true, mayComeLate: true } as const;
const { mayComeLate: _over, ...settled } = late;

/** Whether the raise is unsure, and whether the daily limit still is what it was before it. */
async function known(state: ActionState | null, nowCents: number): Promise<[isUnsure: boolean, isUnmade: boolean]> {
  const raise = { actionId: 'act_1' };
  const { isUnsure, isUnmade } = await readUnanswered([raise], { progress: { read: async () => state } });
  const now = limitChange('daily', nowCents, 200_000);
  return [isUnsure(raise, now), isUnmade(raise, now)];
}

describe('an earlier raise that got no answer', () => {
  it.each([unanswered, late])('may have been made, unless the limit shows that it is in effect', async (state) => {
    expect(await known(state, 40_000)).toEqual([true, true]);
    expect(await known(state, 50_000)).toEqual([true, false]);
    expect(await known(state, 130_000)).toEqual([false, false]);
  });

  it('may have been made if nobody knows what it changed', async () => {
    expect(await known({ ...late, awaited: null }, 40_000)).toEqual([true, false]);
  });
});

it.each([
  [[limitChange('daily', 40_000, 200_000)], ['act_1']],
  [[limitChange('daily', 50_000, 200_000)], []],
  [[limitChange('weekly', 40_000, 200_000)], []],
])(
  'changes repeat an earlier raise if they set all its rules again, from the values before it (%#)',
  async (now, ids) => {
    const { repeatedBy } = await readUnanswered([{ actionId: 'act_1' }], { progress: { read: async () => late } });

    expect(repeatedBy(now)).toEqual(ids);
  },
);

it('nobody knows what an earlier raise repeats if nobody knows what it changed', async () => {
  const progress = { read: async () => ({ ...late, awaited: null }) };
  const { repeatedBy } = await readUnanswered([{ actionId: 'act_1' }], { progress });

  expect(repeatedBy([limitChange('daily', 40_000, 200_000)])).toEqual([]);
});

it.each([
  ['was answered', stateOf({ ...result, state: 'done' }, at, awaited)],
  ['was looked at until it could no longer be made', settled],
  ['has left no trace', null],
])('an earlier raise that %s is no question', async (_what, state) => {
  expect(await known(state, 40_000)).toEqual([false, false]);
});
