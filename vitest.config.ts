import { defineConfig } from 'vitest/config';
import { secondTries } from './test/support/second-tries.ts';

/** What starts whole processes, Redis and both doubles: many clocks at once, on a machine that may be busy. */
const flows = ['test/flow/**/*.test.ts', 'test/demo/**/*.test.ts'];
/** The same, about what must never happen, not even once. */
const never = [
  'test/chaos/**/*.test.ts',
  'test/flow/leaks.test.ts',
  'test/flow/crashes.test.ts',
  'test/flow/killed.test.ts',
];

const shared = {
  pool: 'forks',
  env: { TZ: 'UTC', NODE_ENV: 'test' },
  // Longer than any wait of a test, so that what it waited for is named.
  testTimeout: 120_000,
  hookTimeout: 120_000,
} as const;

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    reporters: ['default', secondTries],
    // One more than two cores: the flows wait as much as they compute.
    maxWorkers: 3,
    projects: [
      {
        test: {
          ...shared,
          name: 'parts',
          include: ['test/**/*.test.ts'],
          exclude: [...flows, ...never],
          // They keep nothing in modules: each process loads the code once, a third of the time of all of them.
          isolate: false,
        },
      },
      {
        test: {
          ...shared,
          name: 'flows',
          include: flows,
          exclude: never,
          // In CI a flow gets a second try, and the report names it; nothing else is ever tried twice.
          retry: process.env.CI === undefined ? 0 : 1,
        },
      },
      { test: { ...shared, name: 'never', include: never } },
    ],
  },
});
