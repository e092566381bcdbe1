import { workerConfig } from './config.ts';
import { createLog, type Log } from './log.ts';
import { runProcess } from './run-process.ts';
import { startWorker } from './worker-process.ts';

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
