import { kindTraits, type WebhookKind } from '../core/event.ts';

/** Channels that the configuration names for alerts. */
export interface AlertChannels {
  /** Gets what has no channel of its own, and what must not go to the one that it has. */
  readonly fallback: string;
  readonly decline: string;
  readonly shipping: string;
  readonly status: string;
  readonly virtual: string;
  /** Null: authorizations, PIN transactions, settlements and reversals are not posted. */
  readonly spend: string | null;
}

/** Channel that the configuration names for a kind; null when it names none. */
export function defaultChannel(kind: WebhookKind, channels: AlertChannels): string | null {
  return channels[kindTraits[kind].category];
}
