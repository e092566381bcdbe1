import { z } from 'zod';
import { contentId } from '../core/content-id.ts';
import { SlackError } from '../core/errors.ts';
import type { FoundMessage, Slack } from '../slack/client.ts';
import { MARK_LENGTH } from '../slack/messages.ts';
import { fileNameOf } from './attach-rows.ts';
import type { OutboxEntry, Sending } from './entry.ts';
import type { Threads } from './message-store.ts';
import { threadOf } from './render-entries.ts';

/** Where a message may be found that may have been posted, also later and by another worker. */
export const PostSearch = z.strictObject({
  channel: z.string(),
  threadTs: z.string().nullable(),
  ref: z.string(),
  /** The name of the file, when the message shows one. */
  file: z.string().nullable(),
  /** When its first attempt began, by Slack's clock (ms); null when that was not known. */
  slackMs: z.number().nullable(),
});
export type PostSearch = z.infer<typeof PostSearch>;

/** A message that shows some of the entries that were looked for. */
export interface Shown {
  readonly ts: string;
  readonly entryIds: readonly string[];
  /** It shows several, of which some may be unknown here. */
  readonly isBatch: boolean;
  /** It is what was tried to post. */
  readonly isOwn: boolean;
}

export interface FindPosted {
  searchFor(channel: string, sending: Sending, entries: readonly OutboxEntry[]): Promise<PostSearch>;
  /** The messages with this reference or file, oldest first: each attempt to post may have left one. */
  find(search: PostSearch): Promise<FoundMessage[]>;
  /**
   * The messages that show any of these entries, each entry once. A Redis that has come back older puts together other
   * entries than it had, so the reference alone does not find them.
   *
   * @param isFirstLook what was posted before Redis was lost is looked for, not what this process has just tried to post.
   */
  findEntries(search: PostSearch, entryIds: readonly string[], isFirstLook: boolean): Promise<Shown[]>;
}

interface Deps {
  readonly slack: Pick<Slack, 'findMessages'>;
  readonly threads: Pick<Threads, 'rootOf' | 'isGone'>;
  /** Since when Redis may lack what was posted (`performance.now`); null: it does not. */
  readonly doubtSinceMs: () => number | null;
}

/** Whoever had begun to post when Redis was lost has ended, and Slack shows it, after this time. */
const ALL_VISIBLE_MS = 30_000;
/** Marks of more entries would make the metadata longer than 4,000 characters. */
const MARKED_MAX = 500;

/** What finds a message by each of its entries; empty when there are too many. */
export function marksOf(channel: string, entryIds: readonly string[]): string[] {
  return entryIds.length > MARKED_MAX ? [] : entryIds.map((id) => markOf(channel, id));
}

function markOf(channel: string, entryId: string): string {
  return contentId('', [channel, entryId]).slice(0, MARK_LENGTH);
}

export function createFindPosted({ slack, threads, doubtSinceMs }: Deps): FindPosted {
  /** Histories that hold everything posted before Redis was lost: for a while each message is looked for in one. */
  const complete = new Map<string, { readonly sinceMs: number; readonly messages: readonly FoundMessage[] }>();

  return {
    async searchFor(channel, { ref, slackMs }, entries) {
      const [first] = entries;
      const thread = await threadOf(entries, channel, threads);
      return { channel, threadTs: thread?.ts ?? null, ref, file: fileNameOf(first), slackMs };
    },

    async find(search) {
      return (await readHistory(search)).filter((message) => isOwn(message, search));
    },

    async findEntries(search, entryIds, isFirstLook) {
      const messages = isFirstLook ? await historyInDoubt(search) : await readHistory(search);
      const left = new Map(entryIds.map((id) => [markOf(search.channel, id), id]));
      const ownFirst = messages.toSorted((one, other) => Number(isOwn(other, search)) - Number(isOwn(one, search)));
      return ownFirst.flatMap((message): Shown[] => {
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
    const sinceMs = doubtSinceMs();
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
    // A reply that shows in the channel as well is found in both.
    const once = new Map([...inThread, ...inChannel].map((message) => [message.ts, message]));
    return [...once.values()].toSorted((one, other) => Number(one.ts) - Number(other.ts));
  }
}

function isOwn({ ref, files }: FoundMessage, search: PostSearch): boolean {
  return search.file === null ? ref === search.ref : files.includes(search.file);
}

/** Slack's codes when the first message of a thread is gone. https://docs.slack.dev/reference/methods/chat.postMessage */
const threadGone = /^(?:thread_not_found|invalid_thread_ts|invalid_ts|cannot_reply_to_message|message_not_found)/;

export function isThreadGone(error: unknown): boolean {
  return error instanceof SlackError && threadGone.test(error.slackError);
}

/** What stands in a thread whose first message is gone. */
export function noneIfGone(error: unknown): FoundMessage[] {
  if (!isThreadGone(error)) throw error;
  return [];
}
