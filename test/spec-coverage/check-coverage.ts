/** A row of the specification and the test that proves it. */
export interface CoverageRow {
  /** Section and row in the words of the specification. */
  readonly row: string;
  readonly file: string;
  /**
   * Full title of the test, including its `describe` titles, joined by ` > `. For `it.each`, the title with its
   * placeholders (`%s`, `$name`), which stands for every test of the table.
   */
  readonly title: string;
}

/** The result of one test in a run. */
export interface TestResult {
  readonly file: string;
  readonly title: string;
  readonly state: 'passed' | 'failed' | 'skipped' | 'pending';
}

/**
 * Finds rows that a run does not prove, because their test is missing, was skipped, or failed.
 *
 * Checks only rows whose file was run, so that parts of the tests can be run separately.
 *
 * @returns a sentence about each row.
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
