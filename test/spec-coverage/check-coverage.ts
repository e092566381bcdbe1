/** A row of the specification and the test that proves it. */
export interface CoverageRow {
  /** Section and row, in the words of the specification. */
  readonly row: string;
  readonly file: string;
  /**
   * Full title of the test, its `describe`s before it, joined by ` > `. Of a table of tests it is the title as written
   * there: `%s` and `$name` stand for the values, and every test of the table counts.
   */
  readonly title: string;
}

/** What became of one test in a run. */
export interface TestResult {
  readonly file: string;
  readonly title: string;
  readonly state: 'passed' | 'failed' | 'skipped' | 'pending';
}

/**
 * Rows that a run does not prove: their test is missing, was skipped, or failed.
 *
 * Only rows whose file was run are looked at, so that a part of the tests may be run alone.
 *
 * @returns a sentence for each, for whoever reads the run.
 */
export function uncoveredRows(rows: readonly CoverageRow[], results: readonly TestResult[]): string[] {
  return rows.flatMap(({ row, file, title }) => {
    const ofFile = results.filter((result) => result.file === file);
    if (ofFile.length === 0) return [];
    const named = titlePattern(title);
    const proofs = ofFile.filter((result) => named.test(result.title));
    const broken = proofs.find(({ state }) => state !== 'passed');
    if (proofs.length > 0 && broken === undefined) return [];
    const what = broken === undefined ? 'is missing' : broken.state === 'failed' ? 'failed' : 'was not run';
    return [`“${row}” is not proved: the test “${broken?.title ?? title}” of ${file} ${what}`];
  });
}

function titlePattern(title: string): RegExp {
  const escaped = title.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll(/%[sdifjoO]|\\\$[a-z]\w*/g, '.*')}$`, 's');
}
