import type { Progress } from '../actions/progress-store.ts';
import type { Redo } from '../core/redo.ts';
import type { TemporaryChanges } from '../limits/temporary-change-store.ts';
import type { Outbox } from '../outbox/outbox-store.ts';
import type { Enqueue } from './enqueue.ts';
import { type JobData, type JobName, jobs } from './jobs.ts';

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
    outbox: {
      ...outbox,
      // Nobody else posts what is on its way, until its sender has said what became of it.
      async claim(...args) {
        const sending = await outbox.claim(...args);
        if (sending !== null) redo.remember(() => outbox.claim(...args));
        return sending;
      },
      markSent: remembered(redo, outbox.markSent),
    },
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

/**
 * Jobs that were added, or done, shortly before Redis came back older are added again: what a job wrote may be lost, and what
 * it was made from may be gone.
 */
export function rememberJobs(redo: Pick<Redo, 'remember'>, add: Enqueue) {
  const keep: Keep = (name, data, when) => {
    const { id, mergeBy } = jobs[name];
    const own = when?.id ?? id?.(data) ?? mergeBy?.(data);
    redo.remember(() => add(name, data, when), own === undefined ? Symbol(name) : `${name} ${own}`);
  };
  const enqueue: Enqueue = async (name, data, when) => {
    await add(name, data, when);
    keep(name, data, when);
  };
  return { enqueue, jobDone: keep };
}

type Keep = <Name extends JobName>(name: Name, data: JobData<Name>, when?: Parameters<Enqueue>[2]) => void;
