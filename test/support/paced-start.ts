/** Web and worker in one process, with the pace from `TEST_PACE`. */

import { bothConfig, startBoth } from '../../src/app/both-processes.ts';
import { allConfigs } from '../../src/app/config.ts';
import { runAs } from '../../src/app/run-process.ts';
import { testPace } from './pace.ts';

await runAs(
  'both',
  () => allConfigs(bothConfig),
  (configs, log, admin) => startBoth(configs, log, admin, testPace()),
);
