import { expect, it } from 'vitest';
import { firstPermitted } from '../../../src/core/first-permitted.ts';

async function read(all: readonly number[], isPermitted: (id: number) => boolean, limit = 10) {
  const reads: number[][] = [];
  const found = await firstPermitted({
    idsOf: async (most) => all.slice(0, most),
    read: async (ids) => {
      reads.push([...ids]);
      return ids;
    },
    permitted: async (entries) => entries.filter(isPermitted),
    limit,
  });
  return { found, reads: reads.flat(), batches: reads.length };
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

it('reads only as many entries as it returns if all are permitted', async () => {
  expect(await read(numbers(1000), () => true)).toEqual({ found: numbers(10), reads: numbers(10), batches: 1 });
  expect(await read(numbers(3), () => true)).toEqual({ found: [0, 1, 2], reads: [0, 1, 2], batches: 1 });
  expect(await read([], () => true)).toEqual({ found: [], reads: [], batches: 0 });
});

it('reads on until enough entries are permitted, each once', async () => {
  const { found, reads } = await read(numbers(1000), (id) => id >= 35);

  expect(found).toEqual(numbers(45).slice(35));
  expect(reads).toEqual(numbers(50));
});

it('never reads more than ten times the limit', async () => {
  const { found, reads } = await read(numbers(1000), (id) => id === 99 || id === 100);

  expect(found).toEqual([99]);
  expect(reads).toEqual(numbers(100));
});
