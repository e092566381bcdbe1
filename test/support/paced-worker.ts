/** The worker process, at the pace that `TEST_PACE` says in JSON: where nothing is said about pace, nobody waits for it. */

import { workerConfig } from '../../src/app/config.ts';
import { runProcess, withAdmin } from '../../src/app/run-process.ts';
import { defaultPace, startWorker } from '../../src/app/worker-process.ts';
import { createLog } from '../../src/core/log.ts';

const config = workerConfig();
const log = createLog({ level: config.logLevel, process: 'worker' });
await runProcess(
  () =>
    withAdmin('worker', config, log, (admin) =>
      startWorker(config, log, admin, { ...defaultPace, ...JSON.parse(process.env.TEST_PACE ?? '{}') }),
    ),
  () => log,
);
