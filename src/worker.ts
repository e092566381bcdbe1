import { allConfigs, withoutForeign, workerConfig } from './app/config.ts';
import { runAs } from './app/run-process.ts';
import { startWorkers } from './app/worker-process.ts';

await runAs('worker', () => withoutForeign('worker', allConfigs(workerConfig)), startWorkers);
