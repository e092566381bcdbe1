import { z } from 'zod';

/** The remedies that a purchase may need besides another one: those that the card API can make first. */
export const alsoNeededKinds = [
  'raise_limit',
  'allow_international',
  'allow_card_not_present',
  /** A limit of the card's spending ruleset is too small. */
  'ruleset_limit',
  /** The card pays from its own balance, which did not cover the purchase. */
  'balance',
] as const;
export const AlsoNeeds = z.array(z.enum(alsoNeededKinds)).readonly();
export type AlsoNeeds = z.infer<typeof AlsoNeeds>;
