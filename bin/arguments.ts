import { type ParseArgsConfig, parseArgs } from 'node:util';

/** EX_USAGE of sysexits.h: an invalid command line. */
export const EX_USAGE = 64;

/**
 * The words and flags of the command line. Null when it is invalid.
 *
 * @param readBy the flags that only one command reads. With another one they are invalid: whoever gives a flag that is
 * not read would take the result for something else.
 */
export function readArguments<Options extends NonNullable<ParseArgsConfig['options']>>(
  options: Options,
  readBy: Partial<Readonly<Record<keyof Options, string>>> = {},
) {
  try {
    const given = parseArgs({ allowPositionals: true, options });
    const flags = new Set(Object.keys(given.values));
    const [command] = given.positionals;
    const isUnread = Object.entries(readBy).some(([flag, reader]) => flags.has(flag) && command !== reader);
    return isUnread && !flags.has('help') ? null : given;
  } catch {
    return null;
  }
}

/** The command's only argument, a file. Without it, prints the usage and ends the process. */
export function fileArgument(usage: string): string {
  const given = readArguments({ help: { type: 'boolean', short: 'h' } });
  if (given?.values.help === true) {
    process.stdout.write(usage);
    process.exit(0);
  }
  const [file, ...more] = given?.positionals ?? [];
  if (file !== undefined && more.length === 0) return file;
  process.stderr.write(usage);
  process.exit(EX_USAGE);
}
