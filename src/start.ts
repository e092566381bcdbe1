import { bothConfig, startBoth } from './app/both-processes.ts';
import { allConfigs } from './app/config.ts';
import { runAs } from './app/run-process.ts';

await runAs('both', () => allConfigs(bothConfig), startBoth);
