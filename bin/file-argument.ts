import { parseArgs } from 'node:util';

/** EX_USAGE: an invalid command line. */
const EX_USAGE = 64;

/** The command's only argument, a file. Without it, prints the usage and ends the process. */
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
    // An unknown flag: the usage lists the valid ones.
  }
  process.stderr.write(usage);
  process.exit(EX_USAGE);
}
