import type { Clock } from '../../src/core/end-time.ts';

/** A Friday, 9:14 in New York. */
export const clock: Clock = { now: new Date('2026-11-20T14:14:00Z'), zone: 'America/New_York' };
