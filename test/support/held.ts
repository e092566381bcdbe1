import type { Lease, WithLock } from '../../src/core/lock.ts';

/** A lock that its owner still holds. */
export const held: Lease = { confirm: async () => {} };

/** Runs at once: nobody else is there. */
export const withoutLock: WithLock = async (_name, work) => await work(held);
