import { z } from 'zod';
import { Since } from '../core/since.ts';
import { Role } from '../policy/decide-action.ts';

const AlertTarget = z.strictObject({ kind: z.literal('alert'), alertId: z.string() });
const WordsTarget = z.strictObject({ kind: z.literal('words'), words: z.array(z.string()).min(1) });

/** What an action is about. Each verb accepts some of these targets. */
export const target = {
  alert: AlertTarget,
  /** A card identified by typed words, by an alert, by its ids, or as the person's only card. */
  card: z.discriminatedUnion('kind', [
    AlertTarget,
    WordsTarget,
    z.strictObject({
      kind: z.literal('card'),
      acctId: z.int(),
      cardId: z.int().nullable(),
      /** The last four digits that the person saw. Absent, without an id: the card in use is meant. */
      last4: z.string().optional(),
      /** The alert where the person asked, before the card was settled. */
      alertId: z.string().nullable(),
    }),
    z.strictObject({ kind: z.literal('own') }),
  ]),
  /** A virtual card to order. Sealed, so that reading Redis does not reveal the holder. */
  order: z.strictObject({ kind: z.literal('order'), sealed: z.string() }),
  request: z.strictObject({
    kind: z.literal('request'),
    requestId: z.string(),
    /** The revision the person saw. Absent: the original request. */
    revision: z.int().nonnegative().optional(),
  }),
  claim: z.strictObject({
    kind: z.literal('claim'),
    claimId: z.string(),
    /** False when the claim is denied. */
    confirms: z.boolean(),
    /** The card's holder when the person saw the claim, as an opaque id. Absent: no holder. */
    seenHolder: z.string().optional(),
  }),
  since: z.strictObject({ kind: z.literal('since'), since: Since }),
  /** The channel where the command was typed, and the text after the verb. */
  channel: z.strictObject({ kind: z.literal('channel'), text: z.string() }),
  temporaryChange: z.strictObject({ kind: z.literal('temporary-change'), temporaryChangeId: z.string() }),
  /** An earlier action, to be undone. */
  action: z.strictObject({ kind: z.literal('action'), actionId: z.string() }),
} as const;

export const Target = z.discriminatedUnion('kind', [
  target.card,
  target.order,
  target.request,
  target.claim,
  target.since,
  target.channel,
  target.temporaryChange,
  target.action,
]);
export type Target = z.infer<typeof Target>;
export type CardTarget = z.infer<typeof target.card>;

/** Where the answer goes. */
export const Origin = z.strictObject({
  kind: z.enum(['command', 'button', 'form']),
  channel: z.string(),
  /** The message with the button, if any. */
  messageTs: z.string().nullable(),
  /** The thread that contains this message. Absent: none. */
  threadTs: z.string().optional(),
  /** Slack's `response_url`, sealed: it lets anyone write to the channel for 30 minutes. */
  reply: z.string().nullable(),
  /** The answer replaces the question that was answered ("Which card?"). */
  replace: z.boolean(),
  /** Others decided first, so the person no longer waits there: the answer is a direct message. */
  isDirect: z.literal(true).optional(),
  /** An open form that shows the answer while it stays open. */
  view: z.strictObject({ viewId: z.string(), hash: z.string() }).optional(),
});
export type Origin = z.infer<typeof Origin>;

const envelope = {
  id: z.string().regex(/^act_[0-9a-z]+$/),
  /** The reason the person gave, masked. */
  reason: z.string(),
  actor: z.strictObject({ userId: z.string(), teamId: z.string() }),
  /** The person's roles at the time of the click. */
  roles: z.array(Role),
  /** The person acts only as a cardholder, so it must be their own card. */
  asHolder: z.boolean(),
  /** The change that an emergency override makes: no approver approved it. */
  isOverride: z.literal(true).optional(),
  origin: Origin,
  /** UTC ISO 8601. */
  askedAt: z.string(),
};
const ofAnyVerb = { ...envelope, verb: z.string(), target: Target };

/**
 * A permitted request of one person: the part that all verbs share. A verb's other fields are in the schema that its
 * capability creates with {@link actionOf}.
 */
export type Action = Readonly<z.infer<z.ZodObject<typeof ofAnyVerb>>>;

/** For stores that keep actions of any verb. The verb's own input is kept unparsed; the verb's capability reads it. */
export const Action: z.ZodType<Action> = z.looseObject(ofAnyVerb);

/** What a button asks for when the person presses it: the action without its id, the time, and the roles of that time. */
export const Choice = z
  .strictObject(ofAnyVerb)
  .pick({ verb: true, target: true, reason: true, actor: true, origin: true })
  .extend({ input: z.record(z.string(), z.unknown()) });
export type Choice = Readonly<z.infer<typeof Choice>>;

export function choiceOf(action: Action): Choice {
  const { verb, target, reason, actor, origin } = action;
  const input = Object.fromEntries(Object.entries(action).filter(([name]) => !Object.hasOwn(ofAnyVerb, name)));
  return { verb, target, reason, actor, origin, input };
}

/** An action of a newer version: just enough to notify the person who asked. Unreadable parts are dropped. */
export const UnreadableAction: z.ZodType<Action> = z.looseObject({
  ...ofAnyVerb,
  roles: envelope.roles.catch([]),
  target: Target.catch({ kind: 'own' }),
});

/** The schema of a verb's actions: the envelope, the target and the verb's own input. */
export function actionOf<V extends string, T extends z.ZodType, Input extends z.ZodRawShape>(
  verb: V,
  on: T,
  input: Input,
) {
  return z.strictObject({ ...envelope, verb: z.literal(verb), target: on, ...input });
}

/** An action whose card is known. */
export interface Resolved<A extends Action = Action> {
  readonly action: A;
  readonly acctId: number;
  /** Null: applies to the account (block, unblock and limits are set on the account). */
  readonly cardId: number | null;
  /** The last four digits that were typed for the card. Absent: it was named by something else. */
  readonly last4?: string;
  /** What was asked for and is not done, for the answer. Absent: nothing. */
  readonly note?: string;
  /** Approved by somebody else, so whoever asked cannot undo it alone. */
  readonly isApproved?: true;
}

/** The last four digits by which somebody named the card, or that they saw when they chose it; null: neither. */
export function digitsNamed({ action, last4 }: Pick<Resolved, 'action' | 'last4'>): string | null {
  return last4 ?? (action.target.kind === 'card' ? action.target.last4 : null) ?? null;
}

/** Without the form of an order, which is kept only until the order is made. */
export function withoutForm<A extends Action>(action: A): A {
  return action.target.kind === 'order' ? { ...action, target: { kind: 'order', sealed: '' } } : action;
}

/** The alert that shows the outcome, if any. */
export function alertIdOf({ target: on }: Pick<Action, 'target'>): string | null {
  return on.kind === 'alert' || on.kind === 'card' ? on.alertId : null;
}

/**
 * Whether the person acted on an alert's own message, which shows the outcome. A copy that only they see does not, nor does
 * a question about the alert.
 */
export function isOnAlert({ target: on, origin }: Pick<Action, 'target' | 'origin'>): boolean {
  return on.kind === 'alert' && origin.messageTs !== null && !origin.replace;
}

/**
 * Whether the alert that a person acted on shows them what a later check finds. Slack notifies nobody of an edited message:
 * in a direct message it would be seen by nobody, in a channel others see it, too.
 */
export function learnsFromAlert(action: Pick<Action, 'target' | 'origin'>): boolean {
  return isOnAlert(action) && !action.origin.channel.startsWith('D');
}

/** The action whose private answer had the pressed button, and is replaced by the answer to this one; null: none. */
export function answerReplacedBy({ target: on, origin }: Pick<Action, 'target' | 'origin'>): string | null {
  if (!origin.replace) return null;
  if (on.kind === 'temporary-change') return on.temporaryChangeId;
  return on.kind === 'action' ? on.actionId : null;
}

/** The id of the request that an action becomes when it needs approval. */
export function requestIdOf(actionId: string): string {
  return `req_${actionId.slice(4)}`;
}
