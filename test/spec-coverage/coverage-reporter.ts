import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { BOT_ROWS } from './bot-rows.ts';
import { type CoverageRow, type TestResult, uncoveredRows } from './check-coverage.ts';
import { SANDBOX_ROWS } from './sandbox-rows.ts';

/**
 * Fails a run in which a test that proves a row of the specification is missing, skipped or failed. The tables name the
 * tests, and only the results of this run count.
 */
export function specCoverage(rows: readonly CoverageRow[] = [...BOT_ROWS, ...SANDBOX_ROWS]): Reporter {
  let isFiltered = false;
  return {
    onInit(vitest: Vitest): void {
      // With a title filter, all other tests are skipped on purpose.
      isFiltered = vitest.config.testNamePattern !== undefined;
    },
    onTestRunEnd(modules: readonly TestModule[]): void {
      if (isFiltered) return;
      const results = modules.flatMap((module) => {
        const file = module.relativeModuleId;
        return [...module.children.allTests()].map(
          (test): TestResult => ({ file, title: test.fullName, state: test.result().state }),
        );
      });
      const uncovered = uncoveredRows(rows, results);
      if (uncovered.length === 0) return;
      process.exitCode = 1;
      process.stderr.write(`\nThe specification is not covered (test/spec-coverage):\n  ${uncovered.join('\n  ')}\n`);
    },
  };
}
