import { defineConfig } from 'vitest/config';
import { specCoverage } from './test/spec-coverage/coverage-reporter.ts';
import { secondTries } from './test/support/second-tries.ts';

/** What starts whole processes, Redis and both doubles: many clocks at once, on a machine that may be busy. */
const flows = ['test/flow/**/*.test.ts', 'test/demo/**/*.test.ts'];
/** The same, about what must never happen, not even once: these have no second try anywhere. */
const chaos = ['test/chaos/**/*.test.ts', 'test/flow/leaks.test.ts'];

const shared = {
  pool: 'forks',
  env: { TZ: 'UTC', NODE_ENV: 'test' },
  // Longer than any wait of a test, so that what it waited for is named.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // Side by side, twice as many as CI has processors: most flows wait for other processes, most parts for Redis.
  maxWorkers: 4,
  // They keep nothing in modules: each process loads the code once, a third of the time of all of them.
  isolate: false,
} as const;

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    reporters: ['default', secondTries, specCoverage()],
    projects: [
      { test: { ...shared, name: 'chaos', include: chaos } },
      {
        test: {
          ...shared,
          name: 'flows',
          include: flows,
          exclude: chaos,
          // In CI a flow gets a second try, and the report names it; nothing else is ever tried twice.
          retry: process.env.CI === undefined ? 0 : 1,
        },
      },
      {
        test: {
          ...shared,
          name: 'parts',
          include: ['test/**/*.test.ts'],
          exclude: [...flows, ...chaos],
        },
      },
    ],
  },
});
