import { renderAlert } from '../../templates/alerts/alert.ts';
import { renderHolderAlert } from '../../templates/holders/holder-alert.ts';
import { type BatchRow, batchRow, unreadableRow } from '../../templates/outbox/batch-row.ts';
import type { ChannelVisibility } from '../core/channel-visibility.ts';
import { chunksOf } from '../core/chunks.ts';
import { isFaultOfOurs } from '../core/errors.ts';
import * as opsIssue from '../ops/issue.ts';
import type { NotifyOps } from '../ops/notify-ops.ts';
import type { Message } from '../slack/message.ts';
import type { Alert } from './alert.ts';
import type { Alerts } from './alert-store.ts';

/** Alerts read per batch. Keeps a burst from blocking other requests to Redis. */
const READ_AT_ONCE = 200;

interface Deps {
  readonly alerts: Pick<Alerts, 'get'>;
  readonly visibilityOf: (channel: string) => Promise<ChannelVisibility>;
  /** Whether a direct conversation is that of an account's current holder. */
  readonly isOfHolder: (channel: string, acctId: number) => Promise<boolean>;
  /** Whose direct conversation a channel is; null: not known. */
  readonly personOf: (channel: string) => Promise<string | null>;
  /** The channel wants the long alert. */
  readonly isLong: (channel: string) => Promise<boolean>;
  readonly notifyOps: NotifyOps;
  readonly now: () => Date;
}

/** Renders alerts, alone and in a batch. */
export function createShowAlert({ alerts, visibilityOf, isOfHolder, personOf, isLong, notifyOps, now }: Deps) {
  return {
    /**
     * Renders an alert for the readers of a channel; null when it is too old, or they may not see it. What quiet hours held,
     * and what happens later, is not for someone who holds the card no longer.
     */
    async render(
      id: string,
      { channel, audience }: { readonly channel: string; readonly audience: 'team' | 'holder' },
    ): Promise<Message | null> {
      const alert = await alerts.get(id);
      if (alert === null) return null;
      const { acctId } = alert.event;
      if (audience === 'holder' && acctId !== null && !(await isOfHolder(channel, acctId))) return null;
      const view = { place: await visibilityOf(channel), channel, isLong: await isLong(channel), now: now() };
      const shown = await atLastTry(alert, channel, alerts);
      if (audience === 'team') return renderAlert(shown, view);
      const reader = await personOf(channel);
      return renderHolderAlert(shown, { ...view, ...(reader !== null && { reader }) });
    },

    /** Table rows of alerts as a channel may see them, in the given order. Skips alerts that are too old. */
    async rowsOf(alertIds: readonly string[], channel: string): Promise<BatchRow[]> {
      const view = { place: await visibilityOf(channel), channel, now: now() };
      const rows: BatchRow[] = [];
      for (const ids of chunksOf(alertIds, READ_AT_ONCE)) {
        for (const { id, alert } of await Promise.all(ids.map(readable))) {
          if (alert === 'unreadable') rows.push(unreadableRow(id));
          else if (alert !== null) rows.push(batchRow(alert, view));
        }
      }
      return rows;
    },
  };

  async function readable(id: string): Promise<{ id: string; alert: Alert | null | 'unreadable' }> {
    try {
      return { id, alert: await alerts.get(id) };
    } catch (error) {
      if (!isFaultOfOurs(error)) throw error;
      // An alert stored by another version must not hold back the others.
      await notifyOps(opsIssue.cannotRender(id));
      return { id, alert: 'unreadable' };
    }
  }
}

/**
 * A repeated decline as its last try found the card: what was left of its limits and balance, and when they reset. The alert
 * is that of the first try, whose message, buttons and outcomes it keeps. The declines of a blocked card have no numbers.
 */
export async function atLastTry(alert: Alert, channel: string, alerts: Pick<Alerts, 'get'>): Promise<Alert> {
  if (alert.kind !== 'transaction' || alert.remedy?.kind === 'unblock') return alert;
  const newest = alert.newest?.[channel];
  const last = newest === undefined ? null : await alerts.get(newest);
  if (last?.kind !== 'transaction' || last.event.occurredAt !== alert.repeats[channel]?.lastAt) return alert;
  const { occurredAt, availableCents, ledgerCents, paddingCents } = last.event;
  const event = { ...alert.event, occurredAt, availableCents, ledgerCents, paddingCents };
  return { ...alert, event, remedy: last.remedy, isKnownLater: last.isKnownLater };
}
