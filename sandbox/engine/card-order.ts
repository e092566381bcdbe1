import { ServiceError } from '../service-error.ts';
import { last4 } from '../state/account.ts';
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

/** Cards of an order are embossed and shipped: one webhook for each. */
export function ship(world: World, { CardOrderId }: { CardOrderId: number }) {
  const order = findOrder(world, CardOrderId);
  if (order === undefined) throw new ServiceError(400, 'Invalid card order ID');
  // Do not wait for the service's queue.
  processOrder(world, CardOrderId);
  const plastics = order.cards.filter(({ request, status }) => status === 'done' && !request.VirtualCard);
  const [first] = plastics;
  if (first === undefined) throw new ServiceError(400, 'The order has no card to ship');
  for (const { acctId, cardId, request } of plastics) {
    const account = findAccount(world, acctId);
    const card = account?.cards.find((each) => each.cardId === cardId);
    if (card === undefined) continue;
    card.shippedAt = world.now().toISOString();
    const carrier = carrierOf(request);
    const data = {
      AcctId: acctId,
      TransactionType: 'CARDORDER',
      Description: 'Shipped',
      TrackingNumber: trackingNumber(carrier, CardOrderId),
      ShippingMethod: carrier,
      Last4CardNumber: last4(card),
      CardOrderId,
    };
    world.emit('card-shipping', data, `account-${acctId}`);
  }
  return { TrackingNumber: trackingNumber(carrierOf(first.request), CardOrderId) };
}

type Carrier = 'FedEx' | 'USPS';

function carrierOf({ ShippingMethod }: CardRequest): Carrier {
  return ShippingMethod === 'Rush' || ShippingMethod === 'Expedited' ? 'FedEx' : 'USPS';
}

/** A number in the carrier's own form: the cards of an order that go the same way are in one parcel. */
function trackingNumber(carrier: Carrier, orderId: number): string {
  if (carrier === 'USPS') return `9400111899${String(orderId).padStart(12, '0')}`;
  const digits = `774${String(orderId).slice(-8).padStart(8, '0')}`;
  // The weights 1, 3, 7 apply from the right.
  const sum = Array.from(digits).reduce((total, digit, at) => total + Number(digit) * ([3, 1, 7][at % 3] ?? 0), 0);
  return `${digits}${(sum % 11) % 10}`;
}

export function findOrder(world: World, orderId: number): CardOrder | undefined {
  return world.state.orders.find((order) => order.orderId === orderId);
}
