/** The worker process, at the pace that `TEST_PACE` says in JSON: where nothing is said about pace, nobody waits for it. */
import { workerConfig } from '../../dist/src/config.js';
import { createLog } from '../../dist/src/log.js';
import { usualPace } from '../../dist/src/pace.js';
import { runProcess } from '../../dist/src/run-process.js';
import { startWorker } from '../../dist/src/worker-process.js';

const config = workerConfig();
const log = createLog({ level: config.logLevel, process: 'worker' });
await runProcess(
  () => startWorker(config, log, { ...usualPace, ...JSON.parse(process.env.TEST_PACE) }),
  () => log,
);
