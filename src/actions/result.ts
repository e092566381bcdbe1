import { z } from 'zod';
import { RuleChanges, Term } from '../card-api/rule-change.ts';
import { CardFacts } from '../core/card-facts.ts';
import { CardStatus } from '../core/event.ts';
import { CountedRaise } from '../policy/counted-raise.ts';
import { Confirmation, Control } from './outcome.ts';

/** What the card service must show before a change counts as confirmed. */
export const Expected = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('status'), status: CardStatus, cardId: z.int().nullable() }),
  /** From what the rules said before: for whoever finds the change made, long after it was sent. */
  z.strictObject({
    kind: z.literal('rule'),
    changes: RuleChanges,
    /** How long the change stays; absent where it ends another. */
    term: Term.optional(),
  }),
]);
export type Expected = z.infer<typeof Expected>;

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
  /** Absent where nothing was sent that could be confirmed. */
  confirmation: Confirmation.optional(),
  /** Given with `sent`, and with an outcome that is not known: what would confirm it. */
  expects: Expected.optional(),
  /** Of what waits for a second approver because it is too much for one: the raise, and the earlier ones that count with it. */
  counted: CountedRaise.nullish(),
  /** What can still be done about it. */
  control: Control.nullish(),
});
export type Result = z.infer<typeof Result>;
