import { BoundedMap } from '../core/bounded-map.ts';
import type { Redo } from '../core/redo.ts';
import type { WriteOrder } from '../core/write-order.ts';
import type { Stores } from './stores.ts';
import type { Again, Unremembered, Write, WriteRule } from './write-rule.ts';
import { rules } from './write-rules.ts';

type Remember = Pick<Redo, 'remember'>;

/** More than the subjects that a process writes within the time for which it remembers its writes. */
const NUMBERS_KEPT = 5000;
/** Lower than any number that Redis gives: it counts from its time, and 0 means that there is a newer write. */
const FIRST_NUMBER = 1;

/** Wraps a write so that it is repeated when Redis has lost it. It must be safe to repeat, whatever was written since. */
export function remembered<Args extends readonly unknown[], Result>(
  redo: Remember,
  write: Write<Args, Result>,
): Write<Args, Result> {
  return async (...args) => {
    const result = await write(...args);
    redo.remember(() => write(...args));
    return result;
  };
}

/** A rule and a store. `write-rules.ts` has checked that they match. */
type AnyRule = WriteRule<unknown, readonly unknown[], unknown>;
type AnyStore = Readonly<Record<string, Write<readonly unknown[], unknown>>>;

/**
 * Wraps stores so that recent writes survive a Redis that comes back with older data: nothing is done or posted twice,
 * temporary things still end, and people's settings stay as they left them.
 */
export function rememberWrites(redo: Remember, order: WriteOrder, stores: Stores): Stores {
  const remember = createRemember(redo, order);
  const wrapped = Object.entries(rules).map(([name, rulesOfStore]) => {
    const store = stores[name as keyof Stores] as AnyStore;
    const methods = Object.entries(rulesOfStore as Record<string, AnyRule | Unremembered>).flatMap(([method, rule]) => {
      const write = store[method];
      return typeof rule === 'string' || write === undefined ? [] : [[method, remember(store, write, rule)]];
    });
    return [name, { ...store, ...Object.fromEntries(methods) }];
  });
  return { ...stores, ...Object.fromEntries(wrapped) };
}

function createRemember(redo: Remember, order: WriteOrder) {
  /** The number of this process' last write of each subject. */
  const numbers = new BoundedMap<string, number>(NUMBERS_KEPT);
  return (
    store: AnyStore,
    write: Write<readonly unknown[], unknown>,
    { subject, ownSubject, again }: AnyRule,
  ): typeof write =>
    async (...args) => {
      const written = async (): Promise<{ result: unknown; repeat: Again | null }> => {
        const result = await write(...args);
        return { result, repeat: again === undefined ? () => write(...args) : await again(store, result, ...args) };
      };
      if (subject === undefined) {
        const { result, repeat } = await written();
        if (repeat !== null) redo.remember(repeat, ownSubject?.(...args));
        return result;
      }
      const about = subject(...args);
      return await order.serialize(about, async () => {
        const { result, repeat } = await written();
        if (repeat === null) return result;
        const earlier = numbers.get(about) ?? FIRST_NUMBER;
        const number = order.note(about);
        // Remember it before its number is known: Redis may fail between the two, or reject it. Then it is only newer than
        // our own last write: its caller was told that it failed, so it replaces no write of others.
        redo.remember(async () => await order.ifNewest(about, await number.catch(() => earlier), repeat), about);
        numbers.set(about, await number);
        return result;
      });
    };
}
