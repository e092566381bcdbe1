import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import { recordFormat } from '../core/record-store.ts';
import type { Thread, UploadedFile } from '../slack/client.ts';
import type { Message } from '../slack/message.ts';
import type { Batch, NewBlock } from './message-store.ts';
import { Subject } from './tracked-message-store.ts';

/**
 * How long each priority may wait (ms), most urgent first.
 *
 * An entry's place in its channel's queue is the time it came plus this wait. So an urgent entry overtakes what came
 * shortly before it, and nothing is overtaken forever.
 */
export const maxWaitMs = {
  /** Suspected fraud: every minute costs money. */
  fraud: 0,
  /** A purchase waits for an approval. */
  request: 2_000,
  /** Somebody is standing at a till. */
  decline: 4_000,
  /** A problem of Cardbell itself, which may be holding up everything else. */
  ops: 8_000,
  /** A card was blocked, closed, activated. */
  status: 12_000,
  shipping: 16_000,
  /** A new virtual card; the card service has already notified its holder. */
  virtual: 16_000,
  /** Spend as expected. */
  spend: 30_000,
  /** Lines in the audit channel. Nobody waits for them. */
  record: 30_000,
} as const;

export type Priority = keyof typeof maxWaitMs;
const priorities = Object.keys(maxWaitMs) as [Priority, ...Priority[]];

/** Made by our own templates. Slack validates it. */
const Block = z.custom<KnownBlock>((value) => typeof value === 'object' && value !== null && 'type' in value);

/** For those who run the program, or for the holder of a card, in a direct message. */
const audience = z.enum(['team', 'holder']).default('team');

/** Milliseconds: held by quiet hours until then. Null: as soon as possible. */
const notBefore = z.number().nullable().default(null);

/** What it was put there for, where traces are recorded. */
const traceParent = z.string().optional();

const message = z.object({ text: z.string(), blocks: z.array(Block) });

/**
 * Something that waits to be posted in one channel. A tracked message is rendered when its turn comes, and updated from
 * then on. A notice carries its message and never changes.
 */
export const OutboxEntry = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('tracked'),
    /** Unique for a subject, channel and audience. */
    id: z.string(),
    subject: Subject,
    audience,
    /** Our own name of its thread, the same in all channels. */
    threadId: z.string().nullable().default(null),
    /** True for a reply that shows in the channel as well as in its thread. */
    broadcast: z.boolean().default(false),
    priority: z.enum(priorities).default('decline'),
    /** Fetched after a gap: shown together with others, under a heading that says so. */
    late: z.boolean().default(false),
    notBefore,
    trace: traceParent,
  }),
  z.strictObject({
    kind: z.literal('notice'),
    id: z.string(),
    audience,
    message,
    /**
     * Posted instead of `message` when another channel gets the notice because this one cannot be posted to: in words for
     * everybody in the company. Absent when `message` is.
     */
    elsewhere: message.optional(),
    priority: z.enum(priorities).default('record'),
    notBefore,
    trace: traceParent,
  }),
  z.strictObject({
    kind: z.literal('rows'),
    id: z.string(),
    audience,
    /** The message of the batch; its rows are posted in its thread. */
    of: z.strictObject({ channel: z.string(), ts: z.string() }),
    /** Null: all rows, as a file. Otherwise one page of them, as a table, because no file could be attached. */
    page: z.int().nullable(),
    /** Slack's error code for why no file could be attached; null for the file itself. */
    noFile: z.string().nullable().default(null),
    priority: z.enum(priorities).default('request'),
    notBefore,
    trace: traceParent,
  }),
  z.strictObject({
    kind: z.literal('file'),
    id: z.string(),
    audience,
    /** Found again by its name, so that is its own. */
    file: z.strictObject({ name: z.string(), title: z.string(), content: z.string() }),
    /** Posted with it. */
    comment: z.string(),
    priority: z.enum(priorities).default('spend'),
    notBefore,
    trace: traceParent,
  }),
]);
export type OutboxEntry = z.infer<typeof OutboxEntry>;
export type TrackedEntry = Extract<OutboxEntry, { kind: 'tracked' }>;
export type FileEntry = Extract<OutboxEntry, { kind: 'file' }>;
export type RowsEntry = Extract<OutboxEntry, { kind: 'rows' }>;

/** The entries whose messages are kept up to date. */
export function trackedOf(entries: readonly OutboxEntry[]): TrackedEntry[] {
  return entries.filter((entry) => entry.kind === 'tracked');
}

/** The alert that an entry shows; null when it shows something else. */
export function alertIdOf(entry: OutboxEntry): string | null {
  return entry.kind === 'tracked' && entry.subject.kind === 'alert' ? entry.subject.id : null;
}

/** One message on its way to Slack. */
export const Sending = z.strictObject({
  /**
   * Opaque, and part of the message's metadata, by which it can be found again. The same for every attempt to post these
   * entries in this channel, even when Redis has lost the earlier ones.
   */
  ref: z.string(),
  entryIds: z.array(z.string()),
  /** Milliseconds since 1970 by the clock of Redis, which all workers share. */
  startedAt: z.number(),
  /** When the first attempt began, by Slack's clock (ms); null when that was not known. */
  slackMs: z.number().nullable().default(null),
  /** How often it was claimed. */
  attempt: z.int().default(1),
  /** True when the last attempt was not found in Slack: the same entries have to be posted again, in one message. */
  isUnsent: z.boolean().default(false),
  /** The channel that gets its entries, because this one cannot be posted to, and Slack's code for that; null: this one. */
  redirect: z.strictObject({ to: z.string(), slackError: z.string() }).nullable().default(null),
});
export type Sending = z.infer<typeof Sending>;

/** A message that is ready to be posted. */
export type Draft =
  | {
      readonly kind: 'message';
      readonly message: Message;
      readonly thread: Thread | null;
      /** The new blocks that it contains. If Slack refuses it, it may take it without them. */
      readonly newBlocks: readonly NewBlock[];
      /** The alerts in it, when there are several; otherwise null. */
      readonly batch: Batch | null;
      /** The revision that it shows of each tracked entry, in their order. */
      readonly revisions: readonly number[];
    }
  /** A file that was uploaded to Slack, and that nobody sees yet. */
  | { readonly kind: 'file'; readonly file: UploadedFile; readonly comment: string; readonly thread: Thread | null };

const format = recordFormat(OutboxEntry);

/** An entry that this version cannot read, as it is stored. */
export interface UnreadableEntry {
  readonly id: string;
  readonly entry: unknown;
}

/** A stored entry, or what is known of one that only a newer version can read. @throws SyntaxError where it is no JSON. */
export function entryOf(text: string): OutboxEntry | { readonly unreadable: UnreadableEntry } {
  try {
    return format.read(text);
  } catch (error) {
    const entry = JSON.parse(text) as { readonly id?: unknown };
    if (!(error instanceof z.ZodError) || typeof entry.id !== 'string') throw error;
    return { unreadable: { id: entry.id, entry } };
  }
}

/** A tracked message is rendered for the channel that gets it; a notice may bring other words for another channel. */
export function forAnotherChannel(entry: OutboxEntry): OutboxEntry {
  if (entry.kind !== 'notice' || entry.elsewhere === undefined) return entry;
  const { elsewhere, ...rest } = entry;
  return { ...rest, message: elsewhere };
}
