import { z } from 'zod';
import type { SlackError } from '../core/errors.ts';
import { fromStored, toStored } from '../core/unknown-fields.ts';
import type { Thread, UploadedFile } from '../slack/client.ts';
import { type Message, StoredMessage } from '../slack/message.ts';
import type { Batch, NewBlock } from './message-store.ts';
import { Subject } from './tracked-message-store.ts';

/**
 * How long each priority may wait (ms), most urgent first.
 *
 * An entry's position in its channel's queue is its arrival time plus this wait. So an urgent entry overtakes entries that
 * arrived shortly before it, and nothing is overtaken forever.
 */
const maxWaitMs = {
  /** Suspected fraud: every minute costs money. */
  fraud: 0,
  /** A purchase waits for an approval. */
  request: 2_000,
  /** Someone is standing at a checkout. */
  decline: 4_000,
  /** A problem of Cardbell itself, which may delay everything else. */
  ops: 8_000,
  /** A card was blocked, closed, activated. */
  status: 12_000,
  shipping: 16_000,
  /** A new virtual card; the card service has already notified its holder. */
  virtual: 16_000,
  /** Expected spend. */
  spend: 30_000,
  /** Nobody waits for it: lines in the audit channel, warnings, digests. In direct messages, quiet hours hold it. */
  record: 30_000,
} as const;

export type Priority = keyof typeof maxWaitMs;

/** Held entries that are due wait like the least urgent alert: quiet hours are over, and nothing is urgent. */
export const HELD_WAIT_MS = maxWaitMs.spend;

/** How long an entry may wait in its queue (ms). */
export function waitOf({ priority, notBefore }: Pick<OutboxEntry, 'priority' | 'notBefore'>): number {
  return notBefore === null ? maxWaitMs[priority] : HELD_WAIT_MS;
}

const priorities = Object.keys(maxWaitMs) as [Priority, ...Priority[]];

const shared = {
  /** Of a tracked message: unique for a subject, channel and audience. */
  id: z.string(),
  /** Readers: the team that runs the program, or the holder of a card, in a direct message. */
  audience: z.enum(['team', 'holder']).default('team'),
  /** Milliseconds: held by quiet hours until then. Null: as soon as possible. */
  notBefore: z.number().nullable().default(null),
  /** The trace that put it there, when traces are recorded. */
  trace: z.string().optional(),
};

/**
 * An entry that waits to be posted in one channel. A tracked message is rendered at its turn and kept up to date
 * afterwards. A notice contains its message and never changes.
 */
export const OutboxEntry = z.discriminatedUnion('kind', [
  z.strictObject({
    ...shared,
    kind: z.literal('tracked'),
    subject: Subject,
    /** Our own thread name, the same in all channels. */
    threadId: z.string().nullable().default(null),
    /** True for a reply that also shows in the channel. */
    broadcast: z.boolean().default(false),
    priority: z.enum(priorities).default('decline'),
    /** Fetched after a gap or replayed: shown together with other late alerts, under a heading that says so. */
    late: z.boolean().default(false),
  }),
  z.strictObject({
    ...shared,
    kind: z.literal('notice'),
    message: StoredMessage,
    /**
     * Posted instead of `message` when the notice goes to another channel because this one cannot be posted to. Its wording
     * suits everyone in the company. Absent when `message` does.
     */
    elsewhere: StoredMessage.optional(),
    priority: z.enum(priorities).default('record'),
  }),
  z.strictObject({
    ...shared,
    kind: z.literal('rows'),
    /** The message of the batch; its rows are posted in its thread. */
    of: z.strictObject({ channel: z.string(), ts: z.string() }),
    /** Null: all rows, as a file. Otherwise one page of rows as a table, because no file could be attached. */
    page: z.int().nullable(),
    /** Slack's error code when no file could be attached; null for the file itself. */
    noFile: z.string().nullable().default(null),
    priority: z.enum(priorities).default('request'),
  }),
  z.strictObject({
    ...shared,
    kind: z.literal('file'),
    /** The name is unique, because it identifies the file later. */
    file: z.strictObject({ name: z.string(), title: z.string(), content: z.string() }),
    comment: z.string(),
    priority: z.enum(priorities).default('spend'),
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

/** Ends the id of an entry that is posted alone and as plain text, because Slack refused its message. */
const AS_TEXT = '-as-text';

export function inPlainText(entry: OutboxEntry): OutboxEntry {
  return { ...entry, id: `${entry.id}${AS_TEXT}` };
}

export const isPlainText = ({ id }: Pick<OutboxEntry, 'id'>): boolean => id.endsWith(AS_TEXT);

/** The alert that an entry shows; null when it shows something else. */
export function shownAlertId(entry: OutboxEntry): string | null {
  return entry.kind === 'tracked' && entry.subject.kind === 'alert' ? entry.subject.id : null;
}

/**
 * Whether quiet hours hold an entry: an alert, unless it suggests fraud, the rows of several, or another message that nobody
 * waits for. A digest's file comes with its digest, which they hold.
 */
export function mayBeHeld(entry: OutboxEntry): boolean {
  if (shownAlertId(entry) !== null) return entry.priority !== 'fraud';
  return entry.kind === 'rows' || entry.kind === 'file' || entry.priority === 'record';
}

/** Why an entry may share a message with others. Only entries with the same reason share one. */
export function batchReasonOf({ late, notBefore, priority }: TrackedEntry): Batch['why'] {
  if (late) return 'late';
  if (notBefore !== null) return 'held';
  return priority === 'fraud' ? 'fraud' : 'busy';
}

/** Why entries go to another channel than theirs. */
export const MoveReason = z.discriminatedUnion('kind', [
  /** Slack does not accept messages there. With its error code. */
  z.strictObject({ kind: z.literal('unusable'), slackError: z.string() }),
  /** Another company reads it. */
  z.strictObject({ kind: z.literal('shared') }),
]);
export type MoveReason = z.infer<typeof MoveReason>;

export function unusable({ slackError }: Pick<SlackError, 'slackError'>): MoveReason {
  return { kind: 'unusable', slackError };
}

/** A message in flight to Slack. */
export const Sending = z.strictObject({
  /**
   * Opaque. Stored in the message's metadata to find it again. The same for every attempt to post these entries in this
   * channel, even after Redis has lost the earlier attempts.
   */
  ref: z.string(),
  entryIds: z.array(z.string()),
  /** Milliseconds since 1970 on the clock of Redis, which all workers share. */
  startedAt: z.number(),
  /** When the first attempt began, on Slack's clock (ms); null when that was unknown. */
  slackMs: z.number().nullable().default(null),
  /** How often it was claimed. */
  attempt: z.int().default(1),
  /** True when the last attempt was not found in Slack: the same entries must be posted again, in one message. */
  isUnsent: z.boolean().default(false),
  /** The channel that gets its entries; null: this channel. */
  redirect: z.strictObject({ to: z.string(), why: MoveReason }).nullable().default(null),
});
export type Sending = z.infer<typeof Sending>;

interface MessageDraft {
  readonly kind: 'message';
  readonly message: Message;
  readonly thread: Thread | null;
  /** The new blocks in it. If Slack refuses the message, it may accept it without them. */
  readonly newBlocks: readonly NewBlock[];
  /** The alerts in it, when there are several; otherwise null. */
  readonly batch: Batch | null;
  /** The revision of each tracked entry that it shows, in order. */
  readonly revisions: readonly number[];
}

/** A message that is ready to be posted. */
export type Draft =
  | MessageDraft
  /** A file that was uploaded to Slack but is not visible yet. */
  | { readonly kind: 'file'; readonly file: UploadedFile; readonly comment: string; readonly thread: Thread | null };

export function draftOf(message: Message, more: Partial<MessageDraft> = {}): MessageDraft {
  return { kind: 'message', message, thread: null, newBlocks: [], batch: null, revisions: [], ...more };
}

/** What most entries are: one alert for the team, as soon as possible, in no thread. */
function plainAlert(id: string, priority: Priority): TrackedEntry {
  const rest = { audience: 'team', threadId: null, broadcast: false, late: false, notBefore: null } as const;
  return { kind: 'tracked', id, subject: { kind: 'alert', id }, priority, ...rest };
}

/** The entry if it is such an alert with nothing else, not even a field of a newer version; otherwise null. */
function asPlainAlert(given: z.input<typeof OutboxEntry>): TrackedEntry | null {
  if (given.kind !== 'tracked') return null;
  // What is left out is filled in by the schema, which alone knows its defaults.
  const { kind: _kind, id, subject, audience = 'team', priority, notBefore, ...more } = given;
  const { threadId, broadcast, late, ...others } = more;
  const isForTeam = audience === 'team' && subject.kind === 'alert' && subject.id === id;
  const isAtOnce = notBefore === null && threadId === null && broadcast === false && late === false;
  const hasMore = Reflect.ownKeys(others).length > 0 || Reflect.ownKeys(subject).length > 2;
  return isForTeam && isAtOnce && isPriority(priority) && !hasMore ? plainAlert(id, priority) : null;
}

const isPriority = (text = ''): text is Priority => Object.hasOwn(maxWaitMs, text);

export interface StoredEntry {
  readonly entry: OutboxEntry;
  /** What Redis keeps: of a plain alert, only its priority; of anything else, JSON. */
  readonly text: string;
}

/** @throws ZodError when it does not match. */
export function storedEntry(given: z.input<typeof OutboxEntry>): StoredEntry {
  const plain = asPlainAlert(given);
  const entry = plain ?? toStored(OutboxEntry, given);
  return { entry, text: plain?.priority ?? JSON.stringify(entry) };
}

/** A stored entry that this version cannot read. */
export interface UnreadableEntry {
  readonly id: string;
  readonly entry: unknown;
}

/** A priority that only a newer version may know. */
const word = /^[a-z-]+$/;

/** Parses a stored entry, or returns the readable parts of a newer version's entry. @throws SyntaxError for invalid JSON */
export function parseEntry(id: string, text: string): OutboxEntry | { readonly unreadable: UnreadableEntry } {
  if (isPriority(text)) return plainAlert(id, text);
  const stored = word.test(text) ? { ...plainAlert(id, 'decline'), priority: text } : JSON.parse(text);
  try {
    return fromStored(OutboxEntry, stored);
  } catch (error) {
    if (!(error instanceof z.ZodError) || typeof stored.id !== 'string') throw error;
    return { unreadable: { id: stored.id, entry: stored } };
  }
}

/**
 * A tracked message is rendered for the channel that gets it. A notice may contain different wording for another channel.
 */
export function forAnotherChannel(entry: OutboxEntry): OutboxEntry {
  if (entry.kind !== 'notice' || entry.elsewhere === undefined) return entry;
  const { elsewhere, ...rest } = entry;
  return { ...rest, message: elsewhere };
}
