/** The worker process, at the pace that `TEST_PACE` says in JSON: where nothing is said about pace, nobody waits for it. */
import { withAdmin } from '../../dist/src/app/admin.js';
import { workerConfig } from '../../dist/src/app/config.js';
import { runProcess } from '../../dist/src/app/run-process.js';
import { startWorker } from '../../dist/src/app/worker-process.js';
import { createLog } from '../../dist/src/core/log.js';
import { defaultThrottle } from '../../dist/src/outbox/throttle.js';

const config = workerConfig();
const log = createLog({ level: config.logLevel, process: 'worker' });
await runProcess(
  () =>
    withAdmin('worker', config, log, (admin) =>
      startWorker(config, log, admin, { ...defaultThrottle, ...JSON.parse(process.env.TEST_PACE) }),
    ),
  () => log,
);
