import { expect, it } from 'vitest';
import { purchase } from '../../sandbox/engine/purchase.ts';
import { createSimulation } from '../../sandbox/simulation.ts';
import { castOf } from '../../sandbox/story/cast.ts';
import { DAY } from '../../sandbox/story/day.ts';
import { RUSH_MAX, rushPurchases } from '../../sandbox/story/rush.ts';
import { bareWorld } from './bare-world.ts';

it('every purchase of a rush is declined, each at a different shop, for several reasons', () => {
  const { world } = bareWorld();
  const { plain } = castOf(world);

  const rush = rushPurchases(plain, RUSH_MAX);
  const answers = rush.map((request) => purchase(world, request));

  expect(rush).toHaveLength(RUSH_MAX);
  expect(new Set(rush.map(({ MerchantName }) => MerchantName)).size).toBe(RUSH_MAX);
  expect(new Set(rush.slice(0, plain.length).map(({ AcctId }) => AcctId)).size).toBe(plain.length);
  expect(answers.filter(({ Approved }) => Approved)).toEqual([]);
  expect(new Set(answers.map(({ MessageCode }) => MessageCode)).size).toBeGreaterThan(2);
});

it('a rush needs cards, and is limited to the number of shops', () => {
  expect(rushPurchases([], 12)).toEqual([]);
  expect(rushPurchases([1], 1000)).toHaveLength(RUSH_MAX);
});

it('a later rush uses shops that no earlier rush has used, even when all have been used once', () => {
  const names = (count: number, skip: number): string[] =>
    rushPurchases([1, 2, 3], count, skip).map(({ MerchantName }) => MerchantName ?? '');

  const all = [...names(12, 0), ...names(RUSH_MAX, 12), ...names(RUSH_MAX, RUSH_MAX + 12)];

  expect(new Set(all).size).toBe(all.length);
});

it('the story counts the purchases of its rush and their cards, and gives no reason that only some of them have', () => {
  const { world, emitted } = bareWorld();
  const simulation = createSimulation(world, {} as never);

  const told = DAY.find(({ time }) => time === '12:45')?.play({ simulation, cast: castOf(world), memory: new Map() });

  const cards = new Set(emitted.map(({ data }) => data.AcctId));
  const reasons = new Set(emitted.map(({ data }) => data.MessageCode));
  expect(reasons.size).toBeGreaterThan(1);
  expect(told).toBe(
    `Lunchtime: ${emitted.length} purchases on ${cards.size} cards are declined within a second, for several reasons.`,
  );
});
