import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { TILL_MERCHANTS, tillMerchantName } from '../../local/till-merchants.ts';
import { merchantName } from '../../src/core/merchant-name.ts';

const TURNS = 20;
const namesOf = (merchant: (typeof TILL_MERCHANTS)[number]): string[] =>
  Array.from({ length: TURNS }, (_, turn) => tillMerchantName(merchant, turn));

it('every payment at the cash register goes to another shop: none is counted as a repeat, none as card testing', () => {
  const names = TILL_MERCHANTS.flatMap(namesOf);

  expect(new Set(names.map((name) => merchantName(name).key)).size).toBe(names.length);
});

it('no shop of the cash register occurs in the story of the day or in what Sam buys at first', () => {
  const told = ['sandbox/story/day.ts', 'sandbox/story/rush.ts', 'local/cast.ts']
    .map((file) => readFileSync(file, 'utf8').toLowerCase())
    .join();

  for (const { names } of TILL_MERCHANTS) for (const name of names) expect(told).not.toContain(name.toLowerCase());
});
