import { expect, it } from 'vitest';
import { splitLines } from '../../../src/core/split-lines.ts';

async function* arriving(...parts: string[]): AsyncGenerator<string> {
  yield* parts;
}
async function split(...parts: string[]): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of splitLines(arriving(...parts))) lines.push(line);
  return lines;
}

it('splits a text that arrives in parts, and keeps empty lines', async () => {
  expect(await split('a', 'b\n', '\nc\nd', '\n')).toEqual(['ab', '', 'c', 'd']);
  expect(await split('a\nb')).toEqual(['a', 'b']);
  expect(await split()).toEqual([]);
});

it('splits at no other character', async () => {
  const line = 'lost\u2028stolen\u2029\r\u0085\v\f';

  expect(await split(`${line}\n${line}\n`)).toEqual([line, line]);
});
