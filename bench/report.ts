/** The median; for an even count, the mean of the middle two. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function row(name: string, cells: readonly string[]): readonly string[] {
  return [name, ...cells];
}

/** Prints a table with aligned columns. */
export function table(title: string, columns: readonly string[], rows: readonly (readonly string[])[]): void {
  const lines = [['', ...columns], ...rows];
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length))) ?? [];
  const format = (line: readonly string[]): string =>
    line
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ');
  process.stdout.write(`\n${title}\n${lines.map((line) => `  ${format(line)}`).join('\n')}\n`);
}
