import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Shares work between callers with the same key. A caller who asks while it is running, or within `restMs` after it,
 * shares the next run, which starts after they asked.
 */
export function joinCalls<Key>(work: (key: Key) => Promise<void>, restMs = 0): (key: Key) => Promise<void> {
  const running = new Map<Key, Promise<unknown>>();
  const waiting = new Map<Key, Promise<void>>();

  function run(key: Key): Promise<void> {
    const done = work(key);
    const rested = done
      .catch(() => {})
      .then(() => (restMs > 0 ? sleep(restMs) : undefined))
      .finally(() => {
        if (running.get(key) === rested) running.delete(key);
      });
    running.set(key, rested);
    return done;
  }

  return function joinCall(key) {
    const now = running.get(key);
    if (now === undefined) return run(key);
    let next = waiting.get(key);
    if (next === undefined) {
      next = now.then(() => {
        waiting.delete(key);
        return run(key);
      });
      waiting.set(key, next);
    }
    return next;
  };
}

/** Callers with the same arguments share a call while it runs: those who come later do not start another one. */
export function shareRunning<Args extends readonly (string | number | null)[], Answer>(
  work: (...args: Args) => Promise<Answer>,
): (...args: Args) => Promise<Answer> {
  const running = new Map<string, Promise<Answer>>();
  return (...args) => {
    const key = args.join(' ');
    let call = running.get(key);
    if (call === undefined) {
      call = work(...args).finally(() => running.delete(key));
      running.set(key, call);
    }
    return call;
  };
}

/**
 * Answers all calls within `freshMs` after one has begun with the answer to that one.
 *
 * @param ask should not reject: its callers would share the error, too.
 */
export function sharedFor<Answer>(freshMs: number, ask: () => Promise<Answer>): () => Promise<Answer> {
  let askedAt = Number.NEGATIVE_INFINITY;
  let answer: Promise<Answer> | undefined;
  return () => {
    if (answer === undefined || performance.now() - askedAt >= freshMs) {
      askedAt = performance.now();
      answer = ask();
    }
    return answer;
  };
}
