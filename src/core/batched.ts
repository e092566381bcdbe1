import DataLoader from 'dataloader';
import { groupBy } from './group-by.ts';

/** So that one command of a flood does not block other requests to Redis for long. */
const BATCH_MAX = 200;

/**
 * Calls that are made in the same turn of the event loop become one: a command for a hundred alerts costs a few times as much
 * as one for a single alert. A call that comes alone waits for nothing, and nothing is remembered.
 *
 * @param run answers each call, in the order given; an error is thrown by that call alone. Where it fails, all of them fail.
 */
export function batched<Call, Answer>(
  run: (calls: readonly Call[]) => Promise<readonly (Answer | Error)[]>,
): (call: Call) => Promise<Answer> {
  const calls = new DataLoader<Call, Answer>(run, { cache: false, maxBatchSize: BATCH_MAX });
  return (call) => calls.load(call);
}

/** The same where only calls with the same key can become one: each key has a run of its own, which fails by itself. */
export function batchedBy<Call, Answer>(
  keyOf: (call: Call) => string,
  run: (calls: readonly [Call, ...Call[]]) => Promise<readonly Answer[]>,
): (call: Call) => Promise<Answer> {
  return batched(async (calls) => {
    const groups = [...groupBy(calls.entries(), ([, call]) => keyOf(call)).values()];
    const answers: (Answer | Error)[] = [];
    await Promise.all(
      groups.map(async (group) => {
        const same = group.map(([, call]) => call) as [Call, ...Call[]];
        const own = await run(same).catch((error: unknown) => same.map(() => asError(error)));
        for (const [index, [place]] of group.entries()) answers[place] = own[index] as Answer | Error;
      }),
    );
    return answers;
  });
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
