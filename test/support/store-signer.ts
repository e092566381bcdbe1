import { createSigner } from '../../src/core/sign.ts';

/** Signs what stores keep, as a worker does. */
export const storeSigner = createSigner('worker-secret-0123456789', 'test');
