import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { EQUIVALENT } from './equivalent-mutants.ts';
import { mutantsOf } from './mutate.ts';
import { NAMED_MUTANTS } from './named-mutants.ts';
import { DECIDING, EVERYTHING, NOT_DECIDING } from './targets.ts';

const mutated = (source: string): string[] =>
  mutantsOf(source).map(({ start, end, to }) => source.slice(0, start) + to + source.slice(end));

it.each([
  ['a >= b;', ['a > b;']],
  ['a && b;', ['a || b;']],
  ['if (a) b();', ['if (true) b();', 'if (false) b();']],
  ['x = 5;', ['x = 6;']],
  ['x = true;', ['x = false;']],
  ["x = 'no';", ["x = '';"]],
  ['x = !y;', ['x = y;']],
  ["import { a } from 'b';", []],
  ["type A = 'b' | 5;", []],
])('mutates %s into all its variants', (source, expected) => {
  expect(mutated(source)).toEqual(expected);
});

it.each(NAMED_MUTANTS)('$name can still be applied', ({ file, from, to }) => {
  const source = readFileSync(file, 'utf8');

  expect(source.split(from), 'it occurs once').toHaveLength(2);
  expect(source.replace(from, to)).not.toBe(source);
});

it.each([...DECIDING, ...NOT_DECIDING, ...EVERYTHING])('%s still exists', (path) => {
  expect(existsSync(path)).toBe(true);
});

it.each(EQUIVALENT)('the line of an equivalent mutant still exists in $file: $text', ({ file, text, what }) => {
  const source = readFileSync(file, 'utf8');
  const lines = source.split('\n').map((line) => line.trim());
  const ofLine = mutantsOf(source).filter(({ start }) => lines[source.slice(0, start).split('\n').length - 1] === text);

  expect(ofLine.map((mutant) => mutant.what)).toContain(what);
});
