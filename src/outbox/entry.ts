import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import { Subject } from './tracked-message-store.ts';

/**
 * What goes first where more waits in a channel than it may take, most urgent first, and how much longer than the first
 * each may wait (ms).
 *
 * An entry's place in its channel is the time it came plus this wait: an urgent one overtakes what came shortly before
 * it, and nothing is overtaken for ever, because what comes after the wait is over stands behind it.
 */
export const maxWaitMs = {
  /** Suspected fraud, card testing: every minute costs money. */
  fraud: 0,
  /** Somebody waits for two others before a purchase can go on. */
  request: 2_000,
  /** Somebody stands at a till. */
  decline: 4_000,
  /** A problem of Cardbell itself, which may be what holds back the rest. */
  ops: 8_000,
  /** A card was blocked, closed, activated. */
  status: 12_000,
  shipping: 16_000,
  /** A virtual card was made; the card service has already told its holder. */
  virtual: 16_000,
  /** Money that moved as it should. */
  spend: 30_000,
  /** Lines of the audit channel. Nobody waits for them. */
  record: 30_000,
} as const;

export type Priority = keyof typeof maxWaitMs;
const priorities = Object.keys(maxWaitMs) as [Priority, ...Priority[]];

/** Made by our own templates; Slack checks it when it is posted. */
const Block = z.custom<KnownBlock>((value) => typeof value === 'object' && value !== null && 'type' in value);

/** In whose words: for those who run the program, or for the holder of a card, in a direct message. */
const audience = z.enum(['team', 'holder']).default('team');

/** Held back until then (ms), because the channel wants quiet. Null: as soon as possible. */
const notBefore = z.number().nullable().default(null);

const message = z.object({ text: z.string(), blocks: z.array(Block) });

/**
 * Something that waits to be posted in one channel. A tracked message is rendered when its turn comes, so it shows what
 * is known then, and it is updated from then on; a notice carries its message, and never changes.
 */
export const OutboxEntry = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('tracked'),
    /** Different for each subject, channel and audience. */
    id: z.string(),
    subject: Subject,
    audience,
    /** The thread that it belongs to, by a name of ours that all channels share. Null: none. */
    threadId: z.string().nullable().default(null),
    /** A reply in a thread that everybody in the channel must see: it shows in the channel as well. */
    broadcast: z.boolean().default(false),
    priority: z.enum(priorities).default('decline'),
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
     * In words for everybody in the company, where `message` has words for fewer: posted when this channel cannot be
     * posted to and another gets it. Absent: the same words.
     */
    elsewhere: message.optional(),
    priority: z.enum(priorities).default('record'),
    notBefore,
  }),
  z.strictObject({
    kind: z.literal('rows'),
    id: z.string(),
    audience,
    /** The batch whose rows these are; they go into its thread. */
    of: z.strictObject({ channel: z.string(), ts: z.string() }),
    /** Null: all of them, as a file. Else one page of them as a table, because no file could be attached. */
    page: z.int().nullable(),
    /** Why no file could be attached, in Slack's word; null for the file itself. */
    noFile: z.string().nullable().default(null),
    priority: z.enum(priorities).default('request'),
    notBefore,
  }),
]);
export type OutboxEntry = z.infer<typeof OutboxEntry>;
export type TrackedEntry = Extract<OutboxEntry, { kind: 'tracked' }>;

/** Entries whose messages are updated later. */
export function trackedOf(entries: readonly OutboxEntry[]): TrackedEntry[] {
  return entries.filter((entry) => entry.kind === 'tracked');
}

/** The alert that an entry shows; null where it shows something else. */
export function alertIdOf(entry: OutboxEntry): string | null {
  return entry.kind === 'tracked' && entry.subject.kind === 'alert' ? entry.subject.id : null;
}

/** One message on its way to Slack. */
export const Sending = z.strictObject({
  /** Opaque; goes into the message's metadata, by which it is found again. */
  ref: z.string(),
  entryIds: z.array(z.string()),
  /** Milliseconds since 1970 by Redis' clock, the one clock that all workers share. */
  startedAt: z.number(),
});
export type Sending = z.infer<typeof Sending>;
