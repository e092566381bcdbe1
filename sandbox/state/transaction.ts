import type { z } from 'zod';
import type { NetworkData } from '../webhook/schema.ts';

/** Row of a network transaction, in wire format, with the signs in use since Dec 27, 2017. */
export type NetworkRow = z.infer<typeof NetworkData>;

/** The merchant fields of a row, shared by every step of one purchase. */
export type MerchantFields = Pick<
  NetworkRow,
  | 'MerchantName'
  | 'MerchantCity'
  | 'MerchantState'
  | 'MerchantZip'
  | 'MerchantCountry'
  | 'MCCCode'
  | 'MerchantId'
  | 'TerminalId'
  | 'IsCardPresent'
>;

/** One purchase from request to end. All of its rows share `NetworkTransactionId`. */
export interface Purchase {
  readonly networkTransactionId: number;
  readonly transactionId: number;
  readonly acctId: number;
  readonly cardId: number;
  readonly kind: 'Auth' | 'Pin' | 'Credit';
  readonly at: string;
  /** Eastern calendar day of the request, used for limits. */
  readonly day: string;
  readonly categoryId: number;
  readonly amountCents: number;
  readonly authCode: string;
  readonly merchant: MerchantFields;
  readonly fromBusinessBalance: boolean;
  readonly declined: boolean;
  state: 'held' | 'debited' | 'settled' | 'reversed' | 'released' | 'declined' | 'credited';
  /** What is held, with the padding. */
  heldCents: number;
  /** What an authorization may still capture or reverse, without the padding. An expired hold does not change it. */
  openCents: number;
  /** The amount that counts against limits: held, debited or settled, minus reversals. */
  countedCents: number;
  /** When the hold expires. Null when nothing is held. */
  holdUntil: string | null;
  settledAt: string | null;
  /** What statements show: settled, debited or credited, minus reversals. A refund is a purchase of its own. */
  postedCents: number;
  /** Settled or debited, minus refunds. */
  refundableCents: number;
}

/** Money moved between the business and a card. Shown by the transaction endpoints, never by the network ones. */
export interface Transfer {
  readonly transactionId: number;
  readonly acctId: number;
  readonly at: string;
  readonly amountCents: number;
  readonly description: string;
  readonly category: string;
}
