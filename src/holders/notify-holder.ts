import { z } from 'zod';
import type { Alert } from '../alerts/alert.ts';
import type { Alerts } from '../alerts/alert-store.ts';
import { priorityOf } from '../alerts/announce.ts';
import type { GroupAlert } from '../alerts/group-alert.ts';
import { isSuspectedFraud } from '../alerts/suspected-fraud.ts';
import { SlackError } from '../core/errors.ts';
import { type AlertCategory, kindTraits } from '../core/event.ts';
import { stateKey } from '../core/keys.ts';
import type { Log } from '../core/log.ts';
import type { RedisClient } from '../core/redis.ts';
import { happenedSince } from '../core/service-time.ts';
import { createSigner } from '../core/sign.ts';
import type { NotifyOps } from '../ops/notify-ops.ts';
import { personUnreachable } from '../ops/refused-messages.ts';
import { mayBeHeld, OutboxEntry, shownAlertId } from '../outbox/entry.ts';
import type { Outbox } from '../outbox/outbox-store.ts';
import type { Links } from './link-store.ts';
import type { NotificationKind, Preferences } from './preference-store.ts';

/** Enqueues a job that sends an entry as a direct message. Deduplicated by the entry's id. */
export type NotifyPersonLater = (userId: string, entry: z.input<typeof OutboxEntry>) => Promise<void>;

interface NotifyHolderDeps {
  readonly links: Pick<Links, 'ofAccount'>;
  readonly preferences: Pick<Preferences, 'isOn'>;
  readonly notifyPerson: NotifyPersonLater;
}

/** The kinds that holders may switch off. A successful purchase is no news to the person who made it. */
const notificationOf: Readonly<Record<AlertCategory, NotificationKind | null>> = {
  decline: 'declines',
  status: 'card-status',
  shipping: 'shipping',
  virtual: 'virtual-cards',
  spend: null,
};

/**
 * Notifies the holder of an alert's card, if one is linked. Runs as a separate job, so that a failure to reach one
 * person does not delay the team's alerts. Idempotent.
 */
export function createNotifyHolder({ links, preferences, notifyPerson }: NotifyHolderDeps) {
  return async function notifyHolder(alert: Alert): Promise<void> {
    const { id, acctId } = alert.event;
    const kind = notificationOf[kindTraits[alert.event.kind].category];
    if (acctId === null || kind === null) return;
    const link = await links.ofAccount(acctId);
    if (link === null || isCausedBy(alert, link.userId) || isOutdated(alert)) return;
    // Its webhook may come after the card has passed from one person to another.
    if (alert.event.kind === 'decline' && !happenedSince(Date.parse(link.at))(alert.event)) return;
    // Only the holder can identify a suspected fraud, so that notification cannot be switched off.
    if (!isSuspectedFraud(alert.event) && !(await preferences.isOn(link.userId, kind))) return;
    await notifyPerson(link.userId, {
      kind: 'tracked',
      ...showing(id),
      audience: 'holder',
      priority: priorityOf(alert),
      late: alert.late,
    });
  };
}

/** What makes an entry that of an alert for a holder. */
function showing(alertId: string) {
  return { id: `${alertId}-holder`, subject: { kind: 'alert', id: alertId } } as const;
}

/** Holders who blocked their own card were already answered where they pressed the button. */
function isCausedBy(alert: Alert, userId: string): boolean {
  return alert.kind === 'card-status' && alert.changes.every(({ causedBy }) => causedBy === userId);
}

/** A status that arrived after a newer one, of which the holder was notified. */
function isOutdated(alert: Alert): boolean {
  return alert.kind === 'card-status' && alert.changes.every(({ supersededBy }) => supersededBy !== null);
}

/** An entry for one person's direct messages. */
export const NotifyPerson = z.strictObject({ userId: z.string(), entry: OutboxEntry });
export type NotifyPerson = z.infer<typeof NotifyPerson>;

interface NotifyPersonDeps {
  readonly directChannel: (userId: string) => Promise<string>;
  readonly alerts: Pick<Alerts, 'get'>;
  readonly groupAlert: GroupAlert;
  /** Until when (ms) the person's quiet hours hold an alert, or another message; null: not held. */
  readonly heldUntil: (channel: string, alertId: string | null) => Promise<number | null>;
  readonly outbox: Pick<Outbox, 'put'>;
  readonly updateAlert: (alertId: string) => Promise<void>;
  readonly notifyOps: NotifyOps;
  readonly log: Log;
}

/**
 * Adds an entry to a person's direct messages. Idempotent by the entry's id.
 *
 * Ops are notified once about a person who cannot be reached because they are deactivated or the app is not available
 * to them.
 *
 * @throws SlackError when a later retry may help.
 */
export function createNotifyPerson(deps: NotifyPersonDeps): (notification: NotifyPerson) => Promise<void> {
  return async function notifyPerson({ userId, entry }) {
    let channel: string;
    try {
      channel = await deps.directChannel(userId);
    } catch (error) {
      if (!(error instanceof SlackError) || error.retryable || error.code === 'app_refused') throw error;
      deps.log.warn({ userId, slackError: error.slackError }, 'could not send a direct message');
      return await deps.notifyOps(personUnreachable(userId, error));
    }
    const alertId = shownAlertId(entry);
    const alert = alertId === null ? null : await deps.alerts.get(alertId);
    const shownBy = alert === null ? null : (await deps.groupAlert(alert, channel)).shownBy;
    // Someone who retries at the checkout is notified once, with a count.
    if (alert !== null && shownBy !== null) {
      // Suspected fraud on a blocked card must not wait inside a message that quiet hours hold.
      const isUrgent = isSuspectedFraud(alert.event) && !alert.late;
      if (isUrgent) await deps.outbox.put(channel, { ...entry, ...showing(shownBy), notBefore: null });
      return await deps.updateAlert(shownBy);
    }
    const notBefore = mayBeHeld(entry) ? await deps.heldUntil(channel, alertId) : null;
    await deps.outbox.put(channel, { ...entry, notBefore });
  };
}

/** Whether a direct conversation is that of an account's current holder; also true when Slack does not say whose it is. */
export function createIsOfHolder(deps: Pick<NotifyHolderDeps, 'links'> & Pick<NotifyPersonDeps, 'directChannel'>) {
  return async function isOfHolder(channel: string, acctId: number): Promise<boolean> {
    const link = await deps.links.ofAccount(acctId);
    if (link === null) return false;
    try {
      return (await deps.directChannel(link.userId)) === channel;
    } catch (error) {
      if (error instanceof SlackError) return true;
      throw error;
    }
  };
}

/** The id of a direct message channel of one Slack app never changes. Cached so that Slack is not called each time. */
const DIRECT_CHANNEL_KEPT_SECONDS = 30 * 24 * 3600;

/**
 * Which direct message channel belongs to which person.
 *
 * @param open requests a person's channel from Slack.
 * @param botToken of the app: one that replaces it has other conversations with the same people.
 */
export function createDirectChannels(redis: RedisClient, open: (userId: string) => Promise<string>, botToken: string) {
  const app = createSigner(botToken, 'direct').sign('').slice(0, 10);
  // People's ids and channels' ids begin with different letters.
  const keyOf = (id: string): string => stateKey(`direct:${app}:${id}`);
  return {
    async directChannel(userId: string): Promise<string> {
      const stored = await redis.get(keyOf(userId));
      if (stored !== null) return stored;
      const channel = await open(userId);
      await redis.set(keyOf(channel), userId, 'EX', DIRECT_CHANNEL_KEPT_SECONDS);
      await redis.set(keyOf(userId), channel, 'EX', DIRECT_CHANNEL_KEPT_SECONDS);
      return channel;
    },
    /** Null: unknown, because the channel has not been used for long. */
    personOf: (channel: string): Promise<string | null> => redis.get(keyOf(channel)),
  };
}
