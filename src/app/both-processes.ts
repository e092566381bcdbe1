import { ConfigError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { webConfig, workerConfig } from './config.ts';
import type { Configs } from './programs.ts';
import { type Env, orProblems } from './read-variables.ts';
import type { Admin, RunningProcess } from './run-process.ts';
import { startWeb } from './web-process.ts';
import { defaultPace, type Pace, startWorkers } from './worker-process.ts';

type BothConfig = ReturnType<typeof bothConfig>;

/** Every problem of both configurations at once. @throws ConfigError */
export function bothConfig(env: Env) {
  const problems: string[] = [];
  const web = orProblems(() => webConfig(env), problems);
  const worker = orProblems(() => workerConfig(env), problems);
  if (web === null || worker === null) throw new ConfigError([...new Set(problems)]);
  return { ...web, warnings: [...new Set([...web.warnings, ...worker.warnings])], web, worker };
}

/** Web and worker in one process, for a small team. */
export async function startBoth(
  configs: Configs<BothConfig>,
  log: Log,
  admin: Admin,
  pace: Pace = defaultPace,
): Promise<RunningProcess> {
  const workerConfigs = each(configs, ({ worker }) => worker);
  const workers = await startWorkers(workerConfigs, log, admin, pace);
  const webConfigs = each(configs, ({ web }) => web);
  const web = await startWeb(webConfigs, log, admin);
  return {
    async stop() {
      await Promise.all([web.stop(), workers.stop()]);
    },
  };
}

/** Those of one process, in the same order. */
function each<Config>(
  [first, ...others]: Configs<BothConfig>,
  configOf: (both: BothConfig) => Config,
): Configs<Config> {
  return [configOf(first), ...others.map(configOf)];
}
