import DataLoader from 'dataloader';
import { isStoreTrouble } from './redis.ts';

/** Keeps one command from blocking Redis for long during a burst. */
const BATCH_MAX = 200;

/**
 * Combines calls made in the same turn of the event loop: a command for a hundred alerts costs only a few times as much
 * as one for a single alert. A single call does not wait, and nothing is cached.
 *
 * @param run answers the calls in the given order. If it fails, each call is run again alone, so that one bad call does
 * not fail the others. Calls must therefore be safe to repeat. If Redis itself is in trouble, all calls fail.
 */
export function batched<Call, Answer>(
  run: (calls: readonly Call[]) => Promise<readonly Answer[]>,
): (call: Call) => Promise<Answer> {
  const runAlone = async (call: Call): Promise<Answer | Error> => {
    try {
      const [answer] = await run([call]);
      return answer as Answer;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  };
  const runAll = async (calls: readonly Call[]): Promise<readonly (Answer | Error)[]> => {
    try {
      return await run(calls);
    } catch (error) {
      if (calls.length === 1 || isStoreTrouble(error)) throw error;
      return await Promise.all(calls.map(runAlone));
    }
  };
  const calls = new DataLoader<Call, Answer>(runAll, { cache: false, maxBatchSize: BATCH_MAX });
  return (call) => calls.load(call);
}

/**
 * Like `batched`, but combines only calls with the same key. Each key has its own batch, which fails alone and never
 * waits for another key. In a cluster, one channel's server may be down while the others answer.
 */
export function batchedBy<Call, Answer>(
  keyOf: (call: Call) => string,
  run: (calls: readonly [Call, ...Call[]]) => Promise<readonly Answer[]>,
): (call: Call) => Promise<Answer> {
  const ofThisTurn = new Map<string, (call: Call) => Promise<Answer>>();
  return (call) => {
    const key = keyOf(call);
    let together = ofThisTurn.get(key);
    if (together === undefined) {
      together = batched(async (calls: readonly Call[]) => {
        ofThisTurn.delete(key);
        return await run(calls as readonly [Call, ...Call[]]);
      });
      ofThisTurn.set(key, together);
    }
    return together(call);
  };
}
