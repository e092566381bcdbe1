import fc from 'fast-check';
import { expect, it } from 'vitest';
import { examples } from '../../support/examples.ts';
import { runSequence } from '../../support/sequences/run.ts';
import { sequence, tried } from '../../support/sequences/steps.ts';

/** `npm test` tries the same ones each time; `npm run test:sequences` others, unless it is told which. */
const seed = Number(
  process.env['SEED'] ?? (process.env['TEST_RUNS'] === undefined ? tried.seed : Date.now() % 2 ** 31),
);

it(
  'nobody, alone or with somebody who may not approve, in any order, loosens more than the policy allows',
  async () => {
    const seen = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(sequence, async (given) => {
        for (const [kind, times] of Object.entries(await runSequence(given)))
          seen.set(kind, (seen.get(kind) ?? 0) + times);
      }),
      { numRuns: examples(tried.count), seed },
    );
    if (process.env['TEST_RUNS'] !== undefined)
      process.stdout.write(`seed ${seed}: ${JSON.stringify(Object.fromEntries(seen))}\n`);
    // What is loosened in no sequence is proved by none.
    for (const kind of ['alone, for good', 'alone, for a time', 'by several', 'taken back', 'ordered', 'unblock'])
      expect(seen.get(kind) ?? 0, kind).toBeGreaterThan(0);
  },
  examples(600_000),
);
