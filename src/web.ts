import { withAdmin } from './app/admin.ts';
import { dropForeign, webConfig } from './app/config.ts';
import { runProcess } from './app/run-process.ts';
import { startWeb } from './app/web-process.ts';
import { createLog, type Log } from './core/log.ts';

let log: Log | undefined;
const logger = (level: string): Log => {
  log ??= createLog({ level, process: 'web' });
  return log;
};

await runProcess(
  async () => {
    const own = webConfig();
    const config = { ...own, warnings: [...own.warnings, ...dropForeign('web')] };
    const ownLog = logger(config.logLevel);
    return withAdmin('web', config, ownLog, (admin) => startWeb(config, ownLog, admin));
  },
  () => logger('info'),
);
