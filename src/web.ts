import { allConfigs, webConfig, withoutForeign } from './app/config.ts';
import { runAs } from './app/run-process.ts';
import { startWeb } from './app/web-process.ts';

await runAs('web', () => withoutForeign('web', allConfigs(webConfig)), startWeb);
