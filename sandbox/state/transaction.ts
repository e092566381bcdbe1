/** Row of a network transaction: every field of the specification, in wire form, signs as since Dec 27, 2017. */
export interface NetworkRow {
  NetworkTransactionId: number;
  TransactionId: number | null;
  AcctId: number;
  TransactionTime: string;
  HoldTime: string | null;
  SettlementTime: string | null;
  MerchantLocalTime: string;
  AuthTransactionId: number | null;
  TransactionAmount: number;
  PaddingAmount: number;
  AvailableBalance: number;
  LedgerBalance: number;
  TransactionType: 'NETWORK';
  Description: 'Pending' | 'Reversal' | 'Settlement' | 'Declined';
  TransactionNotes: string | null;
  ReferencedTranId: number | null;
  ReferencedTransactionTime: string | null;
  MerchantName: string;
  MerchantCity: string;
  MerchantState: string;
  MerchantZip: string;
  MerchantCountry: string;
  MCCCode: string;
  AuthIdentityResponseCode: string;
  MerchantId: string;
  TerminalId: string;
  NetworkType: 'Auth' | 'Pin' | 'Settlement' | 'Reversal';
  NetworkStatus: string | null;
  IsCardPresent: boolean;
  Message: string | null;
  MessageCode: string | null;
  MerchantRequestedAmount: number;
}

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

/** One purchase from request to end. `NetworkTransactionId` is shared by all of its rows. */
export interface Purchase {
  readonly networkTransactionId: number;
  readonly transactionId: number;
  readonly acctId: number;
  readonly cardId: number;
  readonly kind: 'Auth' | 'Pin' | 'Credit';
  readonly at: string;
  /** Eastern calendar day of the request: the one that limits count it in. */
  readonly day: string;
  readonly categoryId: number;
  readonly amountCents: number;
  readonly authCode: string;
  readonly merchant: MerchantFields;
  readonly fromBusinessBalance: boolean;
  readonly declined: boolean;
  state: 'held' | 'debited' | 'settled' | 'reversed' | 'released' | 'declined' | 'credited';
  heldCents: number;
  /** What limits count: held, debited or settled, less what was reversed. */
  countedCents: number;
  /** Instant when the hold ends by itself; null when nothing is held. */
  holdUntil: string | null;
  settledAt: string | null;
  /** Settled or debited and not yet given back. */
  refundableCents: number;
}

/** Money moved between the business and a card: shown by the transaction endpoints, never by the network ones. */
export interface Transfer {
  readonly transactionId: number;
  readonly acctId: number;
  readonly at: string;
  readonly amountCents: number;
  readonly description: string;
  readonly category: string;
}
