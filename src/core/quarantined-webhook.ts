import { z } from 'zod';

/** Stands for the receiver of what no webhook brought: a network transaction that recovery fetched. */
export const FETCHED_PATH = 'network-transaction';

/** An authentic webhook that did not fit, as we keep it: redacted, and complete enough to be tried again. */
export const QuarantinedWebhook = z
  .strictObject({
    id: z.string(),
    /** The receiver it came by. */
    path: z.string(),
    /** Paths and expectations, never values. */
    issues: z.array(z.string()),
    /** The redacted body. */
    body: z.unknown(),
    version: z.string().nullable(),
    receivedAt: z.string(),
  })
  .brand<'Quarantined'>();
export type QuarantinedWebhook = z.infer<typeof QuarantinedWebhook>;
