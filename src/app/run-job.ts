import { UnreadableError } from '../core/errors.ts';
import type { Redo } from '../core/redo.ts';
import { fromStoredAs } from '../core/unknown-fields.ts';
import { type Throttle, whenSlackTakesIt } from '../outbox/send-message.ts';
import { type JobData, type JobName, jobs } from './jobs.ts';

/** One try of a job. */
export interface Attempt {
  /** True when the job will not be tried again. */
  readonly isLast: boolean;
  /** How often it has been started, this time included. */
  readonly starts: number;
  /** True when the job had asked to come back later. */
  readonly hasWaited: boolean;
}

/** Does a job. Answers milliseconds after which to run again, or nothing when it is done. */
export type JobHandler<Name extends JobName> = (
  data: JobData<Name>,
  attempt: Attempt,
) => Promise<number | null> | Promise<void>;

/** What is done for each job of the table. */
export type JobHandlers = { readonly [Name in JobName]: JobHandler<Name> };

/** @returns milliseconds after which to run again, or null when the job is done. */
export type RunJob = (name: JobName, data: unknown, attempt: Attempt) => Promise<number | null>;

interface Deps {
  readonly handlers: JobHandlers;
  readonly throttle: Pick<Throttle, 'tokenDeadMs'>;
  readonly redo: Pick<Redo, 'settled' | 'losses'>;
  /** Remembers a job that is done, in case Redis comes back without what it wrote. */
  readonly jobDone: <Name extends JobName>(name: Name, data: JobData<Name>) => void;
  /** A job whose data this version cannot read is not tried again: whoever waits for it is told. */
  readonly tellUnreadable: (name: JobName, data: unknown) => Promise<void>;
  /** Something that App Home shows may have changed. */
  readonly homeChanged: () => Promise<void>;
}

/** How soon a job runs again during which Redis came back older. */
const AGAIN_MS = 100;

/**
 * Runs jobs as the table says.
 *
 * A job during which Redis came back older runs again: of what it wrote some may be lost, and the rest is there.
 */
export function createRunJob({ handlers, throttle, redo, jobDone, tellUnreadable, homeChanged }: Deps): RunJob {
  async function run<Name extends JobName>(name: Name, given: unknown, attempt: Attempt): Promise<number | null> {
    const data = await read(name, given, attempt);
    const losses = redo.losses();
    const isInterrupted = async (): Promise<boolean> => {
      await redo.settled();
      return redo.losses() !== losses;
    };
    try {
      const againMs = (await handlers[name](data, attempt)) ?? null;
      if (await isInterrupted()) return AGAIN_MS;
      if (againMs === null && jobs[name].everyMs === undefined) jobDone(name, data);
      return againMs;
    } catch (error) {
      if (await isInterrupted()) return AGAIN_MS;
      throw error;
    }
  }
  async function read<Name extends JobName>(name: Name, data: unknown, { isLast }: Attempt): Promise<JobData<Name>> {
    try {
      return fromStoredAs(`the data of ${name}`, jobs[name].data, data);
    } catch (error) {
      if (isLast && error instanceof UnreadableError) await tellUnreadable(name, data);
      throw error;
    }
  }
  return async (name, data, attempt) => {
    await redo.settled();
    const { waitsForSlack, changesHome } = jobs[name];
    const againMs =
      waitsForSlack === true
        ? await whenSlackTakesIt(attempt.starts, throttle, () => run(name, data, attempt))
        : await run(name, data, attempt);
    if (changesHome === true) await homeChanged();
    return againMs;
  };
}
