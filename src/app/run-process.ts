import { ConfigError } from '../core/errors.ts';
import { ListenError } from '../core/listen-error.ts';
import type { Log } from '../core/log.ts';
import { EX_CONFIG } from './config.ts';

/** EX_UNAVAILABLE: what it needs is not to be had, for instance its port. It may be tried again. */
const EX_UNAVAILABLE = 69;

export interface RunningProcess {
  /** Takes nothing new, finishes or hands back what is in work. */
  stop(): Promise<void>;
}

/** Platforms kill after ten seconds at the earliest; we are gone in less than eight. */
const STOP_DEADLINE_MS = 7000;

/**
 * Runs a process until SIGTERM or SIGINT, and then exits with 0.
 *
 * What is not finished by the deadline is left as it is: each job is safe to be taken over by another worker.
 */
export async function runProcess(start: () => Promise<RunningProcess>, createLogger: () => Log): Promise<void> {
  let isStopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (isStopping) return;
    isStopping = true;
    const log = createLogger();
    setTimeout(() => {
      log.warn({}, 'not everything finished in time; other workers take over what is left');
      process.exit(0);
    }, STOP_DEADLINE_MS);
    log.info({ signal }, 'stopping');
    starting
      .then((running) => running.stop())
      .then(
        () => log.info({}, 'stopped'),
        (error: unknown) => log.error({ err: error }, 'stopping stumbled'),
      )
      .finally(() => process.exit(0));
  };
  // Before it starts: whoever sees its first line may ask it to stop at once.
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  const starting = start();
  try {
    await starting;
  } catch (error) {
    if (error instanceof ConfigError) {
      process.stderr.write(`${error.message}\nSee .env.example for every variable.\n`);
      process.exit(EX_CONFIG);
    }
    if (error instanceof ListenError) {
      process.stderr.write(`${error.message}\n`);
      process.exit(EX_UNAVAILABLE);
    }
    if (isStopping) return;
    createLogger().fatal({ err: error }, 'could not start');
    process.exit(1);
  }
}
