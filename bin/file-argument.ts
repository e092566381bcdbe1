import { parseArgs } from 'node:util';

/** EX_USAGE: the command line cannot be read. */
const EX_USAGE = 64;

/** The file that a command is about, its only argument. Explains the command where it is missing, and ends the process. */
export function fileArgument(usage: string): string {
  try {
    const { values, positionals } = parseArgs({ allowPositionals: true, options: { help: { type: 'boolean' } } });
    if (values.help === true) {
      process.stdout.write(usage);
      process.exit(0);
    }
    const [file, ...more] = positionals;
    if (file !== undefined && more.length === 0) return file;
  } catch {
    // An unknown flag: the usage says which there are.
  }
  process.stderr.write(usage);
  process.exit(EX_USAGE);
}
