import { z } from 'zod';
import { Since } from '../core/since.ts';
import { channelVerbs, notificationVerbs } from '../dispatch/routing-command.ts';
import { ChangeRequest, Term } from '../limits/change-request.ts';

/** What people can ask for. */
export const verbs = [
  'show',
  'activate',
  'block',
  /** Somebody else is the holder of a card. */
  'link',
  'unlink',
  /** "I hold this card": by a matching e-mail address, else for an approver to decide. */
  'claim',
  'decide-claim',
  /** "It was me", by the holder of the card. */
  'recognize',
  /** Fetch what was missed. */
  'recover',
  /** When a channel gets its digest. */
  'digest',
  ...channelVerbs,
  ...notificationVerbs,
  'undo_block',
  'unblock',
  'limit',
  'allow',
  'remedy',
  'ask',
  'acknowledge',
  'decide',
  'break_glass',
  'take_back',
  'settle_lease',
  /** Something was picked in a message or a form of ours: a card, or one of several alerts. */
  'choose',
  /** Virtual cards: order one; have the details of one sent to the configured receiver again. */
  'order-virtual',
  'resend-virtual',
] as const;
export const Verb = z.enum(verbs);
export type Verb = z.infer<typeof Verb>;

/** Which card is meant: one of an alert, one that a person named, or one that was picked from several. */
export const Target = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('alert'), alertId: z.string() }),
  z.strictObject({ kind: z.literal('words'), words: z.array(z.string()).min(1) }),
  z.strictObject({
    kind: z.literal('card'),
    acctId: z.int(),
    cardId: z.int().nullable(),
    /** The alert that it was asked from, before the card was settled. */
    alertId: z.string().nullable(),
  }),
  /** The only card that the person holds. */
  z.strictObject({ kind: z.literal('own') }),
  /** A virtual card to be ordered, sealed: whoever reads Redis must not read whose it is. */
  z.strictObject({ kind: z.literal('order'), sealed: z.string() }),
  z.strictObject({ kind: z.literal('request'), requestId: z.string() }),
  /** "I hold this card", and which of the accounts that it can mean; null when it is refused. */
  z.strictObject({ kind: z.literal('claim'), claimId: z.string(), choice: z.int().nonnegative().nullable() }),
  z.strictObject({ kind: z.literal('since'), since: Since }),
  /** The place where it was typed, and what was typed after the verb. */
  z.strictObject({ kind: z.literal('place'), text: z.string() }),
  /** A change that ends by itself. */
  z.strictObject({ kind: z.literal('lease'), temporaryChangeId: z.string() }),
  /** An earlier action, to be undone. */
  z.strictObject({ kind: z.literal('action'), actionId: z.string() }),
]);
export type Target = z.infer<typeof Target>;

/** Where the answer goes. */
export const Origin = z.strictObject({
  kind: z.enum(['command', 'button', 'form']),
  channel: z.string(),
  /** The message with the button, if there is one. */
  messageTs: z.string().nullable(),
  /** Slack's `response_url`, sealed: whoever has it can write to the channel for 30 minutes. */
  reply: z.string().nullable(),
  /** The answer takes the place of the question that was answered ("Which card?"). */
  replace: z.boolean(),
});
export type Origin = z.infer<typeof Origin>;

/** The rules by which something was permitted. */
export const Policy = z.strictObject({
  /** Changes when the rules do. */
  version: z.string(),
  /** What they say, in one line. */
  words: z.string(),
});
export type Policy = z.infer<typeof Policy>;

/** Something that a person asked for and may do: the only thing besides events that the queue accepts. */
export const Action = z
  .strictObject({
    id: z.string().regex(/^act_[0-9a-z]+$/),
    verb: Verb,
    target: Target,
    /** For `limit` and `allow`: what of the card's rules. */
    changeRequest: ChangeRequest.nullable(),
    /** What the person gave as reason, masked. */
    reason: z.string(),
    /** Behind the card: until when, which countries, since when. Read by whoever does it. */
    details: z.string().default(''),
    /** True when the person has read that other cards of the account end for good. */
    confirmed: z.boolean(),
    /** For `ask`: what the holder wants to pay, and until when. Which rule that takes is found out later. */
    ask: z.strictObject({ amountCents: z.int().positive(), term: Term }).nullable().default(null),
    /** For `decide`: yes or no. For `settle_lease`: put back, or leave it. */
    approve: z.boolean().nullable(),
    /** For `link`: the Slack user who holds the card. */
    subject: z.string().nullable().default(null),
    /** For `remedy`: the form that was opened at the click and waits for what the card allows now. */
    form: z.strictObject({ viewId: z.string(), hash: z.string(), pendingId: z.string() }).nullable().default(null),
    actor: z.strictObject({ userId: z.string(), teamId: z.string() }),
    /** The roles that the person had at the moment of the click. */
    roles: z.array(z.enum(['operator', 'approver', 'holder'])),
    origin: Origin,
    /** Of what was refused where it was asked: why, where it was not for want of a role. */
    refusedFor: z.string().nullable().default(null),
    /** In force at the moment of the click. */
    policy: Policy.optional(),
    /** UTC ISO 8601. */
    askedAt: z.string(),
  })
  .brand<'PermittedAction'>();
export type Action = z.infer<typeof Action>;

/** The alert on which the outcome is shown, if there is one. */
export function alertIdOf({ target }: Action): string | null {
  return target.kind === 'alert' || target.kind === 'card' ? target.alertId : null;
}

/** The request that an action becomes when it takes others. */
export function requestIdOf(actionId: string): string {
  return `req_${actionId.slice(4)}`;
}
