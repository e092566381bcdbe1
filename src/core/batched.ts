import DataLoader from 'dataloader';
import { isStoreTrouble } from './redis.ts';

/** So that one command of a flood does not block other requests to Redis for long. */
const BATCH_MAX = 200;

/**
 * Calls that are made in the same turn of the event loop become one: a command for a hundred alerts costs a few times as much
 * as one for a single alert. A call that comes alone waits for nothing, and nothing is remembered.
 *
 * @param run answers each call, in the order given. Where it fails each call is run alone, so that one that Redis does not
 * take fails no other: it must be safe to repeat. What Redis cannot do just now fails all of them.
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
 * The same where only calls with the same key can become one: each key has a run of its own, which fails by itself, and which
 * nobody else waits for. In a cluster the server of one channel may be away while those of all others answer.
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
