import { SlackError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Message, MessageRef } from '../slack/message.ts';
import type { Alert } from './alert.ts';
import type { AlertRef, Alerts } from './alert-store.ts';

interface Deps {
  readonly alerts: Alerts;
  /** The message at `ref` as it is to be now: of this alert, or of all that share it. */
  readonly render: (alert: Alert, ref: AlertRef) => Promise<Message | null>;
  readonly update: (ref: MessageRef, message: Message) => Promise<void>;
  /** One edit of a message at a time: of two alerts that share it, the older drawing must not come last. */
  readonly withLock: <T>(name: string, work: () => Promise<T>) => Promise<T>;
  readonly log: Log;
}

/**
 * Brings every message of an alert up to date with what is known of it now.
 *
 * Editing is safe to repeat, so a failed edit is simply done again. A message that is on its way right now is not known
 * yet: who posts it learns from the count that it is out of date already.
 *
 * @throws SlackError when trying again later can help.
 */
export async function updateMessage(alertId: string, { alerts, render, update, withLock, log }: Deps): Promise<void> {
  // Before the messages are looked up, or one that is noted in between would be left out.
  await alerts.countEdit(alertId);
  const stored = await alerts.get(alertId);
  if (stored === null) return;

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
