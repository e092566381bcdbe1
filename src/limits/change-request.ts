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

const Asking = z.looseObject({
  changeRequest: ChangeRequest.nullish(),
  ask: z.looseObject({ term: Term, amountCents: z.int() }).optional(),
});

/** What an action of any verb asks for: a change request, or what a holder wants to pay. */
const askedIn = (action: object): Partial<z.infer<typeof Asking>> => Asking.safeParse(action).data ?? {};

/**
 * How long an action's change lasts, for the record; null if it has no duration.
 *
 * @param until UTC ISO 8601: when it ends, if that is known. Added unless the words say it.
 */
export function durationOf(action: object, until: string | null = null): string | null {
  const { changeRequest, ask } = askedIn(action);
  const term = (changeRequest ?? ask)?.term;
  if (term === undefined) return null;
  const isCounted = term.kind === 'duration' || term.kind === 'purchase';
  return until !== null && isCounted ? `${termWords(term)}, until ${until}` : termWords(term);
}

/** The rules that an action asks for; null: it asks for none. */
export function changeRequestOf(action: object): ChangeRequest | null {
  return askedIn(action).changeRequest ?? null;
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
  const { changeRequest, ask } = askedIn(action);
  return changeRequest?.payCents ?? ask?.amountCents ?? null;
}
