import type { Reporter, TestModule } from 'vitest/node';

/**
 * Lists every test that passed only on its second try. The second try keeps one race from hiding all other results, but
 * must not hide the race.
 */
export const secondTries: Reporter = {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const late = modules.flatMap((module) =>
      [...module.children.allTests('passed')].filter((test) => (test.diagnostic()?.retryCount ?? 0) > 0),
    );
    if (late.length === 0) return;
    const names = late.map((test) => `  ${test.module.relativeModuleId} > ${test.fullName}\n`);
    process.stderr.write(`\n${late.length} passed only at the second try, each is a race to be found:\n`);
    process.stderr.write(names.join(''));
  },
};
