import { expect, it } from 'vitest';
import { z } from 'zod';
import { ConfigError } from '../../../src/core/errors.ts';
import { readYaml } from '../../../src/policy/read-yaml.ts';

const schema = z.strictObject({
  names: z.array(z.string()).default([]),
  more: z.strictObject({ count: z.int() }).optional(),
});
const knownKeys = [
  [/^$/, ['names', 'more']],
  [/^more$/, ['count']],
] as const;
const read = (text: string) => readYaml({ text, name: 'a.yaml', schema, knownKeys });

function problemsOf(text: string): readonly string[] {
  try {
    read(text);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

const bomb = [
  'a: &a [x]',
  ...Array.from(
    'bcdefgh',
    (one, at) => `${one}: &${one} [${Array.from({ length: 9 }, () => `*${'abcdefg'.at(at) ?? ''}`).join()}]`,
  ),
];

it.each([
  ['a misspelled key', '\n\nnmaes: []', 'a.yaml:3: does not know nmaes; did you mean names?'],
  [
    'a nested misspelled key',
    'more:\n  count: 1\n  cuont: 2',
    'a.yaml:3: more: does not know cuont; did you mean count?',
  ],
  ['an unknown key', 'more: { count: 1, team: 5 }', 'a.yaml:1: more: does not know team; known here: count'],
  ['a number for a list', '\nnames: 500', 'a.yaml:2: names: expected a list'],
  ['a number for keys', 'more: 3', 'a.yaml:1: more: expected keys with values'],
  ['a list for a file', '- names', 'a.yaml:1: expected keys with values'],
  ['tabs', 'names:\n\t- Ana', 'a.yaml:2: Tabs are not allowed as indentation'],
  ['a duplicate key', 'names: [a]\nnames: [b]', 'a.yaml:2: this key is there twice'],
  ['JSON with a comment', '{\n  // who\n  "names": []\n}', 'comments begin with #, also in JSON'],
  ['two documents', 'names: []\n---\nnames: []', 'a.yaml:2: expected one document, without a line ---'],
  ['an undefined alias', '\nnames: [*who]', 'a.yaml:2: this *name is not defined'],
  ['aliases of aliases', bomb.join('\n'), 'a.yaml:1: repeats parts (*name) more than a hundred times'],
])('%s is rejected with the line and the reason', (_what, text, problem) => {
  expect(problemsOf(text).join('\n')).toContain(problem);
});

it('aliases are allowed, and a leading byte order mark is ignored', () => {
  expect(read('\uFEFFnames: [&a Ana, *a]')).toEqual({ names: ['Ana', 'Ana'] });
  expect(read('\uFEFF{"names":["Ana"]}')).toEqual({ names: ['Ana'] });
});
