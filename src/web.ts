import { webConfig } from './config.ts';
import { createLog, type Log } from './log.ts';
import { runProcess } from './run-process.ts';
import { startWeb } from './web-process.ts';

let log: Log | undefined;
const logger = (level: string): Log => {
  log ??= createLog({ level, process: 'web' });
  return log;
};

await runProcess(
  async () => {
    const config = webConfig();
    return startWeb(config, logger(config.logLevel));
  },
  () => logger('info'),
);
