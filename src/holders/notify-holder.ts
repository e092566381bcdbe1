import { z } from 'zod';
import type { Alert } from '../alerts/alert.ts';
import type { Alerts } from '../alerts/alert-store.ts';
import { priorityOf } from '../alerts/announce.ts';
import type { GroupAlert } from '../alerts/group-alert.ts';
import { isSuspectedFraud } from '../alerts/suspected-fraud.ts';
import { SlackError } from '../core/errors.ts';
import { kindTraits, type WebhookKind } from '../core/event.ts';
import { stateKey } from '../core/keys.ts';
import type { Log } from '../core/log.ts';
import type { RedisClient } from '../core/redis.ts';
import * as opsIssue from '../ops/issue.ts';
import type { NotifyOps } from '../ops/notify-ops.ts';
import { alertIdOf, OutboxEntry } from '../outbox/entry.ts';
import type { Outbox } from '../outbox/outbox-store.ts';
import type { Links } from './link-store.ts';
import type { NotificationKind, Preferences } from './preference-store.ts';

/** Has a job put an entry into a person's direct messages, once for each id of an entry. */
export type NotifyPersonLater = (userId: string, entry: z.input<typeof OutboxEntry>) => Promise<void>;

interface NotifyHolderDeps {
  readonly links: Pick<Links, 'ofAccount'>;
  readonly preferences: Pick<Preferences, 'isOn'>;
  readonly notifyPerson: NotifyPersonLater;
}

/** What holders may switch off; a purchase that went well is no news to whoever made it. */
const notificationOf: Readonly<Record<(typeof kindTraits)[WebhookKind]['category'], NotificationKind | null>> = {
  decline: 'declines',
  status: 'card-status',
  shipping: 'shipping',
  virtual: 'virtual-cards',
  spend: null,
};

/**
 * Notifies the holder of an alert's card, if one is linked. It is a job of its own, so that a failure to reach one person
 * does not hold up the team's alerts. Safe to repeat.
 */
export function createNotifyHolder({
  links,
  preferences,
  notifyPerson,
}: NotifyHolderDeps): (alert: Alert) => Promise<void> {
  return async function notifyHolder(alert) {
    const { id, acctId } = alert.event;
    const kind = notificationOf[kindTraits[alert.event.kind].category];
    if (acctId === null || kind === null) return;
    const link = await links.ofAccount(acctId);
    if (link === null || isCausedBy(alert, link.userId)) return;
    // A purchase that looks like fraud is the one that only the holder can tell: it cannot be switched off.
    if (!isSuspectedFraud(alert.event) && !(await preferences.isOn(link.userId, kind))) return;
    await notifyPerson(link.userId, {
      kind: 'tracked',
      id: `${id}-holder`,
      subject: { kind: 'alert', id },
      audience: 'holder',
      priority: priorityOf(alert),
      late: alert.late,
    });
  };
}

/** Holders who blocked their own card have been answered where the button was. */
function isCausedBy(alert: Alert, userId: string): boolean {
  return alert.kind === 'card-status' && alert.changes.every(({ causedBy }) => causedBy === userId);
}

/** Something for one person's direct messages. */
export const NotifyPerson = z.strictObject({ userId: z.string(), entry: OutboxEntry });
export type NotifyPerson = z.infer<typeof NotifyPerson>;

interface NotifyPersonDeps {
  /** The direct conversation with a person. */
  readonly directChannel: (userId: string) => Promise<string>;
  readonly alerts: Pick<Alerts, 'get'>;
  readonly groupAlert: GroupAlert;
  /** Until when (ms) the person's own quiet hours hold an alert; null: not at all. */
  readonly heldUntil: (channel: string, alertId: string) => Promise<number | null>;
  readonly outbox: Pick<Outbox, 'put'>;
  readonly wakeOutbox: (channel: string) => Promise<void>;
  readonly updateMessages: (alertId: string) => Promise<void>;
  readonly notifyOps: NotifyOps;
  readonly log: Log;
}

/**
 * Puts an entry into the direct conversation with one person. Safe to repeat, by the entry's id.
 *
 * Ops are notified once about somebody who cannot be written to, because they are deactivated or the app is not available
 * to them.
 *
 * @throws SlackError when trying again later can help.
 */
export function createNotifyPerson(deps: NotifyPersonDeps): (notification: NotifyPerson) => Promise<void> {
  return async function notifyPerson({ userId, entry }) {
    let channel: string;
    try {
      channel = await deps.directChannel(userId);
    } catch (error) {
      if (!(error instanceof SlackError) || error.retryable || error.code === 'token_dead') throw error;
      deps.log.warn({ userId, slackError: error.slackError }, 'a person could not be written to');
      return await deps.notifyOps(opsIssue.personUnreachable(userId, error));
    }
    const alertId = alertIdOf(entry);
    const shownBy = alertId === null ? null : await repeatedIn(channel, alertId);
    // Somebody who tries again at the till is told once, with a count.
    if (shownBy !== null) return await deps.updateMessages(shownBy);
    const isHeld = alertId !== null && entry.priority !== 'fraud';
    const notBefore = isHeld ? await deps.heldUntil(channel, alertId) : null;
    await deps.outbox.put(channel, { ...entry, notBefore });
    await deps.wakeOutbox(channel);
  };

  /** The alert whose message in this conversation tells of it as well; null where it gets one of its own. */
  async function repeatedIn(channel: string, alertId: string): Promise<string | null> {
    const alert = await deps.alerts.get(alertId);
    return alert === null ? null : (await deps.groupAlert(alert, channel)).shownBy;
  }
}

/** The id of a direct conversation never changes; it is cached so that Slack need not be asked each time. */
const DIRECT_CHANNEL_KEPT_SECONDS = 30 * 24 * 3600;

/** The direct conversation with a person. @param open asks Slack for it. */
export function createDirectChannel(
  redis: RedisClient,
  open: (userId: string) => Promise<string>,
): (userId: string) => Promise<string> {
  return async function directChannel(userId) {
    const key = stateKey(`direct:${userId}`);
    const stored = await redis.get(key);
    if (stored !== null) return stored;
    const channel = await open(userId);
    await redis.set(key, channel, 'EX', DIRECT_CHANNEL_KEPT_SECONDS);
    return channel;
  };
}
