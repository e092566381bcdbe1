import { z } from 'zod';
import { Since } from '../core/since.ts';
import { Role } from '../policy/decide-action.ts';

const AlertTarget = z.strictObject({ kind: z.literal('alert'), alertId: z.string() });
const WordsTarget = z.strictObject({ kind: z.literal('words'), words: z.array(z.string()).min(1) });

/** What an action is about. Each verb takes some of these. */
export const target = {
  alert: AlertTarget,
  /** A card by the words that a person typed, by an alert, by its ids, or as the only one that the person holds. */
  card: z.discriminatedUnion('kind', [
    AlertTarget,
    WordsTarget,
    z.strictObject({
      kind: z.literal('card'),
      acctId: z.int(),
      cardId: z.int().nullable(),
      /** The alert that it was asked from, before it was clear which card is meant. */
      alertId: z.string().nullable(),
    }),
    z.strictObject({ kind: z.literal('own') }),
  ]),
  /** A virtual card to be ordered, sealed: whoever reads Redis must not read whose it is. */
  order: z.strictObject({ kind: z.literal('order'), sealed: z.string() }),
  request: z.strictObject({
    kind: z.literal('request'),
    requestId: z.string(),
    /** Which of its revisions the person saw; left out: as it was asked for. */
    revision: z.int().nonnegative().optional(),
  }),
  claim: z.strictObject({
    kind: z.literal('claim'),
    claimId: z.string(),
    /** Which of the accounts that it can mean; null when it is refused. */
    choice: z.int().nonnegative().nullable(),
    /** Who held the card when the person saw it, as an opaque id; left out: nobody. */
    seenHolder: z.string().optional(),
  }),
  since: z.strictObject({ kind: z.literal('since'), since: Since }),
  /** The channel where it was typed, and what was typed after the verb. */
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
  /** The message with the button, if there is one. */
  messageTs: z.string().nullable(),
  /** Slack's `response_url`, sealed: whoever has it can write to the channel for 30 minutes. */
  reply: z.string().nullable(),
  /** The answer takes the place of the question that was answered ("Which card?"). */
  replace: z.boolean(),
  /** An open form that shows the answer as long as nobody closes it. */
  view: z.strictObject({ viewId: z.string(), hash: z.string() }).optional(),
});
export type Origin = z.infer<typeof Origin>;

/** What every action has, whatever is asked for. */
const envelope = {
  id: z.string().regex(/^act_[0-9a-z]+$/),
  /** What the person gave as reason, masked. */
  reason: z.string(),
  actor: z.strictObject({ userId: z.string(), teamId: z.string() }),
  /** The roles that the person had at the moment of the click. */
  roles: z.array(Role),
  /** The person may do it as a card's holder only: then it has to be the own card. */
  asHolder: z.boolean(),
  origin: Origin,
  /** UTC ISO 8601. */
  askedAt: z.string(),
};

/**
 * Something that a person asked for and may do, as far as it is the same for every verb. What a verb takes besides is in
 * the schema that its capability makes with {@link actionOf}.
 */
export interface Action {
  readonly id: string;
  readonly verb: string;
  readonly target: Target;
  readonly reason: string;
  readonly actor: { readonly userId: string; readonly teamId: string };
  readonly roles: Role[];
  readonly asHolder: boolean;
  readonly origin: Origin;
  readonly askedAt: string;
}

/** For stores that keep actions of any verb: the verb's own input is kept, and read by whoever knows the verb. */
export const Action: z.ZodType<Action> = z.looseObject({ ...envelope, verb: z.string(), target: Target });

/** An action of a newer version, as far as it takes to say so to who asked: what cannot be read is left out. */
export const UnreadableAction: z.ZodType<Action> = z.looseObject({
  ...envelope,
  roles: envelope.roles.catch([]),
  verb: z.string(),
  target: Target.catch({ kind: 'own' }),
});

/** The schema of a verb's actions: the envelope, what it is about, and the verb's own input. */
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
  /** Null: the account decides (block, unblock and limits are the account's). */
  readonly cardId: number | null;
}

/** The alert on which the outcome is shown, if there is one. */
export function alertIdOf({ target: on }: Pick<Action, 'target'>): string | null {
  return on.kind === 'alert' || on.kind === 'card' ? on.alertId : null;
}

/** The request that an action becomes when it takes others. */
export function requestIdOf(actionId: string): string {
  return `req_${actionId.slice(4)}`;
}
