import { randomBytes } from 'node:crypto';
import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import { Action, Origin } from '../authority/action.ts';
import { stateKey } from '../keys.ts';

/** As long as Slack takes answers to the message that asked. */
const PENDING_TTL_SECONDS = 30 * 60;

/** What waits behind a control that a person may press next. */
export const Pending = z.discriminatedUnion('kind', [
  /** "This one": the action with its card settled. */
  z.strictObject({
    kind: z.literal('choice'),
    action: Action,
    /** Shared by all rows of one question: whichever is pressed first is the answer. Null: each row may be pressed. */
    questionId: z.string().nullable(),
  }),
  /** The open picker, and where its answers go. */
  z.strictObject({ kind: z.literal('picker'), origin: Origin }),
  /** An open form. */
  z.strictObject({
    kind: z.literal('form'),
    alertId: z.string(),
    channel: z.string(),
    messageTs: z.string().nullable(),
    category: z.strictObject({ id: z.int(), name: z.string() }).nullable(),
  }),
]);
export type Pending = z.infer<typeof Pending>;

export interface PendingStore {
  /** Keeps what a control stands for. @returns the opaque id that goes into the control. */
  put(pending: Pending): Promise<string>;
  get(id: string): Promise<Pending | null>;
}

export function createPending(redis: Redis | Cluster): PendingStore {
  return {
    async put(pending) {
      const id = `p_${randomBytes(9).toString('base64url')}`;
      await redis.set(stateKey(`pending:${id}`), JSON.stringify(pending), 'EX', PENDING_TTL_SECONDS);
      return id;
    },
    async get(id) {
      const text = await redis.get(stateKey(`pending:${id}`));
      return text === null ? null : Pending.parse(JSON.parse(text));
    },
  };
}
