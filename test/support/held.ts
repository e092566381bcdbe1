import type { Lease, WithLock } from '../../src/core/lock.ts';

/** A lock that is still held. */
export const held: Lease = { confirm: async () => {} };

/** Runs at once, without contention. */
export const withoutLock: WithLock = async (_name, work) => await work(held);
