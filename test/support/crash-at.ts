/** Thrown instead of whatever a killed process would have done next. */
export class Killed extends Error {}

export interface Life {
  /** Places where it could have been killed so far. */
  readonly points: () => number;
  /** Name of the place where it was, such as `after audit.append`. */
  readonly diedAt: () => string | null;
}

/**
 * The same dependencies, in a process that is killed at its `killAt`-th step.
 *
 * Every call of a function, at any depth, has two steps: just before it takes effect, and just after, when nobody has
 * heard the answer. A killed process does nothing more: each later call throws at once.
 */
export function mortal<T extends object>(deps: T, killAt: number): { deps: T; life: Life } {
  let points = 0;
  let diedAt: string | null = null;
  const pass = (name: string): void => {
    if (diedAt !== null) throw new Killed('dead already');
    points += 1;
    if (points !== killAt) return;
    diedAt = name;
    throw new Killed(name);
  };
  const wrap = <U extends object>(target: U, path: string): U =>
    new Proxy(target, {
      get(object, key, receiver) {
        const value: unknown = Reflect.get(object, key, receiver);
        const name = path === '' ? String(key) : `${path}.${String(key)}`;
        if (isPure.test(name) || value === null) return value;
        if (typeof value === 'object') return wrap(value, name);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]) => {
          pass(`before ${name}`);
          const answer: unknown = await Reflect.apply(value, object, args);
          pass(`after ${name}`);
          return answer;
        };
      },
    });
  return { deps: wrap(deps, ''), life: { points: () => points, diedAt: () => diedAt } };
}

/** What computes, reads the clock or logs is no step; a lock is taken by the process, not by the world. */
const isPure = /^(?:now|log\b.*|toFacts|applyChanges|serviceDays.*|unseal|withLock)$/;
