import { z } from 'zod';
import { RuleChanges, RuleGoals, Term } from '../card-api/rule-change.ts';
import { stateKey } from '../core/keys.ts';
import { createRecordHash, createRecordStore } from '../core/record-store.ts';
import type { RedisClient } from '../core/redis.ts';
import type { Signer } from '../core/sign.ts';
import { isUndecided } from './temporary-change.ts';

/** Ended changes are kept as long as the messages that show them can be edited. */
const ENDED_TTL_SECONDS = 30 * 24 * 3600;

/** A change of a card's rules with an end: the values we set and the values before. */
export const TemporaryChange = z.strictObject({
  /** Id of the action that made the change. */
  id: z.string(),
  acctId: z.int(),
  /** The values the rules go back to (`from`) and the values they were set to. */
  changes: RuleChanges,
  term: Term,
  /** Slack user who asked for it. */
  by: z.strictObject({ userId: z.string(), teamId: z.string() }),
  /** It took the place of a reduction of somebody else, and goes back to the value before that one, too. */
  isOverOthers: z.boolean().optional(),
  /**
   * A backup was restored while it ran, or while one ran whose values it goes back to. A person may have made a reduction
   * permanent since the backup was taken.
   */
  isFromBackup: z.boolean().optional(),
  /** UTC ISO 8601, like all times here. */
  openedAt: z.string(),
  /** Since when its rules have been loosened, if others had done that before. */
  loosenedSince: z.string().optional(),
  endsAt: z.string(),
  /** A later change lowered or shortened it, and those who rely on it were told. */
  isLost: z.literal(true).optional(),
  /** The purchase it was made for, whose authorization ends it early. Null: it lasts until `endsAt`. */
  purchase: z
    .strictObject({
      merchantId: z.string(),
      merchant: z.string(),
      maxCents: z.int(),
      /** Null: nobody knows where it will be made, so the first one that is not more expensive counts. */
      declinedAt: z.string().nullable(),
    })
    .nullable(),
  /**
   * Whether the card service has made it. `pending`: not known yet. `unconfirmed`: the service never answered, and the card
   * did not show it. The service may still make it, so the card is read again until it is seen, or can no longer be made.
   * Until it is seen, nobody reads that it is in effect. `certain`: the service has answered it, or the card showed it.
   */
  certainty: z.enum(['pending', 'unconfirmed', 'certain']),
  /** How often the card service refused to put it back. */
  refusals: z.int().optional(),
  /** Limits of an ended one that go back all the way only when another temporary change ends. */
  later: RuleGoals.optional(),
  /** When that was to end, as far as was known then; the last end of several. */
  laterAt: z.string().optional(),
  /**
   * Limits of an ended one that did not go back all the way, because the card service does not accept that beside what stays:
   * from the values they should have gone back to, to those that they went back to.
   */
  instead: RuleChanges.optional(),
  /** The alert or request that shows it. Without either it has a separate message. */
  alertId: z.string().nullable(),
  requestId: z.string().nullable(),
  /** The ruleset that the card followed before it was made, then when its rules were last read to put them back. */
  rulesetId: z.int().nullable().default(null),
  /**
   * `asking`: its time is over, but someone changed the rule meanwhile, so people decide. Then: `ended` (restored),
   * `kept` (left as someone set it), `refused` by the card service, `superseded` by a later change.
   */
  state: z.enum(['open', 'asking', 'ended', 'kept', 'refused', 'superseded']),
  /** For ended or asking changes: the rules at that time, relative to our values. Null: not read. */
  meanwhile: RuleChanges.nullable(),
  closedAt: z.string().nullable().default(null),
  /** Who reverted it, decided, or made the later change; null when it ended automatically. */
  closedBy: z.string().nullable().default(null),
  /** Their click, so that its job recognizes its own end after a crash. */
  closingActionId: z.string().nullable().default(null),
});
export type TemporaryChange = z.infer<typeof TemporaryChange>;

export type TemporaryChanges = ReturnType<typeof createTemporaryChanges>;

const openKey = stateKey('temporary-changes');
/** Ids of those that were open when a backup was restored. */
const fromBackupKey = stateKey('temporary-changes-from-backup');

/** Marks all that are open. For a restore, which has no key to sign them. */
export async function markFromBackup(redis: RedisClient): Promise<void> {
  const ids = await redis.hkeys(openKey);
  if (ids.length > 0) await redis.sadd(fromBackupKey, ...ids);
}

/** Signed, because the values the rules go back to may be looser than the current ones. */
export function createTemporaryChanges(redis: RedisClient, signer: Signer) {
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
  async function marked(found: readonly TemporaryChange[]): Promise<TemporaryChange[]> {
    const fromBackup = found.length === 0 ? [] : await redis.smembers(fromBackupKey);
    return found.map((one) => (fromBackup.includes(one.id) ? { ...one, isFromBackup: true } : one));
  }
  async function getOpen(id: string): Promise<TemporaryChange | null> {
    const one = await open.get(id);
    return one && ((await marked([one]))[0] ?? null);
  }
  return {
    async save(temporaryChange: TemporaryChange): Promise<void> {
      const { id } = temporaryChange;
      if (isUndecided(temporaryChange)) await open.put(id, temporaryChange);
      else await ended.put(id, temporaryChange, (change) => change.hdel(openKey, id).srem(fromBackupKey, id));
    },
    /** Also finds ended changes, for a month. */
    get: async (id: string): Promise<TemporaryChange | null> => (await getOpen(id)) ?? (await ended.get(id)),
    /** It was not made. */
    forget: (id: string): Promise<void> => open.delete(id, (change) => change.srem(fromBackupKey, id)),
    /** All open or asking temporary changes, earliest end first. Read at start-up, so that a lost timer loses none. */
    all: async (): Promise<TemporaryChange[]> =>
      (await marked(await open.all())).toSorted((a, b) => a.endsAt.localeCompare(b.endsAt)),
  };
}
