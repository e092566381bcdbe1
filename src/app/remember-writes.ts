import type { Progress } from '../actions/progress-store.ts';
import type { Redo } from '../core/redo.ts';
import type { TemporaryChanges } from '../limits/temporary-change-store.ts';
import type { Outbox } from '../outbox/outbox-store.ts';

/** The same write, which is repeated when Redis has lost it. It must be safe to repeat. */
export function remembered<Args extends readonly unknown[], Result>(
  redo: Pick<Redo, 'remember'>,
  write: (...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result> {
  return async (...args) => {
    const result = await write(...args);
    redo.remember(() => write(...args));
    return result;
  };
}

interface Stores {
  readonly outbox: Outbox;
  readonly progress: Progress;
  readonly temporaryChanges: TemporaryChanges;
}

/**
 * Stores whose latest writes survive a Redis that comes back older: what was done must not be done again, what was posted
 * not be posted again, and what was opened for a time must end.
 */
export function rememberWrites<Given extends Stores>(redo: Pick<Redo, 'remember'>, stores: Given): Given {
  const { outbox, progress, temporaryChanges } = stores;
  return {
    ...stores,
    outbox: { ...outbox, markSent: remembered(redo, outbox.markSent) },
    progress: {
      ...progress,
      write: remembered(redo, progress.write),
      async begin(actionId, next) {
        const stands = await progress.begin(actionId, next);
        if (stands === null) redo.remember(() => progress.write(actionId, next));
        return stands;
      },
    },
    temporaryChanges: {
      ...temporaryChanges,
      async save(change) {
        await temporaryChanges.save(change);
        redo.remember(async () => {
          const kept = await temporaryChanges.get(change.id);
          const isOlder = kept === null || (kept.state === 'open' && change.state !== 'open');
          if (isOlder) await temporaryChanges.save(change);
        });
      },
    },
  };
}
