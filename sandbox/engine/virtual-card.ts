import { toCents, toDollars } from '../money.ts';
import { midnight, toServiceTimeMs } from '../service-time.ts';
import { type Account, currentCard } from '../state/account.ts';
import type { CardOrder, OrderedCard } from '../state/state.ts';
import { availableCents, type World } from '../state/world.ts';
import { activate, announceCardStatus } from './card-status.ts';
import { newAccount } from './create-account.ts';
import { recordTransfer } from './transfer.ts';

/** What can go wrong with a virtual card, as listed in `Errors`. */
export const VIRTUAL_ERRORS = ['Card', 'Group', 'Ruleset', 'Activation', 'Funding'] as const;
export type VirtualError = (typeof VIRTUAL_ERRORS)[number];

/**
 * Makes a virtual card: create, group, ruleset, activation, funding.
 *
 * Each step may fail on its own (requested by the sandbox's user, or because the business lacks the money). The order's
 * webhook lists the failed steps. If the card itself fails, nothing else is tried.
 */
export function processVirtualCard(world: World, order: CardOrder, card: OrderedCard): void {
  const planned = world.state.virtualErrors.shift() ?? [];
  if (planned.includes('Card')) {
    card.status = 'failed';
    card.errors = ['Card'];
    card.message = 'Failed: Card Creation';
    emitVirtualCard(world, order, card, undefined);
    return;
  }
  const account = newAccount(world, order.orderId, card.request);
  world.state.accounts.push(account);
  card.acctId = account.acctId;
  card.cardId = account.cards[0].cardId;
  card.status = 'done';
  if (world.assume.virtualCardSendsCardStatus) announceCardStatus(world, account, account.cards[0]);

  card.errors = VIRTUAL_ERRORS.filter((step) => planned.includes(step) || !runStep(world, account, card, step));
  card.message = card.errors.length === 0 ? world.assume.virtualCardMessage : failureMessage(card.errors);
  emitVirtualCard(world, order, card, account);
}

/** Runs a step after the creation. False when it fails. */
function runStep(world: World, account: Account, { request }: OrderedCard, step: VirtualError): boolean {
  switch (step) {
    case 'Card':
      return true;
    case 'Group':
      account.groupId = request.GroupId;
      return true;
    case 'Ruleset':
      account.rulesetId = request.RulesetId;
      return request.RulesetId === null || world.state.rulesets.some(({ id }) => id === request.RulesetId);
    case 'Activation':
      if (request.AutoActivation) activate(world, account, undefined, true);
      return true;
    case 'Funding':
      return fund(world, account, toCents(request.FundCardAmount));
  }
}

function fund(world: World, account: Account, cents: number): boolean {
  const { business } = world.state;
  if (cents > availableCents(business)) return false;
  if (cents === 0) return true;
  business.ledgerCents -= cents;
  account.ledgerCents += cents;
  recordTransfer(world, account.acctId, cents, 'Card funding');
  return true;
}

function failureMessage(errors: readonly string[]): string {
  const names: Record<string, string> = { Group: 'Set Group', Ruleset: 'Set Ruleset' };
  return `Failed: ${errors.map((error) => names[error] ?? error).join(', ')}`;
}

function emitVirtualCard(world: World, order: CardOrder, card: OrderedCard, account: Account | undefined): void {
  const data = { ...virtualCardData(world, order, card, account), Errors: card.errors, Message: card.message };
  world.emit('virtual-card', data, `account-${card.acctId}`, card.request.CardDataWebhookURL ?? undefined);
}

/** Sends the sensitive data again. `Errors` and `Message` only concern the order, so they are empty now. */
export function resendVirtualCard(world: World, account: Account, url?: string): boolean {
  const order = world.state.orders.find((each) => each.cards.some(({ acctId }) => acctId === account.acctId));
  const card = order?.cards.find(({ acctId }) => acctId === account.acctId);
  if (order === undefined || card === undefined || currentCard(account) === undefined) return false;
  const data = { ...virtualCardData(world, order, card, account), Errors: [], Message: '' };
  world.emit('virtual-card', data, `account-${account.acctId}`, url ?? card.request.CardDataWebhookURL ?? undefined);
  return true;
}

function virtualCardData(world: World, order: CardOrder, ordered: OrderedCard, account: Account | undefined): object {
  const card = account && currentCard(account);
  return {
    AccountId: ordered.acctId,
    AccountNumber: account?.accountNumber ?? '',
    FirstName: ordered.request.FirstName,
    LastName: ordered.request.LastName,
    CardNumber: card?.cardNumber ?? '',
    ExpirationDate: card === undefined ? null : midnight(card.expiresOn),
    CVV2: card?.cvv2 ?? '',
    Status: world.assume.virtualCardStatus[card?.status ?? 'INACTIVE'],
    Balance: account === undefined ? 0 : toDollars(availableCents(account)),
    VirtualCardOrderId: order.orderId,
    OrderDateTime: toServiceTimeMs(new Date(order.at)),
  };
}
