import type { SpendRules } from './spend-rules.ts';

/** Card states of the specification, spelled as in webhooks. */
export const CARD_STATUSES = ['INACTIVE', 'ACTIVE', 'BLOCKED', 'CLOSED'] as const;
export type CardStatus = (typeof CARD_STATUSES)[number];

/** A postal address as in profiles. */
export interface Address {
  readonly ContactName: string;
  readonly AddressLine1: string;
  readonly AddressLine2: string;
  readonly City: string;
  readonly State: string;
  readonly PostalCode: string;
  readonly Country: string;
}

/** One card of an account. The number and the security code leave the sandbox in only one webhook. */
export interface Card {
  readonly cardId: number;
  readonly cardNumber: string;
  readonly cvv2: string;
  /** Instant, ISO 8601. */
  readonly issuedAt: string;
  /** Calendar day, `YYYY-MM-DD`. */
  readonly expiresOn: string;
  readonly cardOrderId: number;
  status: CardStatus;
  wrongPins: number;
  shippedAt: string | null;
}

/** A card account: one holder, one balance, all cards ever issued to it. */
export interface Account {
  readonly acctId: number;
  readonly accountNumber: string;
  readonly isVirtual: boolean;
  readonly createdAt: string;
  firstName: string;
  lastName: string;
  customId: string | null;
  email: string;
  phone: string;
  dateOfBirth: string;
  profileAddress: Address;
  shippingAddress: Address;
  shippingPhone: string;
  groupId: number | null;
  rulesetId: number | null;
  status: 'OPEN' | 'CLOSED';
  ledgerCents: number;
  /** The part of the ledger held by open authorizations. */
  heldCents: number;
  spendRules: SpendRules;
  readonly cards: [Card, ...Card[]];
}

/** Last four digits of a card. */
export function last4(card: Card): string {
  return card.cardNumber.slice(-4);
}

/** Not closed. The service counts blocked and inactive cards as open. */
export function isOpen(card: Card): boolean {
  return card.status !== 'CLOSED';
}

/**
 * The card that account-level calls refer to: the newest card in use, else the newest inactive one, else the newest.
 *
 * For accounts with several cards, it is not shown which one `PUT /Card/Status` affects.
 */
export function currentCard(account: Account): Card | undefined {
  const newestFirst = [...account.cards].reverse();
  return (
    newestFirst.find((card) => card.status === 'ACTIVE' || card.status === 'BLOCKED') ??
    newestFirst.find((card) => card.status === 'INACTIVE') ??
    newestFirst[0]
  );
}
