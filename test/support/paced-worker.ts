/** The worker process, at the pace that `TEST_PACE` says in JSON: where nothing is said about pace, nobody waits for it. */

import { allConfigs, workerConfig } from '../../src/app/config.ts';
import { runProcess, withAdmin } from '../../src/app/run-process.ts';
import { defaultPace, startWorkers } from '../../src/app/worker-process.ts';
import { createLog } from '../../src/core/log.ts';

const configs = allConfigs(workerConfig);
const [config] = configs;
const log = createLog({ level: config.logLevel, process: 'worker' });
await runProcess(
  () =>
    withAdmin('worker', config, log, (admin) =>
      startWorkers(configs, log, admin, { ...defaultPace, ...JSON.parse(process.env.TEST_PACE ?? '{}') }),
    ),
  () => log,
);
