import type { Alerts } from '../alerts/alert-store.ts';
import { priorityOf } from '../alerts/announce.ts';
import { isFaultOfOurs, SlackError } from '../core/errors.ts';
import type { Lease, WithLock } from '../core/lock.ts';
import type { TokenBucket } from '../core/token-bucket.ts';
import * as opsIssue from '../ops/issue.ts';
import type { NotifyOps } from '../ops/notify-ops.ts';
import { isAboutContent, isGone } from '../slack/failure.ts';
import { type Message, type MessageRef, plainMessage } from '../slack/message.ts';
import type { Edit, Edits } from './edit-store.ts';
import { type TrackedEntry, unusable } from './entry.ts';
import type { Threads } from './message-store.ts';
import type { Outbox } from './outbox-store.ts';
import type { Throttle } from './send-message.ts';
import type { Posted, RenderPosted } from './tracked-message.ts';
import { type Reference, type Subject, subjectKey, type TrackedMessages } from './tracked-message-store.ts';
import type { Undeliverable } from './undeliverable.ts';

/** Pause after an edit that Slack did not answer. */
const UNKNOWN_WAIT_MS = 5000;

interface Deps {
  readonly edits: Pick<Edits, 'done' | 'putOff'>;
  /** Limits how many edits are sent to Slack, across all channels. */
  readonly budget: TokenBucket;
  readonly renderPosted: RenderPosted;
  readonly update: (ref: MessageRef, message: Message) => Promise<void>;
  readonly postAgain: ReturnType<typeof createPostAgain>;
  /** With two concurrent edits of one message, the older rendering could arrive last. */
  readonly withLock: WithLock;
  readonly notifyOps: NotifyOps;
}

/**
 * Edits a message to show the current state of everything in it. Posts again what the edit cannot show: when the message is
 * gone, its channel cannot be posted to, or a summary has no room.
 *
 * @throws TooLateError when this process was frozen: another worker may have edited it since.
 * @returns milliseconds until this channel's next edit; 0 when only the channel's own pace limits it.
 */
export type EditMessage = (channel: string, edit: Edit, throttle: Throttle) => Promise<number>;

export function createEditMessage(deps: Deps): EditMessage {
  const { edits, budget, renderPosted, update, postAgain, withLock, notifyOps } = deps;

  return async function editMessage(channel, edit, throttle) {
    const waitMs = await budget.take();
    if (waitMs > 0) return waitMs;
    const ref = { channel, ts: edit.ts };
    try {
      const posted = await withLock(`message:${channel}:${edit.ts}`, (lease) => show(ref, edit, lease));
      await postAgain.notShown(ref, posted);
    } catch (error) {
      if (isFaultOfOurs(error)) await notifyOps(opsIssue.cannotRender(edit.subjects[0]?.id ?? edit.ts));
      else if (!(error instanceof SlackError)) throw error;
      else if (isGone(error)) await postAgain.gone(ref, edit.subjects, error);
      else return await later(channel, edit, error, throttle);
    }
    await edits.done(channel, edit);
    return 0;
  };

  async function show(ref: MessageRef, { subjects }: Edit, lease: Lease): Promise<Posted | null> {
    const posted = await renderPosted(ref, subjects);
    if (posted === null) return null;
    await lease.confirm();
    try {
      await update(ref, posted.message);
    } catch (error) {
      if (!(error instanceof SlackError) || !isAboutContent(error)) throw error;
      // The message is still there. Posting it again would show it twice.
      await notifyOps(opsIssue.messageRefused(ref.channel, error));
      await update(ref, plainMessage(posted.message));
    }
    return posted;
  }

  async function later(channel: string, edit: Edit, error: SlackError, { appRefusedMs }: Throttle): Promise<number> {
    await edits.putOff(channel, edit);
    if (error.code === 'app_refused') return appRefusedMs;
    if (error.code === 'refused') await notifyOps(opsIssue.editRefused(channel, error));
    const waitMs = error.retryAfterMs ?? UNKNOWN_WAIT_MS;
    if (error.code === 'rate_limited') await budget.backOff(waitMs);
    return waitMs;
  }
}

interface PostAgainDeps {
  readonly alerts: Pick<Alerts, 'get'>;
  readonly trackedMessages: Pick<TrackedMessages, 'references' | 'forget'>;
  readonly threads: Pick<Threads, 'markGone'>;
  readonly outbox: Pick<Outbox, 'put'>;
  readonly undeliverable: Pick<Undeliverable, 'insteadOf' | 'redirect'>;
  /** Until when (ms) a channel's quiet hours hold an alert; null when they do not. */
  readonly heldUntil: (channel: string, alertId: string) => Promise<number | null>;
}

/** Posts what an edit cannot show. Idempotent: posts once per message that should have shown it. */
export function createPostAgain(deps: PostAgainDeps) {
  const { alerts, trackedMessages, threads, outbox, undeliverable, heldUntil } = deps;

  return {
    /** The message cannot be edited: someone deleted it, or its channel cannot be posted to. */
    async gone(ref: MessageRef, subjects: readonly Subject[], error: SlackError): Promise<void> {
      const { channel, ts } = ref;
      const why = error.code === 'channel_unusable' ? unusable(error) : null;
      if (why === null) await threads.markGone(channel, ts);
      const entries: TrackedEntry[] = [];
      for (const subject of subjects) {
        const reference = (await trackedMessages.references(subject)).find(
          (one) => one.channel === channel && one.ts === ts,
        );
        if (reference !== undefined) entries.push(await entryOf(subject, reference));
      }
      const to = why && (await undeliverable.insteadOf(channel, why));
      if (why === null || to === null) await putAll(channel, entries);
      else await undeliverable.redirect(entries, { channel, to }, why);
      // The messages in an archived channel are still there. If it is restored, their next change edits them.
      // Last, so that a crash before this only repeats the steps above.
      if (why === null) await trackedMessages.forget(ref, subjects);
    },

    /** The edited message does not show the change: a summary does not show every row, or another company reads it. */
    async notShown({ channel, ts }: MessageRef, posted: Posted | null): Promise<void> {
      if (posted === null || posted.notShown.length === 0) return;
      const { audience } = posted;
      const entries = posted.notShown.map((subject) => entryOf(subject, { channel, ts, audience, threadId: null }));
      await putAll(channel, await Promise.all(entries));
      // What has moved stays hidden here, also when the channel is no longer shared. Otherwise two messages would show it.
      const moved = posted.notShown.filter(({ kind }) => kind !== 'alert');
      if (moved.length > 0) await trackedMessages.forget({ channel, ts }, moved);
    },
  };

  async function putAll(channel: string, entries: readonly TrackedEntry[]): Promise<void> {
    for (const entry of entries) await outbox.put(channel, entry);
  }

  async function entryOf(subject: Subject, { channel, ts, audience, threadId }: Reference): Promise<TrackedEntry> {
    const alert = subject.kind === 'alert' ? await alerts.get(subject.id) : null;
    // Redis may have lost the alert.
    const ofAlert = alert === null ? 'decline' : priorityOf(alert);
    return {
      kind: 'tracked',
      id: `${subject.kind === 'alert' ? subject.id : subjectKey(subject)}-after-${ts}`,
      subject,
      audience,
      threadId,
      broadcast: false,
      priority: subject.kind === 'alert' ? ofAlert : 'request',
      late: false,
      notBefore: subject.kind === 'alert' ? await heldUntil(channel, subject.id) : null,
    };
  }
}
