import { z } from 'zod';

/** The queues: each is a lane of its own, because lanes must not wait for one another. */
export const queueNames = {
  alerts: 'alerts',
  outbox: 'outbox',
  updates: 'updates',
  actions: 'actions',
  maintenance: 'maintenance',
} as const;
export type QueueName = keyof typeof queueNames;

export const FlushOutbox = z.strictObject({ channel: z.string() });
export type FlushOutbox = z.infer<typeof FlushOutbox>;

export const EnrichAlert = z.strictObject({ alertId: z.string() });
export type EnrichAlert = z.infer<typeof EnrichAlert>;

export const EndClaim = z.strictObject({ claimId: z.string() });
export type EndClaim = z.infer<typeof EndClaim>;

export const AgeRequest = z.strictObject({ requestId: z.string() });
export type AgeRequest = z.infer<typeof AgeRequest>;

export const EndUndo = z.strictObject({ actionId: z.string() });
export type EndUndo = z.infer<typeof EndUndo>;

export const EndMute = z.strictObject({ muteId: z.string() });
export type EndMute = z.infer<typeof EndMute>;
export const SendDigest = z.strictObject({ channel: z.string(), kind: z.enum(['daily', 'weekly']) });
export type SendDigest = z.infer<typeof SendDigest>;

export const RenderHome = z.strictObject({ userId: z.string() });
export type RenderHome = z.infer<typeof RenderHome>;

export const EndTemporaryChange = z.strictObject({ temporaryChangeId: z.string() });
export type EndTemporaryChange = z.infer<typeof EndTemporaryChange>;

export const ConfirmAction = z.strictObject({ actionId: z.string() });
export type ConfirmAction = z.infer<typeof ConfirmAction>;

/**
 * A job that runs on the second or third try shows in the log; one that fails for good stays in Redis to be looked at
 * and replayed. Finished ones go at once: what was done is remembered elsewhere, smaller.
 */
export const keepFailedOnly = {
  removeOnComplete: true,
  removeOnFail: { age: 14 * 24 * 3600, count: 10_000 },
} as const;

/** Pause before a job's next try. */
export const backoff = { type: 'exponential', delay: 1000, jitter: 0.5 } as const;
