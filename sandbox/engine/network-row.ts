import { createHash } from 'node:crypto';
import { toServiceTime } from '../service-time.ts';
import type { MerchantFields, NetworkRow, Purchase } from '../state/transaction.ts';
import { balancesOf, findAccount, takeId, type World } from '../state/world.ts';
import type { WebhookKind } from '../webhook/kind.ts';
import type { PurchaseRequest } from './purchase-request.ts';

/** Balances of a card account as a row shows them. */
export function cardBalances(world: World, acctId: number): ReturnType<typeof balancesOf> {
  return balancesOf(findAccount(world, acctId) ?? { ledgerCents: 0, heldCents: 0 });
}

/** The merchant side of a request, with defaults that look like a real terminal's. */
export function merchantOf(world: World, request: PurchaseRequest): MerchantFields {
  const isPin = request.Pin !== undefined;
  // PIN networks omit the city, and abroad we do not invent one.
  const country = request.MerchantCountry ?? 'US';
  const hasPlace = !isPin && country === 'US';
  return {
    MerchantName: request.MerchantName ?? 'CORNER DINER',
    MerchantCity: request.MerchantCity ?? (hasPlace ? 'FORT WORTH' : ''),
    MerchantState: request.MerchantState ?? (hasPlace ? 'TX' : ''),
    MerchantZip: (request.MerchantZip ?? '760009874').padEnd(9, ' '),
    MerchantCountry: country,
    MCCCode: request.MCCCode ?? world.assume.defaultMcc,
    MerchantId: request.MerchantId ?? merchantIdOf(request.MerchantName),
    TerminalId: isPin ? '12313123' : '6548526 ',
    IsCardPresent: request.IsCardPresent ?? true,
  };
}

/** Twelve digits, the same for the same name: shops with different names are different merchants. */
function merchantIdOf(name: string | undefined): string {
  if (name === undefined) return '445301978521';
  const digits = BigInt(`0x${createHash('sha256').update(name).digest('hex')}`) % 1_000_000_000n;
  return `445${String(digits).padStart(9, '0')}`;
}

type RowFields = Pick<NetworkRow, 'NetworkType' | 'NetworkStatus' | 'Description' | 'TransactionAmount'> &
  Partial<NetworkRow>;

/** A row of a purchase: the fields that all of its rows share, and the given ones. */
export function rowOf(
  purchase: Purchase,
  at: Date,
  balances: ReturnType<typeof balancesOf>,
  fields: RowFields,
): NetworkRow {
  const local = toServiceTime(at);
  return {
    NetworkTransactionId: purchase.networkTransactionId,
    TransactionId: null,
    AcctId: purchase.acctId,
    TransactionTime: local,
    HoldTime: null,
    SettlementTime: null,
    MerchantLocalTime: local,
    AuthTransactionId: null,
    PaddingAmount: 0,
    ...balances,
    TransactionType: 'NETWORK',
    TransactionNotes: null,
    ReferencedTranId: null,
    ReferencedTransactionTime: null,
    ...purchase.merchant,
    AuthIdentityResponseCode: purchase.authCode,
    Message: null,
    MessageCode: null,
    MerchantRequestedAmount: fields.TransactionAmount,
    ...fields,
  };
}

/** Fields that point back to the authorization or debit of a purchase. */
export function referenceTo(purchase: Purchase): Partial<NetworkRow> {
  return {
    AuthTransactionId: purchase.transactionId,
    ReferencedTranId: purchase.transactionId,
    ReferencedTransactionTime: toServiceTime(new Date(purchase.at)),
  };
}

/**
 * Fields of a settlement or reversal that come from its authorization: the reference, and the meaning of
 * TransactionTime.
 */
export function laterStep(world: World, purchase: Purchase): Partial<NetworkRow> {
  const requestedAt = toServiceTime(new Date(purchase.at));
  return {
    ...referenceTo(purchase),
    ...(world.assume.transactionTime === 'request' ? { TransactionTime: requestedAt } : {}),
  };
}

/** Stores a row for the API and sends its webhook. */
export function recordRow(world: World, at: Date, row: NetworkRow, webhook: Partial<NetworkRow> = {}): void {
  const kind = kindOf(row);
  const { MerchantRequestedAmount: _requested, ...withoutRequested } = row;
  const isRequestedTold = kind !== 'authorization' || world.assume.requestedAmountOfAuthorizations;
  const told = isRequestedTold ? row : withoutRequested;
  world.state.rows.push({ at: at.toISOString(), row });
  world.emit(kind, { ...told, ...webhook }, `network-${row.NetworkTransactionId}`);
}

/** A webhook's kind, by the specification's rule: status first, then type. */
function kindOf(row: Pick<NetworkRow, 'NetworkType' | 'NetworkStatus'>): WebhookKind {
  if (row.NetworkStatus === 'Declined') return 'decline';
  switch (row.NetworkType) {
    case 'Auth':
      return 'authorization';
    case 'Pin':
      return 'pin';
    case 'Settlement':
      return 'settlement';
    case 'Reversal':
      return 'reversal';
  }
}

/** Ids and the six-digit approval code, the same on every run. */
export function newPurchaseIds(world: World): {
  networkTransactionId: number;
  transactionId: number;
  authCode: string;
} {
  const networkTransactionId = takeId(world, 'network');
  return {
    networkTransactionId,
    transactionId: takeId(world, 'transaction'),
    authCode: String((networkTransactionId * 48_271) % 1_000_000).padStart(6, '0'),
  };
}
