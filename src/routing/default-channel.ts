import type { Channels } from '../app/config.ts';
import type { WebhookKind } from '../core/event.ts';

/** Channel that the configuration names for a kind; null when it names none. */
export function defaultChannel(kind: WebhookKind, channels: Channels): string | null {
  switch (kind) {
    case 'decline':
      return channels.decline;
    case 'card-shipping':
      return channels.shipping;
    case 'card-status':
      return channels.status;
    case 'virtual-card':
      return channels.virtual;
    default:
      return channels.spend;
  }
}
