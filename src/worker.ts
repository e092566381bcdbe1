import { withAdmin } from './app/admin.ts';
import { dropForeign, workerConfig } from './app/config.ts';
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
    const own = workerConfig();
    const config = { ...own, warnings: [...own.warnings, ...dropForeign('worker')] };
    const ownLog = logger(config.logLevel);
    return withAdmin('worker', config, ownLog, (admin) => startWorker(config, ownLog, admin));
  },
  () => logger('info'),
);
