import { expect, it } from 'vitest';
import { stateOf } from '../../../src/actions/action-state.ts';
import { createHandOver } from '../../../src/limits/hand-over.ts';
import type { TemporaryChange } from '../../../src/limits/temporary-change-store.ts';
import { limitChange } from '../../support/limit-goals.ts';
import { rulesOf, temporaryChangeOf } from '../../support/temporary-changes.ts';
import { card } from '../../templates/fixtures.ts';

const at = '2026-11-20T15:00:00.000Z';
const done = { state: 'done', card, before: null, after: null, apiWords: null, note: null } as const;
const longer = temporaryChangeOf({ changes: [limitChange('daily', 40_000, 70_000)], endsAt: at });
const shorter = { ...longer, id: 'act_2', changes: [limitChange('daily', 70_000, 80_000)] };

interface Given {
  /** Which changes the card service has answered. Default: all. */
  readonly answered?: readonly string[];
  /** The card's daily limit. */
  readonly daily?: number;
}

/** What becomes of these temporary changes when the first of them ends. */
async function gaveWay(ending: TemporaryChange, other: TemporaryChange, given: Given = {}) {
  const { answered = [ending.id, other.id], daily = 80_000 } = given;
  const kept = new Map([ending, other].map((one) => [one.id, one]));
  const onAlert: string[] = [];
  const handOver = createHandOver({
    progress: { read: async (id) => (answered.includes(id) ? stateOf(done, at) : null) },
    temporaryChanges: {
      all: async () => [...kept.values()],
      save: async (one) => void kept.set(one.id, one),
    },
    outcomes: { show: async (alertId, _id, { verb, text }) => void onAlert.push(`${alertId}: ${verb} ${text}`) },
    notifyEnd: {
      show: async (one) => expect(one).toEqual(kept.get(one.id)),
      notify: async (one) => void kept.set(one.id, one),
    },
    now: () => new Date(at),
  });
  const { given: handedOver, rebase } = await handOver(ending, rulesOf({ daily }));
  expect(kept.get(other.id), 'nothing is stored before the rest has gone back').toBe(other);
  await rebase();
  return { handedOver, other: kept.get(other.id)?.changes, onAlert };
}

it('a temporary change that ends under a shorter one hands over its base value', async () => {
  expect(await gaveWay(longer, { ...shorter, alertId: 'evt_1' })).toEqual({
    handedOver: longer.changes,
    other: [limitChange('daily', 40_000, 80_000)],
    onAlert: ['evt_1: rebase Daily limit $400.00: the change that it was made on top of is over.'],
  });
});

it.each<[string, Partial<TemporaryChange>]>([
  ['people decide about', { state: 'asking' }],
  ['nothing has shown', { isUnconfirmed: true }],
  ['got no answer yet', {}],
])('a temporary change that ends gives its base value to one that %s, and still ends itself', async (_what, over) => {
  expect(await gaveWay(longer, { ...shorter, ...over }, { answered: [], daily: 70_000 })).toMatchObject({
    handedOver: [],
    other: [limitChange('daily', 40_000, 80_000)],
  });
});

it.each<[string, Partial<TemporaryChange>, Given]>([
  ['the card shows it', {}, { answered: [] }],
  ['it was found in effect', { isUnconfirmed: false }, { answered: [], daily: 90_000 }],
  ['the card service has answered it, whatever somebody has set since', {}, { daily: 90_000 }],
])('a change on top is known to be made if %s', async (_what, over, given) => {
  expect(await gaveWay(longer, { ...shorter, ...over }, given)).toMatchObject({ handedOver: longer.changes });
});

it('does not wait for a longer one that was never made', async () => {
  const never = { ...shorter, changes: [limitChange('daily', 40_000, 80_000)], openedAt: '2026-11-20T15:10:00.000Z' };

  expect(await gaveWay(longer, never, { answered: [], daily: 70_000 })).toMatchObject({ handedOver: [] });
});

it("a value handed over before a crash does not count as someone else's change, so the longer one is still over", async () => {
  const given = [limitChange('daily', 40_000, 80_000)];
  const rebased = { ...shorter, changes: given, openedAt: '2026-11-20T15:10:00.000Z' };

  expect(await gaveWay(longer, rebased)).toMatchObject({ handedOver: longer.changes, other: given });
  // In the opposite order, no change builds on the earlier one.
  expect(await gaveWay(rebased, longer)).toMatchObject({ handedOver: [], other: longer.changes });
});

it.each<[string, Partial<TemporaryChange>]>([
  ['another card', { acctId: 7379 }],
  ['another rule', { changes: [limitChange('weekly', 70_000, 80_000)] }],
  ['a value that someone set in between', { changes: [limitChange('daily', 69_000, 80_000)] }],
])('a temporary change that ends ignores one of %s', async (_what, over) => {
  const other = { ...shorter, ...over };

  expect(await gaveWay(longer, other)).toEqual({ handedOver: [], other: other.changes, onAlert: [] });
});
