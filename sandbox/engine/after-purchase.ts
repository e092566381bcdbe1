import { toCents, toDollars } from '../money.ts';
import { ServiceError } from '../service-error.ts';
import { serviceDay, toServiceTime } from '../service-time.ts';
import type { Purchase } from '../state/transaction.ts';
import { indexPurchase, takeId, type World } from '../state/world.ts';
import { cardBalances, laterStep, newPurchaseIds, recordRow, referenceTo, rowOf } from './network-row.ts';
import { endHold, moveHeld, moveLedger, releaseExpiredHolds } from './purchase.ts';
import type { FollowUp, FollowUpAnswer } from './purchase-request.ts';
import { returnBalance } from './transfer.ts';

/**
 * The merchant captures an authorization. The amount may differ from the held one (a tip, a partial delivery).
 *
 * An expired hold does not prevent this: networks force these postings.
 */
export function settle(world: World, request: FollowUp): FollowUpAnswer {
  const made = find(world, request);
  const isNext = isNextCapture(world, made, request);
  if (made.kind !== 'Auth' || (made.state !== 'held' && made.state !== 'released' && !isNext)) {
    throw new ServiceError(400, `Transaction cannot be settled: it is ${made.state}`);
  }
  const at = world.now();
  const cents = request.Amount === undefined ? made.openCents : toCents(request.Amount);
  endHold(world, made, 'settled');
  made.openCents = 0;
  moveLedger(world, made, -cents);
  made.countedCents = cents + (isNext ? made.countedCents : 0);
  made.postedCents += cents;
  made.refundableCents += cents;
  made.settledAt = at.toISOString();

  const row = rowOf(made, at, cardBalances(world, made.acctId), {
    ...laterStep(world, made),
    NetworkType: 'Settlement',
    NetworkStatus: null,
    Description: 'Settlement',
    TransactionAmount: -toDollars(cents),
    TransactionId: takeId(world, 'transaction'),
    HoldTime: toServiceTime(new Date(made.at)),
    SettlementTime: toServiceTime(at),
  });
  recordRow(world, at, row);
  returnBalance(world, made.acctId);
  return { NetworkTransactionId: made.networkTransactionId };
}

/** Goods shipped in several parcels are captured in parts. Each further part must state its amount. */
function isNextCapture({ assume }: World, { state }: Purchase, { Amount }: FollowUp): boolean {
  return assume.capturesOfOneAuthorization === 'several' && state === 'settled' && Amount !== undefined;
}

/** The merchant reverses an authorization or a PIN debit, fully or partially. */
export function reverse(world: World, request: FollowUp): FollowUpAnswer {
  const made = find(world, request);
  if (made.state !== 'held' && made.state !== 'debited') {
    throw new ServiceError(400, `Transaction cannot be reversed: it is ${made.state}`);
  }
  const openCents = made.state === 'held' ? made.openCents : made.refundableCents;
  const cents = request.Amount === undefined ? openCents : toCents(request.Amount);
  if (openCents === 0) throw new ServiceError(400, 'Transaction cannot be reversed: it is refunded');
  if (cents > openCents) throw new ServiceError(400, 'Reversal exceeds the transaction');

  const at = world.now();
  const before = cardBalances(world, made.acctId);
  if (made.state === 'held') giveBackHeld(world, made, cents);
  else giveBackDebited(world, made, cents);

  const balances = world.assume.webhookBalances === 'before' ? before : cardBalances(world, made.acctId);
  const row = rowOf(made, at, balances, {
    ...laterStep(world, made),
    NetworkType: 'Reversal',
    NetworkStatus: world.assume.reversalNetworkStatus,
    Description: 'Reversal',
    TransactionAmount: toDollars(cents),
  });
  recordRow(world, at, row);
  returnBalance(world, made.acctId);
  return { NetworkTransactionId: made.networkTransactionId };
}

function giveBackHeld(world: World, made: Purchase, cents: number): void {
  made.openCents -= cents;
  if (made.openCents === 0) {
    // The padding ends with the last of the purchase.
    endHold(world, made, 'reversed');
    made.countedCents = 0;
    return;
  }
  made.countedCents -= cents;
  moveHeld(world, made, -cents);
  made.heldCents -= cents;
}

function giveBackDebited(world: World, made: Purchase, cents: number): void {
  made.countedCents -= cents;
  made.postedCents -= cents;
  moveLedger(world, made, cents);
  made.refundableCents -= cents;
  if (made.refundableCents === 0) made.state = 'reversed';
}

/** A merchant credit for returned goods: a separate settlement with a positive amount. */
export function refund(world: World, request: FollowUp): FollowUpAnswer {
  const made = find(world, request);
  const cents = request.Amount === undefined ? made.refundableCents : toCents(request.Amount);
  if (cents <= 0 || cents > made.refundableCents) {
    throw new ServiceError(400, `Transaction cannot be refunded: ${toDollars(made.refundableCents)} is refundable`);
  }
  const at = world.now();
  made.refundableCents -= cents;
  if (world.assume.refundRestoresLimit) made.countedCents -= cents;

  const { authCode, ...ids } = newPurchaseIds(world);
  const credit: Purchase = {
    ...made,
    ...ids,
    kind: 'Credit',
    at: at.toISOString(),
    day: serviceDay(at),
    amountCents: cents,
    authCode,
    state: 'credited',
    heldCents: 0,
    openCents: 0,
    countedCents: 0,
    holdUntil: null,
    settledAt: at.toISOString(),
    postedCents: cents,
    refundableCents: 0,
  };
  world.state.purchases.push(credit);
  indexPurchase(world, credit);
  moveLedger(world, credit, cents);

  const row = rowOf(credit, at, cardBalances(world, credit.acctId), {
    ...referenceTo(made),
    NetworkType: 'Settlement',
    NetworkStatus: null,
    Description: 'Settlement',
    TransactionAmount: toDollars(cents),
    TransactionId: credit.transactionId,
    SettlementTime: toServiceTime(at),
  });
  recordRow(world, at, row);
  returnBalance(world, made.acctId);
  return { NetworkTransactionId: credit.networkTransactionId };
}

function find(world: World, { NetworkTransactionId }: FollowUp): Purchase {
  releaseExpiredHolds(world);
  const made = world.purchaseById.get(NetworkTransactionId);
  if (made === undefined) throw new ServiceError(400, 'Invalid network transaction ID');
  return made;
}
