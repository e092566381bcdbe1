import type { EditMessage } from './edit-message.ts';
import type { Edit, Edits } from './edit-store.ts';
import { type UnreadableEntry, waitOf } from './entry.ts';
import { NO_CHANNEL_PAUSE_MS } from './failed-post.ts';
import { isForTeam } from './may-post.ts';
import { nextMessage } from './next-message.ts';
import type { Outbox } from './outbox-store.ts';
import type { PostEntries } from './post-entries.ts';
import type { Throttle } from './send-message.ts';
import type { Waiting } from './sending-store.ts';

/**
 * How long an edit may wait behind posts. Edits show that someone acted on an alert, or that a purchase was declined again.
 */
const EDIT_MAX_WAIT_MS = 4000;
/** A larger burst needs several messages. */
export const BATCH_MAX = 5000;

interface Deps {
  readonly outbox: Pick<Outbox, 'pauseLeft' | 'pauseFor' | 'look' | 'requeue'>;
  readonly postEntries: PostEntries;
  /** Whether what only the team may read has a channel: this one or another. */
  readonly hasPlaceForTeam: (channel: string) => Promise<boolean>;
  readonly editing: { readonly next: Edits['next']; readonly edit: EditMessage };
  /** Stores entries of a newer version elsewhere, where they can be retried. */
  readonly setAside: (channel: string, entries: readonly UnreadableEntry[]) => Promise<void>;
  /**
   * Wakes the channel later. This run ends, so that entries that come earlier find the channel free.
   *
   * @param isRetry all retries of a channel are one wake per `ms`, however many runs ask for them.
   */
  readonly wakeIn: (channel: string, ms: number, isRetry?: boolean) => Promise<void>;
  readonly throttle: Throttle;
  /** Milliseconds on a monotonic clock. */
  readonly now: () => number;
}

/**
 * Posts the waiting entries of one channel as fast as Slack allows, each entry once, and its edits between them.
 *
 * @returns milliseconds until the next run, or null when nothing is waiting.
 */
export async function flushOutbox(channel: string, deps: Deps): Promise<number | null> {
  const { outbox, postEntries } = deps;
  let editWaitMs = 0;

  for (;;) {
    const pause = await outbox.pauseLeft(channel);
    if (pause > 0) return pause;

    const looked = await outbox.look(channel, BATCH_MAX);
    const { unresolved, unreadable } = looked;
    if (unreadable.length > 0) {
      await deps.setAside(channel, unreadable);
      continue;
    }
    if (unresolved !== null && !unresolved.sending.isUnsent) {
      const claimedForMs = await postEntries.takeOver(channel, unresolved);
      // Wakes are merged into this job, and the sender may finish any moment. So it waits no longer than the channel
      // pauses after a message.
      if (claimedForMs > 0) return Math.min(claimedForMs, deps.throttle.postMs);
      continue;
    }
    const lookedAt = deps.now();
    const all = unresolved?.entries ?? looked.waiting.map(({ entry }) => entry);
    const mustWait = all.some(isForTeam) && !(await deps.hasPlaceForTeam(channel));
    if (mustWait && unresolved !== null && unresolved.sending.redirect === null) {
      // An unsent message is always the next one. Its entry can wait while others are posted.
      await outbox.requeue(channel, unresolved.sending);
      continue;
    }
    const waiting = mustWait ? looked.waiting.filter(({ entry }) => !isForTeam(entry)) : looked.waiting;
    const next = unresolved ?? nextMessage(waiting);
    const edit = editWaitMs > 0 ? null : await deps.editing.next(channel);
    if (edit !== null && goesFirst(edit, next, waiting)) {
      editWaitMs = await deps.editing.edit(channel, edit, deps.throttle);
      if (editWaitMs === 0) await outbox.pauseFor(channel, deps.throttle.postMs);
      continue;
    }
    if (next === null) {
      // Not as a delay of this job, because a post that comes meanwhile would wait for it.
      const soonest = Math.min(looked.heldForMs ?? Number.POSITIVE_INFINITY, editWaitMs || Number.POSITIVE_INFINITY);
      if (Number.isFinite(soonest)) await deps.wakeIn(channel, soonest);
      if (mustWait) await deps.wakeIn(channel, NO_CHANNEL_PAUSE_MS, true);
      return null;
    }
    if ('waitMs' in next) return Math.min(next.waitMs, editWaitMs || next.waitMs);

    const cameAt = new Map(waiting.map(({ entry, ageMs }) => [entry.id, lookedAt - ageMs]));
    const entryIds = unresolved?.sending.entryIds ?? next.entries.map(({ id }) => id);
    const again = await postEntries.post({ channel, entries: next.entries, entryIds, cameAt });
    if (again !== null) return again;
  }
}

/** An edit precedes a post that may wait longer. Both share the channel's pace. */
function goesFirst(edit: Edit, post: ReturnType<typeof nextMessage>, [first]: readonly Waiting[]): boolean {
  if (post === null || 'waitMs' in post) return true;
  return first !== undefined && EDIT_MAX_WAIT_MS - edit.waitedMs < waitOf(first.entry) - first.ageMs;
}
