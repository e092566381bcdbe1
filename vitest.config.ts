import { defineConfig } from 'vitest/config';
import { longSuites } from './test/long-suites.ts';
import { specCoverage } from './test/spec-coverage/coverage-reporter.ts';
import { secondTries } from './test/support/second-tries.ts';

/** Tests that start complete processes, Redis and both doubles: many clocks at once, on a machine that may be busy. */
const flows = ['test/flow/**/*.test.ts', 'test/demo/**/*.test.ts'];
/** The same for things that must never happen, not even once. These are never retried anywhere. */
const chaos = ['test/chaos/**/*.test.ts', 'test/flow/leaks.test.ts'];

const shared = {
  pool: 'forks',
  env: { TZ: 'UTC', NODE_ENV: 'test' },
  // Longer than any wait in a test, so that the failing wait is named.
  testTimeout: 120_000,
  hookTimeout: 120_000,
} as const;

/** Six at a time: they mostly wait for each other’s processes, not for the processor. */
const processes = { sequence: { groupOrder: 0 }, maxWorkers: 6 } as const;

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    reporters: ['default', secondTries, specCoverage()],
    projects: [
      { test: { ...shared, ...processes, name: 'chaos', include: chaos, exclude: longSuites } },
      {
        test: {
          ...shared,
          ...processes,
          name: 'flows',
          include: flows,
          exclude: [...chaos, ...longSuites],
          // They keep nothing in modules, so each process loads the code once. This saves a quarter of a flow's time.
          isolate: false,
          // In CI a flow gets a second try, and the report names it. Nothing else is ever retried.
          retry: process.env.CI === undefined ? 0 : 1,
        },
      },
      { test: { ...shared, ...processes, name: 'long', include: longSuites, isolate: false } },
      {
        test: {
          ...shared,
          name: 'parts',
          include: ['test/**/*.test.ts'],
          exclude: [...flows, ...chaos, ...longSuites],
          sequence: { groupOrder: 1 },
          maxWorkers: 3,
          // They create thousands of short-lived worlds. With enough room for these, little is copied to the old
          // generation.
          execArgv: ['--min-semi-space-size=32', '--max-semi-space-size=64', '--single-threaded-gc'],
          // They keep nothing in modules, so each process loads the code once. This saves a third of their total time.
          isolate: false,
        },
      },
    ],
  },
});
