import type { Alert } from './alert/alert.ts';
import { AppError, SlackError } from './errors.ts';
import type { Log } from './log.ts';
import type { Message, MessageRef } from './slack/message.ts';
import type { AlertRef, Alerts } from './store/alerts.ts';

interface Deps {
  readonly alerts: Alerts;
  /** The message at `ref` as it is to be now: of this alert, or of all that share it. */
  readonly render: (alert: Alert, ref: AlertRef) => Promise<Message | null>;
  readonly update: (ref: MessageRef, message: Message) => Promise<void>;
  /** One edit of a message at a time: of two alerts that share it, the older drawing must not come last. */
  readonly withLock: <T>(name: string, work: () => Promise<T>) => Promise<T>;
  readonly log: Log;
}

/** The message is on its way: come back when it stands. */
export class NotPostedYetError extends AppError {
  readonly code = 'not_posted_yet';
  readonly retryable = true;
}

/**
 * Brings every message of an alert up to date with what is known of it now.
 *
 * Editing is safe to repeat, so a failed edit is simply done again.
 *
 * @throws SlackError, NotPostedYetError when trying again later can help.
 */
export async function updateMessage(alertId: string, { alerts, render, update, withLock, log }: Deps): Promise<void> {
  const stored = await alerts.get(alertId);
  if (stored === null) return;
  if (stored.refs.length === 0) throw new NotPostedYetError('the alert has no message yet');

  for (const ref of stored.refs) {
    try {
      await withLock(`message:${ref.channel}:${ref.ts}`, async () => {
        const message = await render(stored.alert, ref);
        if (message !== null) await update(ref, message);
      });
    } catch (error) {
      if (!(error instanceof SlackError) || error.retryable || error.code === 'token_dead') throw error;
      // Deleted, or the channel is gone: there is nothing left to bring up to date.
      log.warn({ alertId, channel: ref.channel, slackError: error.slackError }, 'message could not be updated');
    }
  }
}
