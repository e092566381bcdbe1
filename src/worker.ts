import { workerConfig } from './app/config.ts';
import { runProcess } from './app/run-process.ts';
import { startWorker } from './app/worker-process.ts';
import { createLog, type Log } from './core/log.ts';

let log: Log | undefined;
const logger = (level: string): Log => {
  log ??= createLog({ level, process: 'worker' });
  return log;
};

await runProcess(
  async () => {
    const config = workerConfig();
    return startWorker(config, logger(config.logLevel));
  },
  () => logger('info'),
);
