/**
 * The lines of a text that arrives in parts. Only `\n` ends a line: some versions of node:readline also end one at U+2028
 * and U+2029, which JSON leaves in the texts that people wrote.
 */
export async function* splitLines(parts: AsyncIterable<string>): AsyncGenerator<string, void> {
  let rest = '';
  for await (const part of parts) {
    // Only the part is searched: a line of a backup may arrive in thousands of them.
    const lines = part.split('\n');
    lines[0] = `${rest}${lines[0]}`;
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}
