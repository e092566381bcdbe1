import { type ParseArgsConfig, parseArgs } from 'node:util';

/** A command line that cannot be understood. The message says what to type instead. */
export class UsageError extends Error {}

/** An environment variable that cannot be used. The message names it and what was expected, never its value. */
export class EnvironmentError extends Error {}

/** EX_USAGE: the command line is wrong. */
export const EXIT_USAGE = 64;

type FlagOptions = NonNullable<ParseArgsConfig['options']>;

/** Parses words and flags, strictly. @throws UsageError */
export function parseWords<T extends FlagOptions>(args: readonly string[], options: T) {
  const given = { args: [...args], options, allowPositionals: true } as const;
  // Parsed loosely first: the messages of node say how to quote an argument, not what was expected.
  for (const token of parseArgs({ ...given, strict: false, tokens: true }).tokens)
    if (token.kind === 'option') checkFlag(token, options);
  return parseArgs({ ...given, strict: true });
}

/** Parses flags, strictly. @throws UsageError */
export function parseFlags<T extends FlagOptions>(args: readonly string[], options: T) {
  const { values, positionals } = parseWords(args, options);
  const [word] = positionals;
  if (word !== undefined) throw new UsageError(`expected only flags, not ${word}`);
  return values;
}

interface FlagToken {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

/** @throws UsageError */
function checkFlag({ name, rawName, value, inlineValue }: FlagToken, options: FlagOptions): void {
  const option = Object.hasOwn(options, name) ? options[name] : undefined;
  if (option === undefined) {
    const known = Object.keys(options).map((flag) => `--${flag}`);
    throw new UsageError(`there is no flag ${rawName}. Expected ${known.join(', ')}`);
  }
  if (option.type === 'boolean') {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value`);
    return;
  }
  if (value === undefined) throw new UsageError(`${rawName} needs a value`);
  if (inlineValue !== true && /^-./.test(value))
    throw new UsageError(
      `${rawName} needs a value before ${value}. A value that starts with a dash: ${rawName}=${value}`,
    );
}

/** A numeric flag, within bounds. */
export function numberFlag(
  name: string,
  text: string | undefined,
  { least, most }: { least: number; most: number },
): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < least || value > most) {
    throw new UsageError(`--${name} must be a number from ${least} to ${most}`);
  }
  return value;
}

/** The `--port` flag: 0 takes a free port. */
export function portFlag(text: string | undefined): number | undefined {
  const port = numberFlag('port', text, { least: 0, most: 65_535 });
  if (port !== undefined && !Number.isInteger(port)) throw new UsageError('--port must be a whole number');
  return port;
}

/** A URL flag with one of the given protocols. */
export function urlFlag(name: string, text: string | undefined, protocols: readonly string[]): string | undefined {
  if (text === undefined) return undefined;
  const found = URL.canParse(text) ? new URL(text).protocol : '';
  if (!protocols.includes(found))
    throw new UsageError(`--${name} must be a URL that starts with ${protocols.join('// or ')}//`);
  return text;
}
