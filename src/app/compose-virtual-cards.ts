import { createOrderNotices } from '../virtual-cards/notify-ordered.ts';
import { createOrderVirtual, createReportOrder } from '../virtual-cards/order-virtual.ts';
import { createOrderPermit } from '../virtual-cards/permit-order.ts';
import { createResendVirtual } from '../virtual-cards/resend-virtual.ts';
import type { ActionBase } from './action-base.ts';
import type { Tools } from './compose-tools.ts';

/** What orders virtual cards, has their details sent again, and tells who asked. */
export function composeVirtualCards({ base, tools }: { readonly base: ActionBase; readonly tools: Tools }) {
  const { stores, people, cards, settings } = base;
  const { orderVirtualCards, requestVirtualCardData } = cards.card;
  const common = { ...stores, ...people, ...tools };
  const notices = createOrderNotices(common);
  return {
    orderVirtual: createOrderVirtual({
      ...common,
      orderVirtualCards,
      orderPermit: createOrderPermit({ ...stores, ...tools, ...settings }),
      reportOrder: createReportOrder({ ...common, notices }),
    }),
    resendVirtual: createResendVirtual({ ...common, requestVirtualCardData }),
    virtualCardArrived: notices.virtualCardArrived,
  };
}
