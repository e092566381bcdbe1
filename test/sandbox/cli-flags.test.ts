import { expect, it } from 'vitest';
import { parseFlags, parseWords, UsageError } from '../../sandbox/cli-flags.ts';

const options = {
  since: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

it('words and flags are read in any order', () => {
  expect({ ...parseWords(['one', '--since', '2h', '-h', '--', '--two'], options) }).toMatchObject({
    values: { since: '2h', help: true },
    positionals: ['one', '--two'],
  });
  expect(parseWords(['--since=-2h', '-'], options)).toMatchObject({ values: { since: '-2h' }, positionals: ['-'] });
});

it.each([
  [['--nope'], 'there is no flag --nope. Expected --since, --json, --help'],
  [['--nope=secret'], 'there is no flag --nope. Expected --since, --json, --help'],
  [['--no-json'], 'there is no flag --no-json. Expected --since, --json, --help'],
  [['-x'], 'there is no flag -x. Expected --since, --json, --help'],
  [['-hx'], 'there is no flag -x. Expected --since, --json, --help'],
  [['--__proto__'], 'there is no flag --__proto__. Expected --since, --json, --help'],
  [['--since'], '--since needs a value'],
  [['--since', '--json'], '--since needs a value before --json. A value that starts with a dash: --since=--json'],
  [['--json=yes'], '--json takes no value'],
  [['extra'], 'expected only flags, not extra'],
])('%j is refused with what is wrong and what was expected', (args, problem) => {
  expect(() => parseFlags(args, options)).toThrow(new UsageError(problem));
});
