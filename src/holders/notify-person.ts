import { z } from 'zod';
import type { Alerts } from '../alerts/alert-store.ts';
import type { GroupAlert } from '../alerts/group-alert.ts';
import { SlackError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import * as opsIssue from '../ops/issue.ts';
import type { NotifyOps } from '../ops/notify-ops.ts';
import { OutboxEntry } from '../outbox/entry.ts';
import type { Outbox } from '../outbox/outbox-store.ts';

/** Something for one person's direct messages. */
export const NotifyPerson = z.strictObject({ userId: z.string(), entry: OutboxEntry });
export type NotifyPerson = z.infer<typeof NotifyPerson>;

interface Deps {
  /** The direct conversation with a person. */
  readonly directChannel: (userId: string) => Promise<string>;
  readonly alerts: Pick<Alerts, 'get'>;
  readonly groupAlert: GroupAlert;
  readonly outbox: Pick<Outbox, 'put'>;
  readonly wakeOutbox: (channel: string) => Promise<void>;
  readonly updateMessages: (alertId: string) => Promise<void>;
  readonly notifyOps: NotifyOps;
  readonly log: Log;
}

/**
 * Puts something into the direct conversation with one person. Safe to repeat, by the entry's id.
 *
 * Somebody who cannot be written to (deactivated, the app is switched off for them) disturbs nothing else: the people
 * who run the bot hear of it once.
 *
 * @throws SlackError when trying again later can help.
 */
export async function notifyPerson({ userId, entry }: NotifyPerson, deps: Deps): Promise<void> {
  let channel: string;
  try {
    channel = await deps.directChannel(userId);
  } catch (error) {
    if (!(error instanceof SlackError) || error.retryable || error.code === 'token_dead') throw error;
    deps.log.warn({ userId, slackError: error.slackError }, 'a person could not be written to');
    return await deps.notifyOps(opsIssue.personUnreachable(userId, error));
  }
  const toldBy = entry.kind === 'alert' ? await repeatedIn(channel, entry.alertId, deps) : null;
  // Somebody who tries again at the till is told once, with a count.
  if (toldBy !== null) return await deps.updateMessages(toldBy);
  await deps.outbox.put(channel, entry);
  await deps.wakeOutbox(channel);
}

/** The alert whose message in this conversation tells of it as well; null where it gets one of its own. */
async function repeatedIn(channel: string, alertId: string, { alerts, groupAlert }: Deps): Promise<string | null> {
  const stored = await alerts.get(alertId);
  return stored === null ? null : (await groupAlert(stored.alert, channel)).toldBy;
}
