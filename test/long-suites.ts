/**
 * Suites that only `npm run test:long` runs, because together they take longer than all others. They kill, freeze and fill the parts of an installation, or repeat one action at every step of it. A suite that
 * proves a row of the specification must not be here.
 */
export const longSuites = [
  // What must not be lost when a process or Redis fails.
  'test/chaos/self-test.test.ts',
  'test/flow/burst.test.ts',
  'test/flow/cluster.test.ts',
  'test/flow/crashes.test.ts',
  'test/flow/disk-wait.test.ts',
  'test/flow/durability.test.ts',
  'test/flow/killed.test.ts',
  'test/flow/mixed-versions.test.ts',
  'test/flow/receivers-outage.test.ts',
  'test/flow/redis-full.test.ts',
  'test/flow/redis-rewound.test.ts',
  'test/flow/slack-faults.test.ts',
  'test/flow/stopping.test.ts',
  'test/flow/storm.test.ts',
  'test/flow/upgrade.test.ts',
  'test/src/core/redo.test.ts',
  // Commands that operate an installation.
  'test/bin/command-lines.test.ts',
  'test/bin/replay.test.ts',
  'test/flow/audit-archive.test.ts',
  'test/flow/restore.test.ts',
  'test/flow/shards.test.ts',
  'test/flow/stored-format.test.ts',
  'test/flow/stuck.test.ts',
  // One action, killed or overtaken at every step.
  'test/src/actions/once.test.ts',
  'test/src/app/write-rules.test.ts',
  'test/src/approvals/between-attempts.test.ts',
  'test/src/approvals/decided-once.test.ts',
  'test/src/approvals/unconfirmed-approval.test.ts',
  'test/src/dispatch/replayed-late.test.ts',
  'test/src/dispatch/sequences-self-test.test.ts',
  // Every stored record, read in every broken form.
  'test/fuzz/stored-records.test.ts',
];
