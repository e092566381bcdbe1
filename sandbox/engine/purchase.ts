import { toCents, toDollars } from '../money.ts';
import { ServiceError } from '../service-error.ts';
import { serviceDay, toServiceTime } from '../service-time.ts';
import type { Account, Card } from '../state/account.ts';
import { categoryOf } from '../state/merchant-category.ts';
import type { Purchase } from '../state/transaction.ts';
import { cardOf, findAccount, indexPurchase, rulesOf, type World } from '../state/world.ts';
import { setCardStatus } from './card-status.ts';
import { type Decline, decide } from './decide-purchase.ts';
import { cardBalances, merchantOf, newPurchaseIds, recordRow, rowOf } from './network-row.ts';
import type { PurchaseAnswer, PurchaseRequest } from './purchase-request.ts';
import { countedPadding, padding } from './purchase-request.ts';
import { returnBalance } from './transfer.ts';

/**
 * A merchant requests a payment: the rules decide. An approved signature purchase is held, an approved PIN purchase is
 * debited immediately, and one webhook is sent.
 */
export function purchase(world: World, request: PurchaseRequest): PurchaseAnswer {
  const { account, card, paddingCents, decline } = decided(world, request);
  const made = newPurchase(world, account, card, request, decline, paddingCents);
  announce(world, made, decline, paddingCents);
  if (card !== undefined) countPin(world, account, card, request, decline);
  return {
    Approved: decline === undefined,
    MessageCode: decline?.code ?? null,
    Message: decline?.message ?? null,
    NetworkTransactionId: made.networkTransactionId,
  };
}

/** Whether a purchase would be approved now. Nothing is made of it, and nobody learns of the question. */
export function wouldApprove(world: World, request: PurchaseRequest): boolean {
  return decided(world, request).decline === undefined;
}

function decided(world: World, request: PurchaseRequest) {
  const account = findAccount(world, request.AcctId);
  if (account === undefined) throw new ServiceError(400, 'Invalid card account ID');
  const card = cardOf(account, request.CardId);
  if (card === undefined && request.CardId !== undefined) throw new ServiceError(400, 'Invalid card ID');

  releaseExpiredHolds(world);
  const paddingCents = padding(world, request);
  return { account, card, paddingCents, decline: decide(world, account, card, request, paddingCents) };
}

function newPurchase(
  world: World,
  account: Account,
  card: Card | undefined,
  request: PurchaseRequest,
  decline: Decline | undefined,
  paddingCents: number,
): Purchase {
  const at = world.now();
  const amountCents = toCents(request.Amount);
  const isPin = request.Pin !== undefined;
  const declined = decline !== undefined;
  const merchant = merchantOf(world, request);
  const { authCode, ...ids } = newPurchaseIds(world);
  return {
    ...ids,
    acctId: account.acctId,
    cardId: card?.cardId ?? 0,
    kind: isPin ? 'Pin' : 'Auth',
    at: at.toISOString(),
    day: serviceDay(at),
    categoryId: categoryOf(merchant.MCCCode).id,
    amountCents,
    authCode: declined ? '' : authCode,
    merchant,
    fromBusinessBalance: rulesOf(world, account).UseBusinessBalanceForAuths,
    declined,
    state: declined ? 'declined' : isPin ? 'debited' : 'held',
    heldCents: declined || isPin ? 0 : amountCents + paddingCents,
    openCents: declined || isPin ? 0 : amountCents,
    countedCents: declined ? 0 : amountCents + (isPin ? 0 : countedPadding(world, paddingCents)),
    holdUntil: declined || isPin ? null : holdEnd(world, at),
    settledAt: !declined && isPin ? at.toISOString() : null,
    postedCents: !declined && isPin ? amountCents : 0,
    refundableCents: !declined && isPin ? amountCents : 0,
  };
}

/** Moves the money and sends the webhook. Its balances are those from before the money moved (see assumptions). */
function announce(world: World, made: Purchase, decline: Decline | undefined, paddingCents: number): void {
  const at = new Date(made.at);
  const before = cardBalances(world, made.acctId);
  world.state.purchases.push(made);
  indexPurchase(world, made);
  moveHeld(world, made, made.heldCents);
  if (made.state === 'debited') moveLedger(world, made, -made.amountCents);
  const balances = world.assume.webhookBalances === 'before' ? before : cardBalances(world, made.acctId);

  const isPin = made.kind === 'Pin';
  const row = rowOf(made, at, balances, {
    NetworkType: made.kind === 'Pin' ? 'Pin' : 'Auth',
    NetworkStatus: decline === undefined ? 'Approved' : 'Declined',
    Description: decline !== undefined ? 'Declined' : isPin ? 'Settlement' : 'Pending',
    TransactionAmount: -toDollars(made.amountCents),
    PaddingAmount: toDollars(paddingCents),
    Message: decline?.message ?? null,
    MessageCode: decline?.code ?? null,
    ...(decline === undefined ? { TransactionId: made.transactionId, HoldTime: isPin ? null : toServiceTime(at) } : {}),
    ...(decline === undefined && isPin ? { SettlementTime: toServiceTime(at) } : {}),
  });
  // The hold is placed while the webhook is on its way, so the webhook has neither its time nor a transaction id.
  recordRow(world, at, row, { TransactionId: null, HoldTime: null, SettlementTime: null });
}

/** Five wrong PINs block the card for fraud. A correct one resets the count. */
function countPin(
  world: World,
  account: Account,
  card: Card,
  request: PurchaseRequest,
  decline: Decline | undefined,
): void {
  if (request.Pin === 'correct' && decline === undefined) card.wrongPins = 0;
  if (decline?.code !== 'decline.card.pin') return;
  card.wrongPins += 1;
  if (card.wrongPins >= world.assume.wrongPinsUntilBlocked && card.status === 'ACTIVE') {
    setCardStatus(world, account, card, 'BLOCKED');
    card.wrongPins = 0;
  }
}

function holdEnd(world: World, at: Date): string {
  return new Date(at.getTime() + (world.assume.holdDays * 86_400_000) / world.timeScale).toISOString();
}

/** Ends holds that no settlement claimed in time: the money is available again, and no webhook is sent. */
export function releaseExpiredHolds(world: World): void {
  const now = world.now().getTime();
  for (const held of world.openHolds.values()) {
    if (held.holdUntil === null || Date.parse(held.holdUntil) > now) continue;
    endHold(world, held, 'released');
    held.countedCents = 0;
    returnBalance(world, held.acctId);
  }
}

/** Releases what a purchase still holds. */
export function endHold(world: World, held: Purchase, state: Purchase['state']): void {
  moveHeld(world, held, -held.heldCents);
  held.heldCents = 0;
  held.holdUntil = null;
  held.state = state;
  world.openHolds.delete(held.networkTransactionId);
}

/** Holds cents (releases them if negative) on the balance that the purchase draws from. */
export function moveHeld(world: World, made: Purchase, cents: number): void {
  const balance = made.fromBusinessBalance ? world.state.business : findAccount(world, made.acctId);
  if (balance !== undefined) balance.heldCents += cents;
}

/** Books cents on the balance that the purchase draws from. */
export function moveLedger(world: World, made: Purchase, cents: number): void {
  const balance = made.fromBusinessBalance ? world.state.business : findAccount(world, made.acctId);
  if (balance !== undefined) balance.ledgerCents += cents;
}
