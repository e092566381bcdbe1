import { ConfigError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { webConfig, workerConfig } from './config.ts';
import type { Configs } from './programs.ts';
import { type Env, orProblems } from './read-variables.ts';
import type { Admin, RunningProcess } from './run-process.ts';
import { startWeb } from './web-process.ts';
import { defaultPace, type Pace, startWorkers } from './worker-process.ts';

/** Every problem of both configurations at once. @throws ConfigError */
export function bothConfig(env: Env) {
  const problems: string[] = [];
  const web = orProblems(() => webConfig(env), problems);
  const worker = orProblems(() => workerConfig(env), problems);
  if (web === null || worker === null) throw new ConfigError([...new Set(problems)]);
  return { ...web, ...worker, warnings: [...new Set([...web.warnings, ...worker.warnings])] };
}

/** Web and worker in one process, for a small team. */
export async function startBoth(
  configs: Configs<ReturnType<typeof bothConfig>>,
  log: Log,
  admin: Admin,
  pace: Pace = defaultPace,
): Promise<RunningProcess> {
  const workers = await startWorkers(configs, log, admin, pace);
  const web = await startWeb(configs, log, admin);
  return {
    async stop() {
      await Promise.all([web.stop(), workers.stop()]);
    },
  };
}
