import { z } from 'zod';
import { AnyRecord, Id, OwnText, rowsOf, Text } from './schema.ts';

/** Answer to an order of plastic cards. */
export const CardOrderPlaced = z.object({ CardOrderId: Id }).transform((order) => ({ cardOrderId: order.CardOrderId }));
export type CardOrderPlaced = z.infer<typeof CardOrderPlaced>;

const OrderedCard = z
  .object({
    AcctId: Id.nullish(),
    Status: z.union([z.string(), z.number()]).nullish(),
    FirstName: Text,
    LastName: Text,
    CustomId: OwnText,
    ShippingMethod: z.union([z.string(), z.number()]).nullish(),
    Errors: z.array(z.object({ Message: Text })).nullish(),
    FailReason: Text,
  })
  .transform((card) => ({
    /** Null while the account does not exist yet. */
    acctId: card.AcctId === 0 ? null : (card.AcctId ?? null),
    status: card.Status === null || card.Status === undefined ? null : String(card.Status),
    firstName: card.FirstName,
    lastName: card.LastName,
    customId: card.CustomId,
    shippingMethod:
      card.ShippingMethod === null || card.ShippingMethod === undefined ? null : String(card.ShippingMethod),
    problems: [card.FailReason, ...(card.Errors ?? []).map((error) => error.Message)].filter((text) => text !== null),
  }));
export type OrderedCard = z.infer<typeof OrderedCard>;

/** An order of cards. Addresses, telephone numbers and dates of birth are not read. */
export const CardOrder = z
  .object({
    CardOrderId: Id,
    OrderDateTime: Text,
    Cards: z.preprocess((cards) => cards ?? [], rowsOf(OrderedCard)),
  })
  .transform((order) => ({ cardOrderId: order.CardOrderId, orderedAt: order.OrderDateTime, cards: order.Cards }));
export type CardOrder = z.infer<typeof CardOrder>;

/** Answer to an order of virtual cards; the card itself follows as a webhook. */
export const VirtualCardOrderPlaced = z
  .object({ VirtualCardOrderId: Id, NumberOfCardsRequested: z.int().nullish() })
  .transform((order) => ({
    virtualCardOrderId: order.VirtualCardOrderId,
    cards: order.NumberOfCardsRequested ?? null,
  }));
export type VirtualCardOrderPlaced = z.infer<typeof VirtualCardOrderPlaced>;

/**
 * Transactions, row by row as the service sent them: the network ones have the fields of the webhooks and go through
 * the same redaction.
 */
export const TransactionRows = z
  .object({
    TransactionList: z.preprocess((rows) => rows ?? [], rowsOf(AnyRecord)),
    Pages: z.object({ NumberOfPages: z.number().nullish(), LastTimeRetrieved: Text }).nullish(),
  })
  .transform((answer) => ({
    rows: answer.TransactionList,
    /** Where to start the next question (the service's own time, as sent); null when this was all. Its first row repeats. */
    next: (answer.Pages?.NumberOfPages ?? 1) > 1 ? (answer.Pages?.LastTimeRetrieved ?? null) : null,
  }));
export type TransactionRows = z.infer<typeof TransactionRows>;
