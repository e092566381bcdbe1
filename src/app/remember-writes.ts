import type { Redo } from '../core/redo.ts';
import type { WriteOrder } from '../core/write-order.ts';
import type { Stores } from './stores.ts';
import type { Again, Unremembered, Write, WriteRule } from './write-rule.ts';
import { rules } from './write-rules.ts';

type Remember = Pick<Redo, 'remember'>;

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
export function rememberWrites<Given extends Partial<Stores>>(redo: Remember, order: WriteOrder, stores: Given): Given {
  const remember = createRemember(redo, order);
  const wrapped = Object.entries(rules).flatMap(([name, rulesOfStore]) => {
    const store = stores[name as keyof Stores] as AnyStore | undefined;
    if (store === undefined) return [];
    const methods = Object.entries(rulesOfStore as Record<string, AnyRule | Unremembered>).flatMap(([method, rule]) => {
      const write = store[method];
      return typeof rule === 'string' || write === undefined ? [] : [[method, remember(store, write, rule)]];
    });
    return [[name, { ...store, ...Object.fromEntries(methods) }]];
  });
  return { ...stores, ...Object.fromEntries(wrapped) };
}

function createRemember(redo: Remember, order: WriteOrder) {
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
        // Remember it before its number is known: Redis may fail between the two.
        const number = order.note(about);
        redo.remember(async () => await order.ifNewest(about, await number, repeat), about);
        await number;
        return result;
      });
    };
}
