import { orderWaits } from '../../templates/virtual-cards/order.ts';
import type { Attempt } from '../actions/action-tools.ts';
import type { Orders } from '../approvals/decide-request.ts';
import type { RequestedChange } from '../approvals/open-request.ts';
import { commandCode } from '../core/installation.ts';
import { isSameEmail } from '../holders/own-card.ts';
import { permanent } from '../limits/change-request.ts';
import { createOrderNotices } from '../virtual-cards/notify-ordered.ts';
import type { VirtualOrder } from '../virtual-cards/order.ts';
import {
  cardOfOrder,
  createOrderVirtual,
  createPlaceOrder,
  createReportOrder,
  orderOf,
  type PlaceOrder,
} from '../virtual-cards/order-virtual.ts';
import { createOrderPermit, type OrderPermit } from '../virtual-cards/permit-order.ts';
import { createResendVirtual } from '../virtual-cards/resend-virtual.ts';
import type { OrderVirtualAction } from '../virtual-cards/verbs.ts';
import type { Tools } from './compose-tools.ts';

/** What orders virtual cards, has their details sent again, and tells who asked. */
export function composeVirtualCards(tools: Tools, openRequest: (asked: RequestedChange) => Promise<string>) {
  const { orderVirtualCards, requestVirtualCardData } = tools.card;
  const notices = createOrderNotices(tools);
  const orderPermit = createOrderPermit({ ...tools, isSameEmail });
  const reportOrder = createReportOrder({ ...tools, notices });
  const placeOrder = createPlaceOrder({ ...tools, orderVirtualCards, orderPermit, reportOrder });
  const orderVirtual = createOrderVirtual({
    ...tools,
    orderPermit,
    placeOrder,
    async requestOrder(action, order, { others, isOwn }) {
      const card = cardOfOrder(order);
      const change = { changes: [], term: permanent, counted: null };
      await tools.record(action, { event: 'waiting', isFirst: true, acctId: null });
      await openRequest({ action, acctId: 0, card, ...change, others, order: { cents: order.fundCents, isOwn } });
      await tools.answer(action, orderWaits({ card, cents: order.fundCents, others, isOwn }));
    },
  });
  const refuseUnread: RefuseUnread = async (action) => {
    const whoCan = `Type ${commandCode('virtual order')} again.`;
    await tools.refuse(action, { what: 'Your order', why: 'It can no longer be read.', whoCan });
  };
  const unsealed: Unsealed = (action) => orderOf(action, tools.unseal);
  return {
    async orderVirtual(action: OrderVirtualAction, attempt: Attempt): Promise<void> {
      const order = unsealed(action);
      if (order === null) await refuseUnread(action);
      else await orderVirtual(action, order, attempt);
    },
    orders: ordersOf({ unsealed, refuseUnread, orderPermit, placeOrder }),
    resendVirtual: createResendVirtual({ ...tools, requestVirtualCardData }),
    virtualCardArrived: notices.virtualCardArrived,
  };
}

type Unsealed = (action: OrderVirtualAction) => VirtualOrder | null;
type RefuseUnread = (action: OrderVirtualAction) => Promise<void>;

interface OrdersDeps {
  readonly unsealed: Unsealed;
  readonly refuseUnread: RefuseUnread;
  readonly orderPermit: OrderPermit;
  readonly placeOrder: PlaceOrder;
}

/** What approvals do with orders. */
function ordersOf({ unsealed, refuseUnread, orderPermit, placeOrder }: OrdersDeps): Orders {
  return {
    async needed(action, by) {
      const order = unsealed(action);
      return order === null ? 2 : await orderPermit.needed(action, order, by);
    },
    async isOwn(userId, action) {
      const order = unsealed(action);
      return order !== null && (await orderPermit.isOwn(userId, order));
    },
    async place(action, by, attempt) {
      const order = unsealed(action);
      if (order !== null) return await placeOrder(action, order, by, attempt);
      await refuseUnread(action);
      return { state: 'failed', card: cardOfOrder(null), before: null, after: null, apiWords: null, note: null };
    },
  };
}
