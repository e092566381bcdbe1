import { withAdmin } from './app/admin.ts';
import { webConfig, workerConfig } from './app/config.ts';
import { orProblems } from './app/read-variables.ts';
import { runProcess } from './app/run-process.ts';
import { startWeb } from './app/web-process.ts';
import { startWorker } from './app/worker-process.ts';
import { ConfigError } from './core/errors.ts';
import { createLog, type Log } from './core/log.ts';

/** Both processes in one, for a small team: `npm start`. */
let log: Log | undefined;
const logger = (level: string): Log => {
  log ??= createLog({ level, process: 'both' });
  return log;
};

/** Every problem of both configurations at once. @throws ConfigError */
function bothConfigs() {
  const problems: string[] = [];
  const web = orProblems(webConfig, problems);
  const worker = orProblems(workerConfig, problems);
  if (web === null || worker === null) throw new ConfigError([...new Set(problems)]);
  return { web, worker, warnings: [...new Set([...web.warnings, ...worker.warnings])] };
}

await runProcess(
  async () => {
    const config = bothConfigs();
    const ownLog = logger(config.web.logLevel);
    return withAdmin('both', { ...config.web, warnings: config.warnings }, ownLog, async (admin) => {
      const worker = await startWorker(config.worker, ownLog, admin);
      const web = await startWeb(config.web, ownLog, admin);
      return {
        async stop() {
          await Promise.all([web.stop(), worker.stop()]);
        },
      };
    });
  },
  () => logger('info'),
);
