import { defineConfig } from 'vitest/config';
import { secondTries } from './test/support/second-tries.ts';

/** What starts whole processes, Redis and both doubles: many clocks at once, on a machine that may be busy. */
const wholeProcesses = ['test/flow/**/*.test.ts', 'test/chaos/**/*.test.ts', 'test/demo/**/*.test.ts'];

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
    // The flows wait more than they compute: one more than the default on two cores.
    maxWorkers: 2,
    projects: [
      {
        test: {
          ...shared,
          name: 'parts',
          include: ['test/**/*.test.ts'],
          exclude: wholeProcesses,
          // They keep nothing in modules: each process loads the code once, a third of the time of all of them.
          isolate: false,
        },
      },
      {
        test: {
          ...shared,
          name: 'flows',
          include: wholeProcesses,
          // In CI a flow gets a second try, and the report names it; nothing else is ever tried twice.
          retry: process.env.CI === undefined ? 0 : 1,
        },
      },
    ],
  },
});
