import { z } from 'zod';
import { RuleChanges, Term } from '../card-api/rule-change.ts';
import { stateKey } from '../core/keys.ts';
import { createRecordHash, createRecordStore } from '../core/record-store.ts';
import type { RedisClient } from '../core/redis.ts';
import type { Signer } from '../core/sign.ts';

/** Ended ones are kept as long as the messages that show them can be edited for. */
const ENDED_TTL_SECONDS = 30 * 24 * 3600;

/** A change of a card's rules that ends by itself: what we set, and what was there before. */
export const TemporaryChange = z.strictObject({
  /** Id of the action that made the change. */
  id: z.string(),
  acctId: z.int(),
  /** What the rules go back to (`from`), and what they were set to. */
  changes: RuleChanges,
  term: Term,
  /** Slack user who asked for it. */
  by: z.strictObject({ userId: z.string(), teamId: z.string() }),
  /** UTC ISO 8601, as all times here. */
  openedAt: z.string(),
  endsAt: z.string(),
  /** The purchase that it was made for, whose authorization ends it early. Null: it lasts until `endsAt`. */
  purchase: z.strictObject({ merchantId: z.string(), merchant: z.string(), maxCents: z.int() }).nullable(),
  /** Where it is shown: the alert or the request that it came from; else it has a message of its own. */
  alertId: z.string().nullable(),
  requestId: z.string().nullable(),
  /**
   * `asking`: it is over, but somebody changed the rule meanwhile; people decide. After that: `ended` restored, `kept` as
   * somebody set it, `refused` by the card service, `superseded` by a change that stays.
   */
  state: z.enum(['open', 'asking', 'ended', 'kept', 'refused', 'superseded']),
  /** Of what has ended, or asks: what the same rules were then, from what we had set. Null: they were not read. */
  meanwhile: RuleChanges.nullable(),
  closedAt: z.string().nullable().default(null),
  /** Who took it back or decided; null when it ended by itself. */
  closedBy: z.string().nullable().default(null),
});
export type TemporaryChange = z.infer<typeof TemporaryChange>;

export type TemporaryChanges = ReturnType<typeof createTemporaryChanges>;

/** They are signed: what the rules go back to may be looser than what they are. */
export function createTemporaryChanges(redis: RedisClient, signer: Signer) {
  const openKey = stateKey('temporary-changes');
  const idOf = ({ id }: TemporaryChange): string => id;
  const open = createRecordHash({ redis, schema: TemporaryChange, signer, idOf, key: openKey });
  const ended = createRecordStore({
    redis,
    schema: TemporaryChange,
    signer,
    idOf,
    keyOf: (id) => stateKey(`temporary-change:${id}`),
    ttlSeconds: ENDED_TTL_SECONDS,
  });
  return {
    /** Keeps a temporary change as it is now. */
    async save(temporaryChange: TemporaryChange): Promise<void> {
      const { id, state } = temporaryChange;
      if (state === 'open' || state === 'asking') await open.put(id, temporaryChange);
      else await ended.put(id, temporaryChange, (change) => change.hdel(openKey, id));
    },
    /** Also one that has ended, for a month. */
    get: async (id: string): Promise<TemporaryChange | null> => (await open.get(id)) ?? (await ended.get(id)),
    /** It never came to be. */
    forget: (id: string): Promise<void> => open.delete(id),
    /** Every temporary change that is open or asks, soonest end first: read at start-up, so that none outlives a lost timer. */
    all: async (): Promise<TemporaryChange[]> =>
      (await open.all()).toSorted((a, b) => a.endsAt.localeCompare(b.endsAt)),
  };
}
