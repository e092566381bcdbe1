import { allConfigs, webConfig, workerConfig } from './app/config.ts';
import type { Configs } from './app/programs.ts';
import { type Env, orProblems } from './app/read-variables.ts';
import { runAs } from './app/run-process.ts';
import { startWeb } from './app/web-process.ts';
import { startWorkers } from './app/worker-process.ts';
import { ConfigError } from './core/errors.ts';

/** Every problem of both configurations at once. @throws ConfigError */
function bothConfigs(env: Env) {
  const problems: string[] = [];
  const web = orProblems(() => webConfig(env), problems);
  const worker = orProblems(() => workerConfig(env), problems);
  if (web === null || worker === null) throw new ConfigError([...new Set(problems)]);
  return { ...web, warnings: [...new Set([...web.warnings, ...worker.warnings])], web, worker };
}

/** Those of one process, in the same order. */
function each<Both, Config>([first, ...others]: Configs<Both>, configOf: (both: Both) => Config): Configs<Config> {
  return [configOf(first), ...others.map(configOf)];
}

/** Both processes in one, for a small team: `npm start`. */
await runAs(
  'both',
  () => allConfigs(bothConfigs),
  async (configs, log, admin) => {
    const workers = await startWorkers(
      each(configs, ({ worker }) => worker),
      log,
      admin,
    );
    const web = await startWeb(
      each(configs, (both) => both.web),
      log,
      admin,
    );
    return {
      async stop() {
        await Promise.all([web.stop(), workers.stop()]);
      },
    };
  },
);
