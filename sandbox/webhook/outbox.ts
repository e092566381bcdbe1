import type { WebhookKind } from './kind.ts';

/** A webhook on its way. Its body stays in our memory: what BullMQ keeps in Redis is the id alone. */
export interface Delivery {
  readonly id: string;
  readonly kind: WebhookKind;
  readonly url: string;
  readonly body: WebhookBody;
  readonly rawBody: string;
  readonly orderKey: string;
  /** Attempts made so far. */
  attempts: number;
}

/** Envelope of every webhook. */
export interface WebhookBody {
  readonly CallbackTime: string;
  readonly Data: Record<string, unknown>;
}

/** One attempt to deliver a webhook. */
export interface DeliveryRecord {
  readonly id: string;
  readonly kind: WebhookKind;
  readonly url: string;
  /** The body as sent, parsed. */
  readonly body: WebhookBody;
  /** The body as sent, to the byte. */
  readonly rawBody: string;
  /** 1 for the first. */
  readonly attempt: number;
  /** The receiver's answer; null when there was none. */
  readonly status: number | null;
  readonly error: string | null;
  readonly at: Date;
  readonly durationMs: number;
  /** Whether this was the last attempt and it failed: the service forgets the notification. */
  readonly dropped: boolean;
}

/** How deliveries misbehave on demand. */
export interface DeliveryMischief {
  /** How often each webhook is sent; 1 is well behaved. */
  copies: number;
  /** Sends webhooks in reverse, in batches of this many; 1 keeps the order. */
  reorder: number;
}
