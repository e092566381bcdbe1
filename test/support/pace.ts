import { defaultPace, type Pace } from '../../src/app/worker-process.ts';

/** The pace from `TEST_PACE` (JSON). The default pace applies to everything it omits. */
export const testPace = (): Pace => ({ ...defaultPace, ...JSON.parse(process.env.TEST_PACE ?? '{}') });
