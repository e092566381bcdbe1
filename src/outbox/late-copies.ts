import { z } from 'zod';
import { SlackError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Slack } from '../slack/client.ts';
import { isRowsOf, rowsId } from './attach-rows.ts';
import { type FindPosted, noneIfGone, PostSearch } from './find-posted.ts';
import type { BatchMessages } from './message-store.ts';
import type { Outbox } from './outbox-store.ts';
import type { TrackedMessages } from './tracked-message-store.ts';

/** How long after a message was posted again Slack is searched for copies of it … */
export const FIRST_SEARCH_MS = 30_000;
/**
 * … and how long after the first attempt, on Slack's clock, the last search happens: a worker's clock may have been wrong.
 */
const LAST_LOOK_MS = 300_000;
/** Most searches, while some entries still wait to be posted or Slack's clock is unknown. */
const LOOKS_MAX = 20;

/** A message that was posted more than once, because an earlier attempt was not found in time. */
export const LateCopies = z.strictObject({
  search: PostSearch,
  /** Its entries. We know where each was posted; a message that is none of these is a copy. */
  entryIds: z.array(z.string()),
  attempt: z.int(),
});
export type LateCopies = z.infer<typeof LateCopies>;

interface Deps {
  readonly outbox: Pick<Outbox, 'sentAt' | 'remove'>;
  readonly findPosted: Pick<FindPosted, 'find'>;
  readonly slack: Pick<Slack, 'delete' | 'findMessages'>;
  readonly batchMessages: Pick<BatchMessages, 'get' | 'delete'>;
  readonly trackedMessages: Pick<TrackedMessages, 'forget'>;
  /** Milliseconds on Slack's clock; null when unknown. */
  readonly slackNow: () => number | null;
  readonly log: Log;
}

/**
 * Deletes copies of a message: Slack may commit a post seconds after it seemed lost. The returned function takes the number
 * of searches, including this one, and gives the milliseconds until the next search, or null.
 */
export function createDeleteLateCopies(deps: Deps) {
  const { outbox, findPosted, slack, batchMessages, trackedMessages, slackNow, log } = deps;
  return async function deleteLateCopies({ search, entryIds }: LateCopies, looks: number): Promise<number | null> {
    const { channel, ref } = search;
    const kept = await outbox.sentAt(channel, entryIds);
    // While an entry is still being posted, we cannot know which message stays.
    const found = kept.includes(null) ? [] : await find(search);
    // The timestamp of a posted file is unknown, so the first one stays.
    const stays = kept.includes('') ? found.slice(0, 1) : kept;
    for (const ts of found.filter((one) => !stays.includes(one))) {
      log.warn({ channel, ref }, 'a message appeared late and was posted twice; deleting the copy');
      await deleteRows(channel, ts);
      // First, so that the copy is never mistaken for a message that someone deleted.
      await trackedMessages.forget({ channel, ts });
      await deleteMessage(channel, ts);
    }
    if (looks >= LOOKS_MAX) return null;
    // The next attempt may be far away, for example while Slack refuses the app: these looks cover almost two hours.
    if (kept.includes(null)) return FIRST_SEARCH_MS * looks;
    const leftMs = lastLookInMs(search);
    return leftMs > 0 ? Math.max(FIRST_SEARCH_MS, leftMs) : null;
  };

  function lastLookInMs({ slackMs }: PostSearch): number {
    const now = slackNow();
    return slackMs === null || now === null ? FIRST_SEARCH_MS : slackMs + LAST_LOOK_MS - now;
  }

  async function find(search: PostSearch): Promise<string[]> {
    try {
      return (await findPosted.find(search)).map(({ ts }) => ts);
    } catch (error) {
      if (!(error instanceof SlackError) || error.retryable) throw error;
      log.error({ channel: search.channel, slackError: error.slackError }, 'cannot check for copies of a message');
      return [];
    }
  }

  /** Deletes the rows of a summary, in its thread or still waiting. */
  async function deleteRows(channel: string, ts: string): Promise<void> {
    const batch = await batchMessages.get({ channel, ts });
    if (batch?.form !== 'summary') return;
    await outbox.remove(channel, rowsId(ts));
    const replies = await slack.findMessages({ channel, threadTs: ts, sinceMs: Number(ts) * 1000 }).catch(noneIfGone);
    const isRows = isRowsOf({ channel, ts }, batch);
    for (const reply of replies) if (isRows(reply)) await deleteMessage(channel, reply.ts);
    // Rows that come later find no summary and are not posted.
    await batchMessages.delete({ channel, ts });
  }

  async function deleteMessage(channel: string, ts: string): Promise<void> {
    try {
      await slack.delete({ channel, ts });
    } catch (error) {
      if (!(error instanceof SlackError) || error.retryable) throw error;
      log.error({ channel, ts, slackError: error.slackError }, 'could not delete a copy of a message');
    }
  }
}
