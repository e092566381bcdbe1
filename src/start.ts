import { webConfig, workerConfig } from './app/config.ts';
import { orProblems } from './app/read-variables.ts';
import { runAs } from './app/run-process.ts';
import { startWeb } from './app/web-process.ts';
import { startWorker } from './app/worker-process.ts';
import { ConfigError } from './core/errors.ts';

/** Every problem of both configurations at once. @throws ConfigError */
function bothConfigs() {
  const problems: string[] = [];
  const web = orProblems(webConfig, problems);
  const worker = orProblems(workerConfig, problems);
  if (web === null || worker === null) throw new ConfigError([...new Set(problems)]);
  return { ...web, warnings: [...new Set([...web.warnings, ...worker.warnings])], web, worker };
}

/** Both processes in one, for a small team: `npm start`. */
await runAs('both', bothConfigs, async (config, log, admin) => {
  const worker = await startWorker(config.worker, log, admin);
  const web = await startWeb(config.web, log, admin);
  return {
    async stop() {
      await Promise.all([web.stop(), worker.stop()]);
    },
  };
});
