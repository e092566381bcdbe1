import { isFaultOfOurs, SlackError } from '../core/errors.ts';
import type { Lease, WithLock } from '../core/lock.ts';
import type { TokenBucket } from '../core/token-bucket.ts';
import * as opsIssue from '../ops/issue.ts';
import type { NotifyOps } from '../ops/notify-ops.ts';
import { isAboutContent, isGone } from '../slack/failure.ts';
import type { Message, MessageRef } from '../slack/message.ts';
import type { Edit, Edits } from './edit-store.ts';
import type { PostAgain } from './post-again.ts';
import type { Throttle } from './send-message.ts';
import type { Posted, RenderPosted } from './tracked-message.ts';
import { plain } from './undeliverable.ts';

/** Pause after an edit that Slack did not answer. */
const UNKNOWN_WAIT_MS = 5000;

interface Deps {
  readonly edits: Pick<Edits, 'done' | 'putOff'>;
  /** Limits how many edits are sent to Slack, across all channels. */
  readonly budget: TokenBucket;
  readonly renderPosted: RenderPosted;
  readonly update: (ref: MessageRef, message: Message) => Promise<void>;
  readonly postAgain: PostAgain;
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
      await update(ref, plain(posted.message));
    }
    return posted;
  }

  async function later(channel: string, edit: Edit, error: SlackError, { tokenDeadMs }: Throttle): Promise<number> {
    await edits.putOff(channel, edit);
    if (error.code === 'token_dead') return tokenDeadMs;
    if (error.code === 'refused') await notifyOps(opsIssue.editRefused(channel, error));
    const waitMs = error.retryAfterMs ?? UNKNOWN_WAIT_MS;
    if (error.code === 'rate_limited') await budget.backOff(waitMs);
    return waitMs;
  }
}
