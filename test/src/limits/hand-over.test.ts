import { expect, it } from 'vitest';
import { createHandOver } from '../../../src/limits/hand-over.ts';
import type { TemporaryChange } from '../../../src/limits/temporary-change-store.ts';
import { limitChange } from '../../support/limit-goals.ts';
import { rulesOf, temporaryChangeOf } from '../../support/temporary-changes.ts';

const at = '2026-11-20T15:00:00.000Z';
const longer = temporaryChangeOf({
  changes: [limitChange('daily', 40_000, 70_000)],
  endsAt: at,
  certainty: 'certain',
});
const shorter = { ...longer, id: 'act_2', changes: [limitChange('daily', 70_000, 80_000)] };

/** What becomes of these temporary changes when the first of them ends, on a card with this daily limit. */
async function gaveWay(
  ending: TemporaryChange,
  other: TemporaryChange,
  daily = 80_000,
  ...more: readonly TemporaryChange[]
) {
  const kept = new Map([ending, other, ...more].map((one) => [one.id, one]));
  const onAlert: string[] = [];
  const handOver = createHandOver({
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
  return { handedOver, other: kept.get(other.id)?.changes, isMarked: kept.get(other.id)?.isFromBackup, onAlert };
}

it('a temporary change that ends under a shorter one hands over its base value', async () => {
  expect(await gaveWay(longer, { ...shorter, alertId: 'evt_1' })).toEqual({
    handedOver: longer.changes,
    other: [limitChange('daily', 40_000, 80_000)],
    onAlert: ['evt_1: rebase Daily limit $400.00: the change that it was made on top of is over.'],
  });
});

it('a temporary change from a restored backup hands over that its value may be out of date', async () => {
  expect((await gaveWay({ ...longer, isFromBackup: true }, shorter)).isMarked).toBe(true);
  expect((await gaveWay(longer, shorter)).isMarked).toBeUndefined();
});

it.each<[string, Partial<TemporaryChange>]>([
  ['people decide about', { state: 'asking' }],
  ['nothing has shown', { certainty: 'unconfirmed' }],
  ['got no answer yet', { certainty: 'pending' }],
])('a temporary change that ends gives its base value to one that %s, and still ends itself', async (_what, over) => {
  expect(await gaveWay(longer, { ...shorter, ...over }, 70_000)).toMatchObject({
    handedOver: [],
    other: [limitChange('daily', 40_000, 80_000)],
  });
});

it.each([
  ['the card shows it', 'pending', 80_000],
  ['that is on record, whatever somebody has set since', 'certain', 90_000],
] as const)('a change on top is known to be made if %s', async (_what, certainty, daily) => {
  expect(await gaveWay(longer, { ...shorter, certainty }, daily)).toMatchObject({ handedOver: longer.changes });
});

it.each([
  ['that went on top of it', 70_000, 40_000],
  ['that was made before this one was made late', 40_000, 40_000],
])(
  'a temporary change whose own value the card has ends itself, whatever became of one %s',
  async (_what, from, back) => {
    const other = { ...shorter, changes: [limitChange('daily', from, 80_000)], openedAt: '2026-11-20T15:10:00.000Z' };

    expect(await gaveWay(longer, other, 70_000)).toMatchObject({
      handedOver: [],
      other: [limitChange('daily', back, 80_000)],
    });
  },
);

it('a reduction that ends under two others writes nothing, also if the newest of them has set its value again', async () => {
  const first = { ...longer, changes: [limitChange('daily', 100_000, 50_000)] };
  const lower = {
    ...first,
    id: 'act_2',
    changes: [limitChange('daily', 50_000, 30_000)],
    openedAt: '2026-11-20T15:05:00.000Z',
  };
  const again = {
    ...first,
    id: 'act_3',
    changes: [limitChange('daily', 30_000, 50_000)],
    openedAt: '2026-11-20T15:10:00.000Z',
  };

  expect(await gaveWay(first, lower, 50_000, again)).toMatchObject({
    handedOver: first.changes,
    other: [limitChange('daily', 100_000, 30_000)],
  });
});

it('does not wait for a longer one that was never made', async () => {
  const over = { changes: [limitChange('daily', 40_000, 80_000)], openedAt: '2026-11-20T15:10:00.000Z' };
  const never = { ...shorter, ...over, certainty: 'pending' } as const;

  expect(await gaveWay(longer, never, 70_000)).toMatchObject({ handedOver: [] });
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
