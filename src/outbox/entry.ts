import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import { urgencies } from './priority.ts';

/** Made by our own templates; Slack checks it when it is posted. */
const Block = z.custom<KnownBlock>((value) => typeof value === 'object' && value !== null && 'type' in value);

/** In whose words: for those who run the program, or for the holder of a card, in a direct message. */
const audience = z.enum(['team', 'holder']).default('team');

/** Held back until then (ms), because the channel wants quiet. Null: as soon as possible. */
const notBefore = z.number().nullable().default(null);

const message = z.object({ text: z.string(), blocks: z.array(Block) });

/**
 * Something that waits to be posted in one channel. An alert is rendered when its turn comes, so it shows what is
 * known then; a notice carries its message.
 */
export const OutboxEntry = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('alert'),
    /** One for each alert, channel and audience. */
    id: z.string(),
    alertId: z.string(),
    audience,
    /** The story that it belongs to: everything of one story in one channel is one thread. Null: none. */
    threadId: z.string().nullable().default(null),
    /** A reply in a thread that everybody in the channel must see: it shows in the channel as well. */
    broadcast: z.boolean().default(false),
    urgency: z.enum(urgencies).default('decline'),
    /** Fetched after a gap, long after it happened: shown together with others, under a heading that says so. */
    late: z.boolean().default(false),
    notBefore,
  }),
  z.strictObject({
    kind: z.literal('notice'),
    id: z.string(),
    audience,
    message,
    /**
     * In words for everybody in the company, where `message` has words for fewer: what is said when this channel cannot be
     * posted to and another gets it. Absent: the same words.
     */
    elsewhere: message.optional(),
    /** Told where the message stands once it is posted, so that it can be changed later. */
    requestId: z.string().nullable(),
    urgency: z.enum(urgencies).default('record'),
    notBefore,
  }),
  z.strictObject({
    kind: z.literal('rows'),
    id: z.string(),
    audience,
    /** The joined message whose rows these are; they go into its thread. */
    of: z.strictObject({ channel: z.string(), ts: z.string() }),
    /** Null: all of them, as a file. Else one page of them as a table, because no file could be attached. */
    page: z.int().nullable(),
    /** Why no file could be attached, in Slack's word; null for the file itself. */
    noFile: z.string().nullable().default(null),
    urgency: z.enum(urgencies).default('request'),
    notBefore,
  }),
]);
export type OutboxEntry = z.infer<typeof OutboxEntry>;

/** One message on its way to Slack. */
export const Sending = z.strictObject({
  /** Opaque; goes into the message's metadata, by which it is found again. */
  ref: z.string(),
  entryIds: z.array(z.string()),
  /** Milliseconds since 1970 by Redis' clock, the one clock that all workers share. */
  startedAt: z.number(),
});
export type Sending = z.infer<typeof Sending>;
