import { z } from 'zod';
import { CardFacts } from '../alert/alert.ts';

/** How an action ended, in the words that people read. */
export const Result = z.strictObject({
  /** `unchanged`: it was so already, nothing was asked of the card API. */
  state: z.enum(['done', 'unchanged', 'failed', 'unknown', 'waiting']),
  card: CardFacts,
  before: z.string().nullable(),
  after: z.string().nullable(),
  /** The card API's own words, when it refused. */
  apiWords: z.string().nullable(),
  /** One plain sentence more: why nothing was done, when it ends by itself, what to do. */
  note: z.string().nullable(),
});
export type Result = z.infer<typeof Result>;
