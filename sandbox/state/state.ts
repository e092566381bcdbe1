import type { Account, Address } from './account.ts';
import type { Ruleset } from './spend-rules.ts';
import type { NetworkRow, Purchase, Transfer } from './transaction.ts';

/** The company that runs the card program. */
interface Business {
  readonly businessAccountId: number;
  readonly name: string;
  status: 'OPEN' | 'CLOSED';
  ledgerCents: number;
  heldCents: number;
}

export interface Group {
  readonly id: number;
  readonly name: string;
}

/** A card in an order. `acctId` is 0 until the card exists. */
export interface OrderedCard {
  acctId: number;
  cardId: number;
  status: 'pending' | 'done' | 'failed';
  readonly request: CardRequest;
  errors: string[];
  message: string;
}

/** An order's data for one card, after validation. */
export interface CardRequest {
  readonly FirstName: string;
  readonly LastName: string;
  readonly DateOfBirth: string;
  readonly Phone: string;
  readonly ShippingPhone: string;
  readonly Email: string;
  readonly ShippingMethod: string;
  readonly ProfileAddress: Address;
  readonly ShippingAddress: Address;
  readonly GroupId: number | null;
  readonly RulesetId: number | null;
  readonly CustomId: string | null;
  readonly VirtualCard: boolean;
  readonly AutoActivation: boolean;
  readonly FundCardAmount: number;
  readonly CardDataWebhookURL: string | null;
}

export interface CardOrder {
  readonly orderId: number;
  readonly isVirtual: boolean;
  readonly at: string;
  readonly userName: string;
  readonly cards: OrderedCard[];
}

/** A row with its creation time and its purchase. */
interface StoredRow {
  readonly at: string;
  readonly row: NetworkRow;
}

/** The complete state of the service: plain JSON, so that it can be saved to a file. */
export interface State {
  readonly business: Business;
  readonly groups: Group[];
  readonly rulesets: Ruleset[];
  readonly accounts: Account[];
  readonly orders: CardOrder[];
  readonly purchases: Purchase[];
  readonly rows: StoredRow[];
  readonly transfers: Transfer[];
  readonly tokens: { token: string; expiresAt: string }[];
  /** Next free number of each kind of id. */
  readonly next: Record<'account' | 'card' | 'order' | 'network' | 'transaction' | 'ruleset' | 'callback', number>;
  remoteDecision: 'approve' | 'decline';
  /** Errors for the next virtual cards, one list per card. */
  readonly virtualErrors: string[][];
}
