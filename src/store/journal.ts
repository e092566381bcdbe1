import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import { Result } from '../authority/result.ts';
import { stateKey } from '../keys.ts';

const KEPT_SECONDS = 8 * 24 * 3600;

/** How far an action got: written before each step, so that whoever takes over after a crash knows where to go on. */
export const JournalEntry = z.discriminatedUnion('state', [
  /** That it was asked for is on record. */
  z.strictObject({ state: z.literal('asked') }),
  /** The card API may have it. */
  z.strictObject({ state: z.literal('sending'), before: z.string().nullable(), after: z.string().nullable() }),
  /** How it ended is certain; the record may lack it, and who must hear of it may not have heard yet. */
  z.strictObject({ state: z.literal('settled'), at: z.string(), result: Result }),
  /** Nothing is left to be done. */
  z.strictObject({ state: z.literal('told'), at: z.string(), result: Result }),
]);
export type JournalEntry = z.infer<typeof JournalEntry>;

export interface Journal {
  read(actionId: string): Promise<JournalEntry | null>;
  write(actionId: string, entry: JournalEntry): Promise<void>;
}

export function createJournal(redis: Redis | Cluster): Journal {
  return {
    async read(actionId) {
      const text = await redis.get(stateKey(`journal:${actionId}`));
      return text === null ? null : JournalEntry.parse(JSON.parse(text));
    },
    async write(actionId, entry) {
      await redis.set(stateKey(`journal:${actionId}`), JSON.stringify(entry), 'EX', KEPT_SECONDS);
    },
  };
}
