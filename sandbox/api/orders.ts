import { z } from 'zod';
import { findOrder, placeOrder, processOrder } from '../engine/card-order.ts';
import { invalidRequest, ServiceError } from '../service-error.ts';
import { midnight, toServiceTime } from '../service-time.ts';
import type { CardOrder, CardRequest, OrderedCard } from '../state/state.ts';
import { findAccount, type World } from '../state/world.ts';
import { LocalTime } from '../webhook/schema.ts';
import { fromPhysical, PhysicalCardRequest, shippingMethod } from './card-request.ts';
import { bodyOf, DateRangeQuery, dateRangeOf, idOf, isWithin } from './request-parts.ts';
import { Address, id, maybeText, maybeTime, ordered } from './response-parts.ts';
import { type ApiAnswer, type ApiRequest, ok, type Route } from './route.ts';

const OrderPlaced = z.strictObject({ CardOrderId: id });
const OrderList = z.strictObject({
  CardOrders: z.array(
    z.strictObject({
      CardOrderId: id,
      OrderDateTime: LocalTime,
      UserName: z.string(),
      BusinessAdminId: z.null(),
      BusinessAccountId: id,
      NumberOfCards: z.int(),
    }),
  ),
});
const CardOrderView = z.strictObject({
  CardOrderId: id,
  OrderDateTime: LocalTime,
  UserName: z.string(),
  BusinessAccountId: id,
  Cards: z.array(
    z.strictObject({
      ...ordered,
      MiddleName: z.string(),
      HomePhone: z.string(),
      MobilePhone: z.string(),
      ShippingAddress: Address,
      Recipient: z.string(),
      ShipToShippingAddress: z.boolean(),
      ShippingContactNumber: z.string(),
      BundleCards: z.boolean(),
      ShippingMethod: z.string(),
      ShippingDate: maybeTime,
      Errors: z.array(z.strictObject({ Code: z.string(), Message: z.string() })),
      FailReason: maybeText,
      SpendingRulesetId: id,
      GroupId: id,
      CustomId: maybeText,
      IsVirtual: z.boolean(),
    }),
  ),
});

/** Cards of one order. A single card may come without a list around it. */
const OrderRequest = z.object({ Cards: z.array(PhysicalCardRequest).min(1) }).or(PhysicalCardRequest);

/** Card orders. */
export const orderRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/Card/CreateAsync',
    does: 'Orders cards, which are made a little later',
    request: OrderRequest,
    response: OrderPlaced,
    status: 201,
    answer: createAsync,
  },
  {
    method: 'POST',
    path: '/Card/CreateSync',
    does: 'Orders cards and makes them immediately',
    request: OrderRequest,
    response: CardOrderView.or(OrderPlaced),
    status: 201,
    answer: createSync,
  },
  {
    method: 'GET',
    path: '/Card/CardOrder',
    does: 'Card orders in a period',
    query: DateRangeQuery.partial(),
    response: OrderList,
    answer: listOrders,
  },
  { method: 'GET', path: '/Card/CardOrder/{Id}', does: 'One card order', response: CardOrderView, answer: getOrder },
];

function createAsync({ world, body }: ApiRequest): ApiAnswer {
  const order = placeOrder(world, requestsOf(world, body), { isVirtual: false });
  world.later('process-order', { orderId: order.orderId }, world.assume.orderProcessingSeconds);
  return { status: 201, body: { CardOrderId: order.orderId } };
}

function createSync({ world, body }: ApiRequest): ApiAnswer {
  const order = placeOrder(world, requestsOf(world, body), { isVirtual: false });
  processOrder(world, order.orderId);
  return {
    status: 201,
    body: world.assume.createSyncAnswersOrder ? orderView(world, order) : { CardOrderId: order.orderId },
  };
}

function requestsOf(world: World, body: unknown): CardRequest[] {
  const schema = z.object({ Cards: z.array(PhysicalCardRequest).min(1).max(world.assume.cardsPerOrderMax) });
  // A single card may come without a list around it.
  const single = typeof body === 'object' && body !== null && 'FirstName' in body;
  const { Cards } = bodyOf(schema, single ? { Cards: [body] } : body);
  return Cards.map((card) => {
    const method = shippingMethod(card.ShippingMethod);
    if (method === undefined) throw new ServiceError(400, 'Invalid shipping method');
    assertKnown(world, card);
    return fromPhysical(card, method);
  });
}

/** @throws ServiceError 400 when an order names a group or a ruleset that does not exist. */
export function assertKnown(
  world: World,
  card: { readonly GroupId?: number | null | undefined; readonly RulesetId?: number | null | undefined },
): void {
  if (card.GroupId != null && !world.state.groups.some(({ id }) => id === card.GroupId))
    throw invalidRequest('Unknown GroupId.');
  if (card.RulesetId != null && !world.state.rulesets.some(({ id }) => id === card.RulesetId))
    throw invalidRequest('Unknown RulesetId.');
}

function listOrders({ world, query }: ApiRequest): ApiAnswer {
  const range = dateRangeOf(world, query, false);
  const orders = world.state.orders.filter(({ at, isVirtual }) => !isVirtual && isWithin(range, new Date(at)));
  return ok({
    CardOrders: orders.map((order) => ({
      CardOrderId: order.orderId,
      OrderDateTime: toServiceTime(new Date(order.at)),
      UserName: order.userName,
      BusinessAdminId: null,
      BusinessAccountId: world.state.business.businessAccountId,
      NumberOfCards: order.cards.length,
    })),
  });
}

function getOrder({ world, params }: ApiRequest): ApiAnswer {
  const order = findOrder(world, idOf(params[0]));
  if (order === undefined) throw new ServiceError(403, 'Order belongs to another business');
  return ok(orderView(world, order));
}

function orderView(world: World, order: CardOrder): z.infer<typeof CardOrderView> {
  return {
    CardOrderId: order.orderId,
    OrderDateTime: toServiceTime(new Date(order.at)),
    UserName: order.userName,
    BusinessAccountId: world.state.business.businessAccountId,
    Cards: order.cards.map((card) => orderedCardView(world, card)),
  };
}

function orderedCardView(world: World, { acctId, cardId, status, request, errors, message }: OrderedCard) {
  const account = findAccount(world, acctId);
  const card = account?.cards.find((each) => each.cardId === cardId);
  return {
    AcctId: acctId,
    Status: world.assume.cardOrderStatus[status],
    FirstName: request.FirstName,
    MiddleName: '',
    LastName: request.LastName,
    DateOfBirth: midnight(request.DateOfBirth),
    HomePhone: request.Phone,
    MobilePhone: '',
    Email: request.Email,
    HomeAddress: request.ProfileAddress,
    ShippingAddress: request.ShippingAddress,
    Recipient: request.ShippingAddress.ContactName,
    ShipToShippingAddress: true,
    ShippingContactNumber: request.ShippingPhone,
    BundleCards: false,
    ShippingMethod: request.ShippingMethod,
    ShippingDate: card?.shippedAt == null ? null : toServiceTime(new Date(card.shippedAt)),
    Errors: errors.map((error) => ({ Code: error, Message: message })),
    FailReason: status === 'failed' ? message : null,
    AccountNumber: account?.accountNumber ?? null,
    SpendingRulesetId: request.RulesetId ?? 0,
    GroupId: request.GroupId ?? 0,
    CustomId: account?.customId ?? request.CustomId,
    IsVirtual: request.VirtualCard,
  };
}
