import type { Alert } from '../../src/alerts/alert.ts';
import type { ChannelVisibility } from '../../src/core/channel-visibility.ts';

/** Who will read the message. */
export interface View {
  readonly place: ChannelVisibility;
  /** Slack channel of the message: what is counted there. Left out where nothing is. */
  readonly channel?: string;
  /** All there is to say at once, in place of three lines: by choice of the channel, or in *Details*. */
  readonly isLong?: boolean;
  /** Slack user who reads it, if only one person does. */
  readonly reader?: string;
  /** When they first see it. Left out: when the event arrived. */
  readonly now?: Date;
}

/** What happened within this time is of today or last night, so its day goes without saying. */
const NEAR_MS = 12 * 3_600_000;

/**
 * True when the time of an alert needs its day: it arrived late, was held back, or is shown again, or the card service
 * dates it ahead.
 */
export function needsDay(at: string, alert: Alert, view: View): boolean {
  return alert.late || Math.abs(seenAt(alert, view).getTime() - Date.parse(at)) > NEAR_MS;
}

/** When people first see an alert. */
export function seenAt({ event }: Pick<Alert, 'event'>, { now }: Pick<View, 'now'>): Date {
  return now ?? new Date(event.receivedAt);
}
