/**
 * Suites that only `npm run test:long` runs, because together they take longer than all others. Most kill, freeze
 * and fill the parts of an installation, operate it by commands, or repeat one action at every step of it. A suite that
 * proves a row of the specification must not be here.
 */
export const longSuites = [
  // What must not be lost when a process or Redis fails.
  'test/chaos/self-test.test.ts',
  'test/flow/audit.test.ts',
  'test/flow/burst.test.ts',
  'test/flow/cluster.test.ts',
  'test/flow/crashes.test.ts',
  'test/flow/disk-wait.test.ts',
  'test/flow/durability.test.ts',
  'test/flow/killed.test.ts',
  'test/flow/mixed-versions.test.ts',
  'test/flow/receivers-outage.test.ts',
  'test/flow/receivers-process.test.ts',
  'test/flow/redis-full.test.ts',
  'test/flow/redis-rewound.test.ts',
  'test/flow/slack-faults.test.ts',
  'test/flow/stopping.test.ts',
  'test/flow/storm.test.ts',
  'test/flow/upgrade.test.ts',
  'test/flow/wrong-clock.test.ts',
  'test/src/app/run-process.test.ts',
  'test/src/core/redo.test.ts',
  'test/src/intake/heartbeat.test.ts',
  'test/src/intake/relay.test.ts',
  // Installing and operating.
  'test/bin/command-lines.test.ts',
  'test/bin/programs.test.ts',
  'test/bin/redis-lost.test.ts',
  'test/bin/redis-refused.test.ts',
  'test/bin/replay.test.ts',
  'test/bin/shards-refused.test.ts',
  'test/bin/shards/move-shards.test.ts',
  'test/demo/guide.test.ts',
  'test/flow/audit-archive.test.ts',
  'test/flow/docs.test.ts',
  'test/flow/doctor.test.ts',
  'test/flow/installation.test.ts',
  'test/flow/least-trust.test.ts',
  'test/flow/metrics.test.ts',
  'test/flow/one-channel.test.ts',
  'test/flow/policy.test.ts',
  'test/flow/programs.test.ts',
  'test/flow/recover-command.test.ts',
  'test/flow/redis-users.test.ts',
  'test/flow/restore.test.ts',
  'test/flow/shards.test.ts',
  'test/flow/stored-format.test.ts',
  'test/flow/stuck.test.ts',
  'test/flow/traces.test.ts',
  'test/sandbox/commands.test.ts',
  'test/src/app/config-processes.test.ts',
  // Limits that change and are restored.
  'test/flow/several-limits.test.ts',
  'test/flow/temporary-limits.test.ts',
  // Steps that together would get around the approval of a second person: the random sequences are in `npm test`.
  'test/flow/one-person.test.ts',
  // One action, killed or overtaken at every step.
  'test/flow/authorized-when-done.test.ts',
  'test/src/actions/conclude-action.test.ts',
  'test/src/actions/once.test.ts',
  'test/src/app/write-rules.test.ts',
  'test/src/approvals/between-attempts.test.ts',
  'test/src/approvals/decided-once.test.ts',
  'test/src/approvals/unconfirmed-approval.test.ts',
  'test/src/dispatch/replayed-late.test.ts',
  'test/src/dispatch/sequences-self-test.test.ts',
  // The page of the local workspace, in Chromium.
  'test/workspace/page-on-phones.test.ts',
  'test/workspace/page.test.ts',
  // Each of its tests runs Vitest.
  'test/spec-coverage/coverage-reporter.test.ts',
  // Every stored record, read in every broken form.
  'test/fuzz/stored-records.test.ts',
];
