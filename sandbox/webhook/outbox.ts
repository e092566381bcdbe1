import type { WebhookKind } from './kind.ts';

/** A webhook in delivery. Its body stays in our memory; BullMQ stores only the id in Redis. */
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
  /** The body as sent, byte for byte. */
  readonly rawBody: string;
  /** 1 for the first. */
  readonly attempt: number;
  /** The receiver's status. Null when it did not answer. */
  readonly status: number | null;
  readonly error: string | null;
  readonly at: Date;
  readonly durationMs: number;
  /** Whether the last attempt failed: the service gives up on the notification. */
  readonly dropped: boolean;
}

/** How deliveries misbehave on demand. */
export interface DeliveryMischief {
  /** How often each webhook is sent; normally 1. */
  copies: number;
  /** Sends webhooks in reverse order, in batches of this size; 1 keeps the order. */
  reorder: number;
}
