/**
 * Work that is the same for everybody who asks for it under one key: who asks while it is being done shares the next run,
 * which begins after they have asked.
 */
export function joinCalls<Key>(work: (key: Key) => Promise<void>): (key: Key) => Promise<void> {
  const running = new Map<Key, Promise<void>>();
  const waiting = new Map<Key, Promise<void>>();

  function run(key: Key): Promise<void> {
    const done = work(key).finally(() => {
      if (running.get(key) === done) running.delete(key);
    });
    running.set(key, done);
    return done;
  }

  return function joinCall(key) {
    const now = running.get(key);
    if (now === undefined) return run(key);
    let next = waiting.get(key);
    if (next === undefined) {
      const begin = (): Promise<void> => {
        waiting.delete(key);
        return run(key);
      };
      next = now.then(begin, begin);
      waiting.set(key, next);
    }
    return next;
  };
}
