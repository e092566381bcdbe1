import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { Choice, Origin } from '../actions/action.ts';
import { CardLimits } from '../card-api/spend-rules.ts';
import { ForgedError } from '../core/errors.ts';
import { stateKey } from '../core/keys.ts';
import { createRecordStore } from '../core/record-store.ts';
import type { RedisClient } from '../core/redis.ts';
import type { Signer } from '../core/sign.ts';
import { Remedy } from '../limits/remedy-change.ts';

/** As long as Slack accepts responses to the original message. */
const PENDING_TTL_SECONDS = 30 * 60;

/** Where the form was opened from. */
const place = Origin.pick({ channel: true, messageTs: true, threadTs: true }).shape;

/** What a control does when the person presses it. */
export const Pending = z.discriminatedUnion('kind', [
  /** "This one": what was asked for, with the picked card. */
  z.strictObject({
    kind: z.literal('choice'),
    choice: Choice,
    /** Shared by all rows of one question: the first row pressed is the answer. Null: every row may be pressed. */
    questionId: z.string().nullable(),
  }),
  /** A form that a command opened, and where its answers go. */
  z.strictObject({ kind: z.literal('place'), origin: Origin }),
  /** An open form on a decline. */
  z.strictObject({
    kind: z.literal('form'),
    alertId: z.string(),
    ...place,
    remedy: Remedy.nullable(),
    /** For input errors that can be shown without calling the card service. Null until the card was read. */
    rules: CardLimits.nullable(),
    /** Nothing stops the purchase any more, so no amount is too low for it. */
    passes: z.boolean().default(false),
    /** Opened on the warning that a subscription keeps failing. */
    isSubscription: z.boolean().default(false),
  }),
  /** An open form on a request. */
  z.strictObject({
    kind: z.literal('decide'),
    requestId: z.string(),
    /** The revision of the request that the form shows. */
    revision: z.int().nonnegative().default(0),
    purpose: z.enum(['change', 'deny', 'override']),
    ...place,
  }),
  /** A holder's open form. */
  z.strictObject({
    kind: z.literal('ask'),
    alertId: z.string().nullable(),
    words: z.array(z.string()),
    ...place,
  }),
]);
export type Pending = z.infer<typeof Pending>;

const KeptPending = z.strictObject({ id: z.string(), pending: Pending });

/** What controls stand for. Signed, because the person acts on what the control showed. */
export function createPending(redis: RedisClient, signer: Signer) {
  const store = createRecordStore({
    redis,
    schema: KeptPending,
    signer,
    idOf: ({ id }) => id,
    keyOf: (id) => stateKey(`pending:${id}`),
    ttlSeconds: PENDING_TTL_SECONDS,
  });
  return {
    /** Stores what a control stands for. It does not change: another view has its own. @returns the opaque id for the control. */
    async put(pending: Pending, id = `p_${randomBytes(9).toString('base64url')}`): Promise<string> {
      await store.put(id, { id, pending });
      return id;
    },
    async get(id: string): Promise<Pending | null> {
      // A forged entry is treated as expired: the person is told to start over.
      const kept = await store.get(id).catch((error: unknown) => {
        if (error instanceof ForgedError) return null;
        throw error;
      });
      return kept?.pending ?? null;
    },
  };
}
