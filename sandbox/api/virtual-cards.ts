import { z } from 'zod';
import { findOrder, placeOrder } from '../engine/card-order.ts';
import { resendVirtualCard } from '../engine/virtual-card.ts';
import { invalidRequest, ServiceError } from '../service-error.ts';
import { midnight, toServiceTimeMs } from '../service-time.ts';
import { findAccount, type World } from '../state/world.ts';
import { LocalTime } from '../webhook/schema.ts';
import { CardDataWebhookURL, fromVirtual, VirtualCardRequest } from './card-request.ts';
import { assertKnown } from './orders.ts';
import { bodyOf, idOf } from './request-parts.ts';
import { dollars, Empty, id, maybeId, maybeText, ordered } from './response-parts.ts';
import { type ApiAnswer, type ApiOptions, type ApiRequest, ok, type Route } from './route.ts';

const VirtualOrderPlaced = z.strictObject({ VirtualCardOrderId: id, NumberOfCardsRequested: z.int() });
const VirtualOrder = z.strictObject({
  CardOrderId: id,
  OrderDateTime: LocalTime,
  UserName: z.string(),
  Cards: z.array(
    z.strictObject({
      ...ordered,
      RequestId: id,
      Phone: z.string(),
      GroupId: maybeId,
      SpendingRulesetsId: maybeId,
      AutoActivation: z.boolean(),
      FundCardAmount: dollars,
      CardDataWebhookURL: maybeText,
      Errors: z.array(z.string()),
      ErrorMessage: maybeText,
    }),
  ),
});

const OrderRequest = z.object({ VirtualCards: z.array(VirtualCardRequest).min(1) });
const DataRequest = z.strictObject({ AcctId: z.int().positive(), CardDataWebhookURL });

/** Virtual cards: orders, and resends of their webhooks' data. */
export const virtualCardRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/VirtualCard/Order',
    does: 'Orders virtual cards; their data follows as a webhook',
    request: OrderRequest,
    response: VirtualOrderPlaced,
    answer: order,
  },
  {
    method: 'GET',
    path: '/VirtualCard/Order/{Id}',
    does: 'One order of virtual cards',
    response: VirtualOrder,
    answer: getOrder,
  },
  {
    method: 'POST',
    path: '/VirtualCard/Data',
    does: 'Sends the data of a virtual card again',
    request: DataRequest,
    response: Empty,
    answer: resend,
  },
];

function order({ world, body, options }: ApiRequest): ApiAnswer {
  const schema = z.object({ VirtualCards: z.array(VirtualCardRequest).min(1).max(world.assume.cardsPerOrderMax) });
  const { VirtualCards } = bodyOf(schema, body);
  if (world.assume.virtualOrderNeedsWebhook && options.urlOfVirtualCard === undefined)
    throw new ServiceError(403, 'Webhook is not registered');
  for (const card of VirtualCards) {
    assertKnown(world, card);
    assertRegisteredHost(card.CardDataWebhookURL, options);
    if (card.FundCardAmount > world.assume.virtualFundingMax)
      throw invalidRequest('FundCardAmount exceeds the maximum card balance.');
  }
  const placed = placeOrder(world, VirtualCards.map(fromVirtual), { isVirtual: true });
  world.later('process-order', { orderId: placed.orderId }, world.assume.orderProcessingSeconds);
  return ok({ VirtualCardOrderId: placed.orderId, NumberOfCardsRequested: placed.cards.length });
}

/** Card data goes only to the registered host. */
function assertRegisteredHost(url: string | null | undefined, options: ApiOptions): void {
  if (url == null) return;
  const registered = options.urlOfVirtualCard;
  if (registered === undefined || new URL(registered).host !== new URL(url).host) {
    throw invalidRequest('CardDataWebhookURL must be on the registered webhook host.');
  }
}

function resend({ world, body, options }: ApiRequest): ApiAnswer {
  if (Array.isArray(body)) throw invalidRequest('One virtual card per request.');
  const { AcctId, CardDataWebhookURL: url } = bodyOf(DataRequest, body);
  assertRegisteredHost(url, options);
  const account = findAccount(world, AcctId);
  if (account === undefined || !account.isVirtual) throw invalidRequest('AcctId must be a virtual card account.');
  if (!resendVirtualCard(world, account, url ?? undefined)) throw invalidRequest('The account has no card data.');
  return ok();
}

function getOrder({ world, params }: ApiRequest): ApiAnswer {
  const found = findOrder(world, idOf(params[0]));
  if (found === undefined || !found.isVirtual) throw new ServiceError(404, 'Virtual card order not found');
  return ok({
    CardOrderId: found.orderId,
    OrderDateTime: toServiceTimeMs(new Date(found.at)),
    UserName: found.userName,
    Cards: found.cards.map((card, index) => cardView(world, found.orderId, index, card)),
  });
}

function cardView(
  world: World,
  orderId: number,
  index: number,
  card: NonNullable<ReturnType<typeof findOrder>>['cards'][number],
): z.infer<typeof VirtualOrder>['Cards'][number] {
  const { request } = card;
  return {
    RequestId: orderId * 1000 + index,
    AcctId: card.acctId,
    AccountNumber: findAccount(world, card.acctId)?.accountNumber ?? null,
    FirstName: request.FirstName,
    LastName: request.LastName,
    DateOfBirth: midnight(request.DateOfBirth),
    Phone: request.Phone,
    Email: request.Email,
    HomeAddress: request.ProfileAddress,
    GroupId: request.GroupId,
    SpendingRulesetsId: request.RulesetId,
    AutoActivation: request.AutoActivation,
    FundCardAmount: request.FundCardAmount,
    CardDataWebhookURL: request.CardDataWebhookURL,
    Status: world.assume.cardOrderStatus[card.status],
    Errors: card.errors,
    ErrorMessage: card.errors.length === 0 ? null : card.message,
  };
}
