/** The worker process with the pace from `TEST_PACE` (JSON). The default pace applies to everything it omits. */

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
