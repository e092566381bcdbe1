import { defineConfig } from 'vitest/config';
import { longSuites } from './test/long-suites.ts';
import { specCoverage } from './test/spec-coverage/coverage-reporter.ts';

/** Tests that start complete processes, Redis and both doubles. */
const flows = ['test/flow/**/*.test.ts', 'test/demo/**/*.test.ts'];
/** Long random runs. A project of its own, because projects start in the order of their names, and these take longest. */
const chaos = ['test/chaos/**/*.test.ts', 'test/src/dispatch/sequences.property.test.ts'];

const shared = {
  pool: 'forks',
  env: { TZ: 'UTC', NODE_ENV: 'test' },
  // Longer than any wait in a test, so that the failing wait is named.
  testTimeout: 240_000,
  hookTimeout: 240_000,
  expect: { poll: { timeout: 60_000 } },
  // Suites keep nothing in modules, so each process loads the code once. This saves a third of their total time.
  isolate: false,
} as const;

/** Six at a time: they mostly wait for each other’s processes, not for the processor. */
const processes = { sequence: { groupOrder: 1 }, maxWorkers: 6 } as const;

/** For `useRedis`. */
const redisServers = { globalSetup: ['test/support/redis-servers.ts'] };

// Nothing is ever retried.
export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    reporters: ['default', specCoverage()],
    projects: [
      {
        test: {
          ...shared,
          ...redisServers,
          name: 'parts',
          include: ['test/**/*.test.ts'],
          exclude: [...chaos, ...flows, ...longSuites],
          // The first group. In later ones Vitest may give two processes the same number, and thus the same Redis.
          sequence: { groupOrder: 0 },
          maxWorkers: 3,
          // They create thousands of short-lived worlds. With enough room for these, little is copied to the old
          // generation.
          execArgv: ['--min-semi-space-size=32', '--max-semi-space-size=64', '--single-threaded-gc'],
        },
      },
      // Isolated, because the sequences replace a timer of Node in every module that they load.
      { test: { ...shared, ...processes, isolate: true, name: 'chaos', include: chaos, exclude: longSuites } },
      { test: { ...shared, ...processes, name: 'flows', include: flows, exclude: longSuites } },
      { test: { ...shared, ...processes, ...redisServers, name: 'long', include: longSuites } },
    ],
  },
});
