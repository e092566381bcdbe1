import { withoutForeign, workerConfig } from './app/config.ts';
import { runAs } from './app/run-process.ts';
import { startWorker } from './app/worker-process.ts';

await runAs('worker', () => withoutForeign('worker', workerConfig()), startWorker);
