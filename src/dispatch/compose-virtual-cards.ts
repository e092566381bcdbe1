import type { ActionDeps } from '../actions/deps.ts';
import { createRecordAction } from '../actions/record-action.ts';
import { type Refuse, refuse } from '../actions/record-refusal.ts';
import { createOrderNotices } from '../virtual-cards/notify-ordered.ts';
import { createOrderVirtual, createReportOrder } from '../virtual-cards/order-virtual.ts';
import { createResendVirtual } from '../virtual-cards/resend-virtual.ts';

/** What orders virtual cards, has their details sent again, and tells who asked. */
export function composeVirtualCards(deps: ActionDeps) {
  const common = {
    ...deps,
    record: createRecordAction(deps),
    refuse: ((action, refusal, about) => refuse(action, refusal, deps, about)) satisfies Refuse,
    factsOf: async (acctId: number) => deps.toFacts(acctId, await deps.directory.account(acctId)),
    orderVirtualCards: deps.card.orderVirtualCards,
    requestVirtualCardData: deps.card.requestVirtualCardData,
  };
  const notices = createOrderNotices(common);
  return {
    orderVirtual: createOrderVirtual({ ...common, reportOrder: createReportOrder({ ...common, notices }) }),
    resendVirtual: createResendVirtual(common),
    virtualCardArrived: notices.virtualCardArrived,
  };
}
