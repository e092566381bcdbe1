/** Thrown in place of the next step of a killed process. */
export class Killed extends Error {}

export interface CrashPoints {
  /** Number of steps so far at which the process could have been killed. */
  readonly points: () => number;
  /**
   * The steps at which a kill leaves a different state than at the previous step. Excludes steps between the end of one
   * call and the start of the next when no other call is in flight and the clock has not moved.
   */
  readonly distinct: () => readonly number[];
  /** Name of the step at which it was killed, such as `after audit.append`. */
  readonly diedAt: () => string | null;
}

/**
 * Wraps dependencies for a process that is killed at its `killAt`-th step.
 *
 * Every function call, at any depth, has two steps: just before it takes effect, and just after, before its caller gets
 * the result. A killed process does nothing more: each later call throws at once.
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

/** Computing, reading the clock and logging are not steps. A lock belongs to the process, not to the world. */
const isPure =
  /^(?:now|log\b.*|toFacts|refusedTo|applyChanges|unseal|policyFor|hasCardGroups|ownDelegates|policyDelegates|durationOf|withLock|toInstant|momentOf|toMissed|defaultChannel)$/;
