/** The eight webhook kinds, named like the receivers' paths. */
export const WEBHOOK_KINDS = [
  'authorization',
  'pin',
  'settlement',
  'reversal',
  'decline',
  'card-status',
  'card-shipping',
  'virtual-card',
] as const;

export type WebhookKind = (typeof WEBHOOK_KINDS)[number];

export function isWebhookKind(value: string): value is WebhookKind {
  return (WEBHOOK_KINDS as readonly string[]).includes(value);
}
