import type { SlackError } from '../core/errors.ts';
import type { MessageRef } from '../slack/message.ts';
import type { TrackedEntry } from './entry.ts';
import type { Threads } from './message-store.ts';
import type { Outbox } from './outbox-store.ts';
import type { Posted } from './tracked-message.ts';
import { type Reference, type Subject, subjectKey, type TrackedMessages } from './tracked-message-store.ts';
import type { Undeliverable } from './undeliverable.ts';

interface Deps {
  readonly trackedMessages: Pick<TrackedMessages, 'references' | 'forget'>;
  readonly threads: Pick<Threads, 'markGone'>;
  readonly outbox: Pick<Outbox, 'put'>;
  readonly undeliverable: Pick<Undeliverable, 'insteadOf' | 'redirect'>;
  /** Until when (ms) a channel's quiet hours hold a subject; null when they do not. */
  readonly heldUntil: (channel: string, subject: Subject) => Promise<number | null>;
}

/** Posts what an edit cannot show. Idempotent: posts once per message that should have shown it. */
export type PostAgain = ReturnType<typeof createPostAgain>;

export function createPostAgain(deps: Deps) {
  const { trackedMessages, threads, outbox, undeliverable, heldUntil } = deps;

  return {
    /** The message cannot be edited: someone deleted it, or its channel cannot be posted to. */
    async gone(ref: MessageRef, subjects: readonly Subject[], error: SlackError): Promise<void> {
      const { channel, ts } = ref;
      const isChannelGone = error.code === 'channel_unusable';
      if (!isChannelGone) await threads.markGone(channel, ts);
      const entries: TrackedEntry[] = [];
      for (const subject of subjects) {
        const reference = (await trackedMessages.references(subject)).find(
          (one) => one.channel === channel && one.ts === ts,
        );
        if (reference !== undefined) entries.push(await entryOf(subject, reference));
      }
      const to = isChannelGone ? await undeliverable.insteadOf(channel, error) : null;
      await (to === null ? putAll(channel, entries) : undeliverable.redirect(entries, { channel, to }, error));
      // The messages in an archived channel are still there, and are edited when it is restored.
      // Last, so that a crash before this only repeats the steps above.
      if (!isChannelGone) await trackedMessages.forget(ref, subjects);
    },

    /** The message was edited but looks the same, because a summary does not show every row. */
    async notShown({ channel, ts }: MessageRef, posted: Posted | null): Promise<void> {
      if (posted === null || posted.notShown.length === 0) return;
      const { audience } = posted;
      const entries = posted.notShown.map((subject) => entryOf(subject, { channel, ts, audience, threadId: null }));
      await putAll(channel, await Promise.all(entries));
    },
  };

  async function putAll(channel: string, entries: readonly TrackedEntry[]): Promise<void> {
    for (const entry of entries) await outbox.put(channel, entry);
  }

  async function entryOf(subject: Subject, { channel, ts, audience, threadId }: Reference): Promise<TrackedEntry> {
    return {
      kind: 'tracked',
      id: `${subject.kind === 'alert' ? subject.id : subjectKey(subject)}-after-${ts}`,
      subject,
      audience,
      threadId,
      broadcast: false,
      priority: subject.kind === 'alert' ? 'decline' : 'request',
      late: false,
      notBefore: await heldUntil(channel, subject),
    };
  }
}
