import type { ParseArgsConfig } from 'node:util';
import { EXIT_USAGE, parseWords, UsageError } from '../sandbox/cli-flags.ts';

/** EX_USAGE of sysexits.h: an invalid command line. */
export const EX_USAGE = EXIT_USAGE;

type Options = NonNullable<ParseArgsConfig['options']>;

interface Command {
  readonly name: string;
  readonly usage: string;
}

/** Says what is wrong with the command line and what was expected, prints the usage, and ends the process. */
export function endMisused({ name, usage }: Command, problem: string): never {
  // Some problems are sentences or questions.
  process.stderr.write(`${name}: ${problem}${/[.?]$/.test(problem) ? '' : '.'}\n\n${usage}`);
  process.exit(EX_USAGE);
}

function endHelped({ usage }: Command): never {
  process.stdout.write(usage);
  process.exit(0);
}

/** The words and flags of the command line. With `--help`, or when they are invalid, ends the process. */
export function readArguments<T extends Options>(command: Command, options: T) {
  const given = parsed(command, { ...options, help: { type: 'boolean', short: 'h' } } as const);
  if ('help' in given.values && given.values.help === true) endHelped(command);
  return given;
}

function parsed<T extends Options>(command: Command, options: T) {
  try {
    return parseWords(process.argv.slice(2), options);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return endMisused(command, error.message);
  }
}

/**
 * The same for a command with verbs, of which the first word is one. `help` is `--help`.
 *
 * @param verbs the flags that each verb reads. Others are invalid: whoever gives a flag that is not read would take the
 * result for something else.
 */
export function readVerb<T extends Options, Verb extends string>(
  command: Command,
  options: T,
  verbs: Readonly<Record<Verb, readonly string[]>>,
) {
  const { values, positionals } = readArguments(command, options);
  const [word, ...words] = positionals;
  if (word === 'help') endHelped(command);
  const names = Object.keys(verbs) as Verb[];
  const verb = names.find((name) => name === word);
  if (verb === undefined)
    return endMisused(command, `expected one of ${names.join(', ')}${word === undefined ? '' : `, not ${word}`}`);
  const unread = Object.keys(values).find((flag) => !verbs[verb].includes(flag));
  if (unread !== undefined) {
    const reader = names.find((name) => verbs[name].includes(unread));
    endMisused(command, `--${unread} is a flag of ${reader}, not of ${verb}`);
  }
  return { verb, words, values };
}

/** Ends the process when there are words that the command does not read. @param after what it has read. */
export function requireNoMore(command: Command, after: string, [word]: readonly string[]): void {
  if (word !== undefined) endMisused(command, `expected nothing after ${after}, not ${word}`);
}

/** The command's only argument, a file. Without it, ends the process. */
export function fileArgument(command: Command): string {
  const [file = '', ...more] = readArguments(command, {}).positionals;
  if (file === '') endMisused(command, 'expected a FILE');
  requireNoMore(command, file, more);
  return file;
}
