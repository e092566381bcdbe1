import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { TILL_MERCHANTS, tillMerchantName } from '../../local/till-merchants.ts';
import { merchantName } from '../../src/core/merchant-name.ts';

const TURNS = 20;
const namesOf = (merchant: (typeof TILL_MERCHANTS)[number]): string[] =>
  Array.from({ length: TURNS }, (_, turn) => tillMerchantName(merchant, turn));

it('every payment at the cash register is at a different shop, so none counts as a repeat or as card testing', () => {
  const names = TILL_MERCHANTS.flatMap(namesOf);

  expect(new Set(names.map((name) => merchantName(name).key)).size).toBe(names.length);
});

it('the cash register uses no shop of the story or of Sam’s first purchases', () => {
  const told = ['sandbox/story/day.ts', 'sandbox/story/rush.ts', 'local/cast.ts']
    .map((file) => readFileSync(file, 'utf8').toLowerCase())
    .join();

  for (const { names } of TILL_MERCHANTS) for (const name of names) expect(told).not.toContain(name.toLowerCase());
});
