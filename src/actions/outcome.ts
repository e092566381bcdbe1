import { z } from 'zod';
import { RuleGoal } from '../card-api/rule-change.ts';

/**
 * How sure a change is, once the card API has accepted it. `sent`: nothing has shown it yet. `confirmed`: its webhook or
 * a look at the card did. `unconfirmed`: neither did in time. `superseded`: changed again before anything could show it.
 */
export const Confirmation = z.enum(['sent', 'confirmed', 'unconfirmed', 'superseded']);
export type Confirmation = z.infer<typeof Confirmation>;

/** What can still be done about something that was done here. */
export const Control = z.strictObject({
  /** `revert`: reverts a temporary change before its time. `undo`: reverts a block, for a minute. */
  kind: z.enum(['revert', 'undo']),
  /** Opaque: the temporary change, or the action. */
  id: z.string(),
  /** UTC ISO 8601: when it ends by itself. */
  until: z.string(),
});
export type Control = z.infer<typeof Control>;

/** One thing that a person did about an alert, and how it ended. Newest last. */
export const Outcome = z.strictObject({
  /** `restore`: a temporary change has ended. `recognize`: the holder says that it was them. `paid`: a retry succeeded. */
  verb: z.enum([
    'block',
    'unblock',
    'activate',
    'limit',
    'allow',
    'restore',
    'acknowledge',
    'recognize',
    'report-fraud',
    'close-case',
    'paid',
  ]),
  /** Slack user id; null when the change was seen, but made outside Slack. */
  by: z.string().nullable(),
  /** UTC ISO 8601. */
  at: z.string(),
  /** `unknown`: no answer came back, so it may or may not have happened. */
  state: z.enum(['done', 'failed', 'waiting', 'unknown']),
  /** One plain sentence for people: what happened, and whether anything changed. */
  text: z.string(),
  /** Whose card it was about, where the alert is about several. */
  acctId: z.int().nullish(),
  /** Absent where there is nothing to confirm. */
  confirmation: Confirmation.optional(),
  /** Done as the holder of the card, not as somebody who runs the program. */
  asHolder: z.boolean().optional(),
  control: Control.nullish(),
  /** What the card's rules became; absent where it changed none. */
  goals: z.array(RuleGoal).optional(),
});
export type Outcome = z.infer<typeof Outcome>;
