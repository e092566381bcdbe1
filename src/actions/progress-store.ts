import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import { stateKey } from '../core/keys.ts';
import { defineScript } from '../core/redis-script.ts';
import { Expected, Result } from './result.ts';

const KEPT_SECONDS = 8 * 24 * 3600;

/** How far an action got: written before each step, so that whoever takes over after a crash knows where to go on. */
export const ProgressEntry = z.discriminatedUnion('state', [
  /** That it was asked for is on record. */
  z.strictObject({ state: z.literal('asked') }),
  /** The card API may have it. */
  z.strictObject({
    state: z.literal('sending'),
    before: z.string().nullable(),
    after: z.string().nullable(),
    /** What the card shows if it has: for whoever gives it up. */
    expects: Expected.optional(),
    /** What had changed the same before: no reason to leave this undone after a crash. */
    followed: z.array(z.string()).readonly().optional(),
  }),
  /** How it ended is certain; the record may lack it, and who must hear of it may not have heard yet. */
  z.strictObject({ state: z.literal('settled'), at: z.string(), result: Result }),
  /** Nothing is left to be done. */
  z.strictObject({ state: z.literal('told'), at: z.string(), result: Result }),
]);
export type ProgressEntry = z.infer<typeof ProgressEntry>;

/** How an action ended. */
export type ProgressEnd = Extract<ProgressEntry, { result: unknown }>;

export interface Progress {
  read(actionId: string): Promise<ProgressEntry | null>;
  /**
   * Goes on to the next state. An end stays what it is, though somebody else still works on the action: a process that
   * stood still for longer than its lock and goes on.
   *
   * @returns what stands now: another entry than the given one is the end that somebody else came to.
   */
  write(actionId: string, entry: ProgressEntry): Promise<ProgressEntry>;
  /**
   * Goes on to `sending` where nobody has yet: for what must never be sent twice, not even by a process that stood
   * still and goes on.
   *
   * @returns null when it is for the caller to send; otherwise what stands.
   */
  begin(actionId: string, entry: Extract<ProgressEntry, { state: 'sending' }>): Promise<ProgressEntry | null>;
}

/** KEYS: the progress of the action. ARGV: the entry, its state, time to live. Answers what stands. */
const writeScript = `
local stands = redis.call('GET', KEYS[1])
if stands and ARGV[2] ~= 'told' then
  local state = cjson.decode(stands).state
  if state == 'settled' or state == 'told' then return stands end
end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[3])
return ARGV[1]
`;

/** KEYS: the progress of the action. ARGV: the entry, time to live. Answers what stands, nothing when it was taken. */
const beginScript = `
local stands = redis.call('GET', KEYS[1])
if stands and cjson.decode(stands).state ~= 'asked' then return stands end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
return false
`;

export function createProgress(redis: Redis | Cluster): Progress {
  const script = defineScript(redis, 'cardbellJournalWrite', writeScript);
  const beginning = defineScript(redis, 'cardbellJournalBegin', beginScript);
  return {
    async read(actionId) {
      const text = await redis.get(stateKey(`progress:${actionId}`));
      return text === null ? null : ProgressEntry.parse(JSON.parse(text));
    },
    async write(actionId, entry) {
      const args = [JSON.stringify(entry), entry.state, KEPT_SECONDS];
      return ProgressEntry.parse(JSON.parse((await script.run([stateKey(`progress:${actionId}`)], args)) as string));
    },
    async begin(actionId, entry) {
      const args = [JSON.stringify(entry), KEPT_SECONDS];
      const stands = (await beginning.run([stateKey(`progress:${actionId}`)], args)) as string | null;
      return stands === null ? null : ProgressEntry.parse(JSON.parse(stands));
    },
  };
}
