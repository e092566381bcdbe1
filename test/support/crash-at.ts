/** Thrown instead of whatever a killed process would have done next. */
export class Killed extends Error {}

export interface CrashPoints {
  /** Places where it could have been killed so far. */
  readonly points: () => number;
  /**
   * Of these, the places where a death leaves something else than a death at the place before: not between the answer
   * of one call and the start of the next, when no other call is under way and the clock stood still.
   */
  readonly distinct: () => readonly number[];
  /** Name of the place where it was, such as `after audit.append`. */
  readonly diedAt: () => string | null;
}

/**
 * The same dependencies, in a process that is killed at its `killAt`-th step.
 *
 * Every call of a function, at any depth, has two steps: just before it takes effect, and just after, when nobody has
 * heard the answer. A killed process does nothing more: each later call throws at once.
 */
export function crashAtStep<T extends object>(deps: T, killAt: number): { deps: T; life: CrashPoints } {
  let points = 0;
  let underWay = 0;
  let lastAt = Number.NaN;
  const distinct: number[] = [];
  const now = (): number => ('now' in deps && typeof deps.now === 'function' ? Number(deps.now()) : 0);
  let diedAt: string | null = null;
  const pass = (name: string): void => {
    if (diedAt !== null) throw new Killed('dead already');
    points += 1;
    const at = now();
    if (points === 1 || underWay > 0 || at !== lastAt) distinct.push(points);
    lastAt = at;
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
          underWay += 1;
          try {
            const answer: unknown = await Reflect.apply(value, object, args);
            pass(`after ${name}`);
            return answer;
          } finally {
            underWay -= 1;
          }
        };
      },
    });
  return { deps: wrap(deps, ''), life: { points: () => points, distinct: () => distinct, diedAt: () => diedAt } };
}

/** What computes, reads the clock or logs is no step; a lock is taken by the process, not by the world. */
const isPure =
  /^(?:now|log\b.*|toFacts|refusedTo|applyChanges|serviceDays.*|unseal|policyFor|hasCardGroups|ownDelegates|durationOf|withLock|toInstant|momentOf|toMissed|defaultChannel)$/;
