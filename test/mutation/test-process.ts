import { createVitest, type TestSpecification } from 'vitest/node';

/**
 * A process that runs test files on request of its parent. Vitest stays loaded, so that a mutant costs only its tests and
 * no startup. The working directory is the copy of the repository with the mutants.
 */

export interface RunRequest {
  /** Files that changed since the last run, relative to the working directory. */
  readonly changed: readonly string[];
  /** In execution order. The first failure ends the run. */
  readonly tests: readonly string[];
}

export interface RunAnswer {
  /** The first test that failed, or null. */
  readonly failed: string | null;
  /** Duration of each executed test file in milliseconds. */
  readonly durations: Readonly<Record<string, number>>;
}

let order: readonly string[] = [];
const placeOf = (specification: TestSpecification): number =>
  order.findIndex((test) => specification.moduleId.endsWith(`/${test}`));

const vitest = await createVitest(
  'test',
  {
    config: false,
    root: process.cwd(),
    include: ['test/**/*.test.ts'],
    // Without it, no test with Redis can be loaded, and every mutant of what it tests survives.
    globalSetup: ['test/support/redis-servers.ts'],
    watch: false,
    pool: 'forks',
    isolate: false,
    maxWorkers: 1,
    fileParallelism: false,
    bail: 1,
    testTimeout: 20_000,
    env: { TZ: 'UTC', NODE_ENV: 'test' },
    reporters: [{}],
    sequence: {
      sequencer: class {
        async shard(specifications: TestSpecification[]): Promise<TestSpecification[]> {
          return specifications;
        }
        async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
          return specifications.toSorted((one, two) => placeOf(one) - placeOf(two));
        }
      },
    },
  },
  { logLevel: 'silent' },
);
await vitest.standalone();

async function run({ changed, tests }: RunRequest): Promise<RunAnswer> {
  order = tests;
  for (const file of changed) vitest.invalidateFile(`${process.cwd()}/${file}`);
  const project = vitest.projects[0];
  if (project === undefined) throw new Error('Vitest has no project');
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(
    tests.map((test) => project.createSpecification(`${process.cwd()}/${test}`)),
  );
  const durations: Record<string, number> = {};
  let failed: string | null =
    unhandledErrors.length > 0 ? `an error outside of all tests: ${String(unhandledErrors[0])}` : null;
  // Vitest also returns the modules of earlier runs with their old results.
  for (const path of tests) {
    const module = testModules.find(({ relativeModuleId }) => relativeModuleId === path);
    if (module === undefined) continue;
    durations[path] = module.diagnostic().duration;
    if (module.ok()) continue;
    const test = [...module.children.allTests('failed')][0];
    failed = `${path} > ${test?.fullName ?? 'could not be loaded'}`;
    break;
  }
  return { failed, durations };
}

process.on('message', (request: RunRequest) => {
  run(request).then(
    (answer) => process.send?.(answer),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      process.exit(1);
    },
  );
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
