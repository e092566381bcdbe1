import { cardTrack } from '../../templates/alerts/card-track.ts';
import type { ActionDeps } from '../actions/deps.ts';
import type { CardOrder } from '../card-api/schema-order.ts';
import { CardApiError } from '../core/errors.ts';
import type { Resolved } from '../directory/resolve-card.ts';

const SHIPMENTS_MAX = 5;

/** `/card track CARD`: ordered, shipped, activated or still waiting. */
export async function trackCard({ action, acctId, cardId }: Resolved, deps: ActionDeps): Promise<void> {
  const [details, account, ids] = await Promise.all([
    deps.card.getAccount(acctId),
    deps.directory.account(acctId),
    deps.history.recentAlerts(acctId, 'shipments', SHIPMENTS_MAX),
  ]);
  const stored = await Promise.all(ids.map((id) => deps.alerts.get(id)));
  const shipments = stored.flatMap((one) =>
    one !== null && one.alert.event.kind === 'card-shipping' ? [one.alert.event] : [],
  );
  const orders = await Promise.all(
    [...new Set(shipments.map(({ cardOrderId }) => cardOrderId))].map((id) =>
      id === null ? Promise.resolve(null) : orderOf(id, deps),
    ),
  );
  const card = details.cards.find((one) => one.cardId === cardId) ?? details.cards.at(-1);
  const message = cardTrack({
    card: deps.toFacts(acctId, account, card === undefined ? {} : { cardId: card.cardId }),
    isVirtual: details.isVirtual === true,
    cards: details.cards.map(({ last4, status }) => ({ last4, status })),
    shipments: shipments.map(({ callbackAt, shippingMethod, trackingNumber, last4, cardOrderId }) => ({
      shippedAt: callbackAt,
      shippingMethod,
      trackingNumber,
      last4,
      orderId: cardOrderId,
      orderedAt: deps.toInstant(orders.find((order) => order?.cardOrderId === cardOrderId)?.orderedAt ?? ''),
    })),
  });
  await deps.answer(action, message);
}

/** What the order adds is the day of it: worth a question, not an error. */
async function orderOf(id: number, { card }: ActionDeps): Promise<CardOrder | null> {
  try {
    return await card.getCardOrder(id);
  } catch (error) {
    if (error instanceof CardApiError) return null;
    throw error;
  }
}
