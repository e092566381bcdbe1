/** The worker process with the pace from `TEST_PACE`. */

import { allConfigs, workerConfig } from '../../src/app/config.ts';
import { runAs } from '../../src/app/run-process.ts';
import { startWorkers } from '../../src/app/worker-process.ts';
import { testPace } from './pace.ts';

await runAs(
  'worker',
  () => allConfigs(workerConfig),
  (configs, log, admin) => startWorkers(configs, log, admin, testPace()),
);
