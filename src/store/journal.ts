import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import { stateKey } from '../keys.ts';

const KEPT_SECONDS = 8 * 24 * 3600;

/** How far an action got: written before each step, so that whoever takes over after a crash knows what to look at. */
export const JournalEntry = z.strictObject({
  /** `sending`: the card API may have it. `settled`: how it ended is on record. */
  state: z.enum(['sending', 'settled']),
  before: z.string().nullable(),
  after: z.string().nullable(),
});
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
