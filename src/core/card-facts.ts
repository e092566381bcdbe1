import { z } from 'zod';
import { CardStatus } from './event.ts';

/**
 * What the directory knows about a card. Fields are null when the card API could not be asked; the alert then shows
 * ids.
 */
export const CardFacts = z.strictObject({
  acctId: z.int().nullable(),
  cardId: z.int().nullable(),
  last4: z.string().nullable(),
  holder: z.string().nullable(),
  customId: z.string().nullable(),
  isVirtual: z.boolean().nullable(),
  group: z.string().nullable(),
  /**
   * Its status when the directory was read; if it may be one of several cards, the status of all of these. Absent when they
   * differ or are unknown.
   */
  status: CardStatus.optional(),
  /** It was blocked or closed after the decline that the facts are about. */
  isStatusLater: z.literal(true).optional(),
  /** The spending ruleset that the card follows, with its name if known. Null or absent: the card has its own rules. */
  ruleset: z.strictObject({ id: z.int(), name: z.string().nullable(), mayOverrule: z.boolean() }).nullish(),
});
export type CardFacts = z.infer<typeof CardFacts>;

/** What the words for a decline depend on. */
export type DeclinedCard = {
  readonly [Name in 'status' | 'isStatusLater' | 'isVirtual']?: CardFacts[Name] | undefined;
};

/** Only these facts, to be kept with a decline. */
export function declinedCard({ status, isStatusLater, isVirtual }: DeclinedCard): DeclinedCard {
  return { status, isStatusLater, isVirtual };
}

/** No card: it is not known, does not exist yet, or there are several. */
export const noCard: CardFacts = {
  acctId: null,
  cardId: null,
  last4: null,
  holder: null,
  customId: null,
  isVirtual: null,
  group: null,
};
