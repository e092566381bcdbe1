import { z } from 'zod';
import { contentId } from '../core/content-id.ts';
import { SlackError } from '../core/errors.ts';
import type { FoundMessage, Slack } from '../slack/client.ts';
import { MARK_LENGTH } from '../slack/messages.ts';
import { fileNameOf } from './attach-rows.ts';
import type { OutboxEntry, Sending } from './entry.ts';
import type { Threads } from './message-store.ts';
import { threadOf } from './render-entries.ts';

/** Where to search for a message that may have been posted. Also used later and by other workers. */
export const PostSearch = z.strictObject({
  channel: z.string(),
  threadTs: z.string().nullable(),
  ref: z.string(),
  /** The file name, when the message shows a file. */
  file: z.string().nullable(),
  /** When its first attempt began, on Slack's clock (ms); null when that was unknown. */
  slackMs: z.number().nullable(),
});
export type PostSearch = z.infer<typeof PostSearch>;

/** A message that shows some of the requested entries. */
export interface Shown {
  readonly ts: string;
  readonly entryIds: readonly string[];
  /** It shows several entries, some of which may be unknown here. */
  readonly isBatch: boolean;
  /** It is the message that we tried to post. */
  readonly isOwn: boolean;
}

export type FindPosted = ReturnType<typeof createFindPosted>;

interface Deps {
  readonly slack: Pick<Slack, 'findMessages'>;
  readonly threads: Pick<Threads, 'rootOf' | 'isGone'>;
  /** Since when Redis may lack posted messages (`performance.now`); null: it lacks none. */
  readonly dataLossSinceMs: () => number | null;
}

/** After this time, every post that was in flight when Redis lost data has ended and is visible in Slack. */
const ALL_VISIBLE_MS = 30_000;
/** Marks for more entries would exceed the metadata limit of 4,000 characters. */
const MARKED_MAX = 500;

/** Marks that identify a message by each of its entries; empty when there are too many. */
export function marksOf(channel: string, entryIds: readonly string[]): string[] {
  return entryIds.length > MARKED_MAX ? [] : entryIds.map((id) => markOf(channel, id));
}

function markOf(channel: string, entryId: string): string {
  return contentId('', [channel, entryId]).slice(0, MARK_LENGTH);
}

export function createFindPosted({ slack, threads, dataLossSinceMs }: Deps) {
  /**
   * Histories that contain everything posted before Redis lost data. For a while, each message is searched in one of them.
   */
  const complete = new Map<string, { readonly sinceMs: number; readonly messages: readonly FoundMessage[] }>();

  return {
    async searchFor(channel: string, { ref, slackMs }: Sending, entries: readonly OutboxEntry[]): Promise<PostSearch> {
      const [first] = entries;
      const thread = await threadOf(entries, channel, threads);
      return { channel, threadTs: thread?.ts ?? null, ref, file: fileNameOf(first), slackMs };
    },

    /** The messages with this reference or file, oldest first: each attempt to post may have created one. */
    async find(search: PostSearch): Promise<FoundMessage[]> {
      return (await readHistory(search)).filter((message) => isOwn(message, search));
    },

    /**
     * The messages that show any of these entries, each entry once. After a rewind, Redis may batch the entries
     * differently, so the reference alone does not find them.
     *
     * @param isFirstLook searches for messages posted before Redis lost data, not for this process's own attempt.
     */
    async findEntries(search: PostSearch, entryIds: readonly string[], isFirstLook: boolean): Promise<Shown[]> {
      const messages = isFirstLook ? await historyInDoubt(search) : await readHistory(search);
      const left = new Map(entryIds.map((id) => [markOf(search.channel, id), id]));
      const ownFirst = messages.toSorted((one, other) => Number(isOwn(other, search)) - Number(isOwn(one, search)));
      return ownFirst.flatMap((message) => {
        const { ts, marks } = message;
        const isWhole = isOwn(message, search);
        const found = isWhole ? [...left.values()] : marks.flatMap((mark) => left.get(mark) ?? []);
        if (isWhole) left.clear();
        for (const mark of marks) left.delete(mark);
        const isBatch = marks.length > 1 || found.length > 1;
        return found.length === 0 ? [] : [{ ts, entryIds: found, isBatch, isOwn: isWhole }];
      });
    },
  };

  async function historyInDoubt(search: PostSearch): Promise<readonly FoundMessage[]> {
    const sinceMs = dataLossSinceMs();
    if (sinceMs === null) complete.clear();
    const key = `${search.channel} ${search.threadTs}`;
    const kept = complete.get(key);
    if (kept !== undefined && kept.sinceMs === sinceMs) return kept.messages;
    const startedAt = performance.now();
    const messages = await readHistory(search);
    if (sinceMs !== null && startedAt - sinceMs > ALL_VISIBLE_MS) complete.set(key, { sinceMs, messages });
    return messages;
  }

  async function readHistory({ channel, threadTs, slackMs }: PostSearch): Promise<FoundMessage[]> {
    const search = { channel, sinceMs: slackMs };
    const inThread = threadTs === null ? [] : await slack.findMessages({ ...search, threadTs }).catch(noneIfGone);
    const inChannel = await slack.findMessages({ ...search, threadTs: null });
    // A reply that also shows in the channel is found in both.
    const once = new Map([...inThread, ...inChannel].map((message) => [message.ts, message]));
    return [...once.values()].toSorted((one, other) => Number(one.ts) - Number(other.ts));
  }
}

function isOwn({ ref, files }: FoundMessage, search: PostSearch): boolean {
  return search.file === null ? ref === search.ref : files.includes(search.file);
}

/**
 * Slack's codes when nothing can be posted in a thread: its first message is gone, it is locked, or the channel has no
 * threads. https://docs.slack.dev/reference/methods/chat.postMessage
 */
const threadGone =
  /^(?:thread_not_found|invalid_thread_ts|invalid_ts|cannot_reply_to_message|message_not_found|restricted_action_thread_locked|restricted_action_non_threadable_channel)/;

export function isThreadGone(error: unknown): boolean {
  return error instanceof SlackError && threadGone.test(error.slackError);
}

export function noneIfGone(error: unknown): FoundMessage[] {
  if (!isThreadGone(error)) throw error;
  return [];
}
