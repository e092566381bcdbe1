import { ServiceError } from '../service-error.ts';
import { currentCard, last4 } from '../state/account.ts';
import type { CardOrder, CardRequest, OrderedCard } from '../state/state.ts';
import { findAccount, takeId, type World } from '../state/world.ts';
import { announceCardStatus } from './card-status.ts';
import { newAccount } from './create-account.ts';
import { processVirtualCard } from './virtual-card.ts';

/** Accepts an order. As in the service, `processOrder` makes the cards a little later. */
export function placeOrder(world: World, requests: readonly CardRequest[], options: { isVirtual: boolean }): CardOrder {
  const order: CardOrder = {
    orderId: takeId(world, 'order'),
    isVirtual: options.isVirtual,
    at: world.now().toISOString(),
    userName: 'program.admin',
    cards: requests.map((request) => ({ acctId: 0, cardId: 0, status: 'pending', request, errors: [], message: '' })),
  };
  world.state.orders.push(order);
  return order;
}

/** Makes the cards of an order that are still pending. Safe to repeat. */
export function processOrder(world: World, orderId: number): void {
  const order = findOrder(world, orderId);
  for (const card of order?.cards ?? []) {
    if (order === undefined || card.status !== 'pending') continue;
    if (order.isVirtual) processVirtualCard(world, order, card);
    else processPhysicalCard(world, order, card);
  }
}

function processPhysicalCard(world: World, order: CardOrder, card: OrderedCard): void {
  const account = newAccount(world, order.orderId, card.request);
  account.groupId = card.request.GroupId;
  account.rulesetId = card.request.RulesetId;
  world.state.accounts.push(account);
  const made = account.cards[0];
  card.acctId = account.acctId;
  card.cardId = made.cardId;
  card.status = 'done';
  announceCardStatus(world, account, made);
}

/** The answer of `POST /simulate/ship`. */
export interface ShipAnswer {
  readonly TrackingNumber: string;
}

/** Cards of an order are embossed and shipped: one webhook for each. */
export function ship(world: World, { CardOrderId }: { CardOrderId: number }): ShipAnswer {
  const order = findOrder(world, CardOrderId);
  if (order === undefined) throw new ServiceError(400, 'Invalid card order ID');
  // Do not wait for the service's queue.
  processOrder(world, CardOrderId);
  const TrackingNumber = `9400111899${String(CardOrderId).padStart(12, '0')}`;
  const plastics = order.cards.filter(({ request, status }) => status === 'done' && !request.VirtualCard);
  if (plastics.length === 0) throw new ServiceError(400, 'The order has no card to ship');
  for (const { acctId, cardId, request } of plastics) {
    const account = findAccount(world, acctId);
    const card = account?.cards.find((each) => each.cardId === cardId) ?? (account && currentCard(account));
    if (account === undefined || card === undefined) continue;
    card.shippedAt = world.now().toISOString();
    const data = {
      AcctId: acctId,
      TransactionType: 'CARDORDER',
      Description: 'Shipped',
      TrackingNumber,
      ShippingMethod: request.ShippingMethod === 'Rush' || request.ShippingMethod === 'Expedited' ? 'FedEx' : 'USPS',
      Last4CardNumber: last4(card),
      CardOrderId,
    };
    world.emit('card-shipping', data, `account-${acctId}`);
  }
  return { TrackingNumber };
}

export function findOrder(world: World, orderId: number): CardOrder | undefined {
  return world.state.orders.find((order) => order.orderId === orderId);
}
