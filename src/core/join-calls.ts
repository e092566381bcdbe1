import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Work that is the same for everybody who asks for it under one key: who asks while it is being done, or within `restMs` after
 * that, shares the next run, which begins after they have asked.
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
