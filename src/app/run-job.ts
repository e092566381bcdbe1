import { UnreadableError } from '../core/errors.ts';
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
  /** Resolves when Redis has everything that this worker wrote. */
  readonly settled: () => Promise<void>;
  /** A job whose data this version cannot read is not tried again: whoever waits for it is told. */
  readonly tellUnreadable: (name: JobName, data: unknown) => Promise<void>;
  /** Something that App Home shows may have changed. */
  readonly homeChanged: () => Promise<void>;
}

/** Runs jobs as the table says. */
export function createRunJob({ handlers, throttle, settled, tellUnreadable, homeChanged }: Deps): RunJob {
  async function run<Name extends JobName>(name: Name, data: unknown, attempt: Attempt): Promise<number | null> {
    return (await handlers[name](await read(name, data, attempt), attempt)) ?? null;
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
    await settled();
    const { waitsForSlack, changesHome } = jobs[name];
    const againMs =
      waitsForSlack === true
        ? await whenSlackTakesIt(attempt.starts, throttle, () => run(name, data, attempt))
        : await run(name, data, attempt);
    if (changesHome === true) await homeChanged();
    return againMs;
  };
}
