import { createSigner } from '../../src/core/sign.ts';

/** Signs stored records like a worker. */
export const storeSigner = createSigner('worker-secret-0123456789', 'test');
