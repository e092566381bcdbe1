import { z } from 'zod';
import { RuleGoals, Term } from '../card-api/rule-change.ts';
import { AlsoNeeds } from '../core/also-needs.ts';
import { termWords } from './term.ts';

/** The requested rules of a card, and for how long. */
export const ChangeRequest = z.strictObject({
  goals: RuleGoals,
  term: Term,
  /** What the holder asked to pay, in whole cents. */
  payCents: z.int().positive().optional(),
  /** The limits as the form showed them: whoever submits it has decided about a raise from there. Absent: none was shown. */
  shown: RuleGoals.optional(),
  /** What else the purchase needed when it was last looked at. */
  alsoNeeds: AlsoNeeds.optional(),
});
export type ChangeRequest = z.infer<typeof ChangeRequest>;

const Asked = z.looseObject({ term: Term, payCents: z.int().optional(), amountCents: z.int().optional() });
const Asking = z.looseObject({ changeRequest: Asked.nullish(), ask: Asked.optional() });

/** What an action of any verb asks for: a change request, or what a holder wants to pay. */
function askedOf(action: object): z.infer<typeof Asked> | undefined {
  const { data } = Asking.safeParse(action);
  return data?.changeRequest ?? data?.ask;
}

/**
 * How long an action's change lasts, for the record; null if it has no duration.
 *
 * @param until UTC ISO 8601: when it ends, if that is known. Added unless the words say it.
 */
export function durationOf(action: object, until: string | null = null): string | null {
  const term = askedOf(action)?.term;
  if (term === undefined) return null;
  const isCounted = term.kind === 'duration' || term.kind === 'purchase';
  return until !== null && isCounted ? `${termWords(term)}, until ${until}` : termWords(term);
}

const Requesting = z.looseObject({ changeRequest: ChangeRequest });

/** The rules that an action asks for; null: it asks for none. */
export function changeRequestOf(action: object): ChangeRequest | null {
  return Requesting.safeParse(action).data?.changeRequest ?? null;
}

/**
 * What the purchase that an action is for may cost, in whole cents: what was declined, or what its holder asked to pay if
 * that is more. Null: nobody knows, because it is for no purchase, or for one whose card was only checked, for $0.00. The
 * shop charges any amount after that.
 */
export function purchaseCents(action: object, declined: { readonly amountCents: number } | null): number | null {
  if (declined === null) return null;
  return Math.max(declined.amountCents, askedCents(action) ?? 0) || null;
}

/** What its holder asked to pay, in whole cents; null: it is not asked for by a holder. */
export function askedCents(action: object): number | null {
  const asked = askedOf(action);
  return asked?.payCents ?? asked?.amountCents ?? null;
}
