import { cardTrack } from '../../templates/alerts/card-track.ts';
import type { Resolved } from '../actions/action.ts';
import type { ActionTools, Responses } from '../actions/action-tools.ts';
import type { CardClient } from '../card-api/client.ts';
import { orNull } from '../card-api/errors.ts';
import { LOOK_LIMITS } from '../directory/show-card.ts';
import { type Alerts, alertsOfKind } from './alert-store.ts';
import type { CardHistory } from './card-history.ts';

const SHIPMENTS_MAX = 5;

interface Deps extends Pick<ActionTools, 'factsOf' | 'now'> {
  readonly responses: Pick<Responses, 'answer'>;
  readonly card: Pick<CardClient, 'getAccount' | 'getCardOrder'>;
  readonly history: Pick<CardHistory, 'recentAlerts'>;
  readonly alerts: Pick<Alerts, 'get'>;
  /** Converts the service's local time to UTC ISO 8601; null when it is not a valid time. */
  readonly toInstant: (local: string) => string | null;
}

/** `/card track CARD`: whether and when the card was ordered, shipped and activated. */
export function createTrackCard(deps: Deps): (resolved: Resolved) => Promise<void> {
  const { card: api, factsOf, history, alerts, toInstant, responses } = deps;

  return async function trackCard({ action, acctId, cardId }) {
    const [details, ids] = await Promise.all([
      api.getAccount(acctId, LOOK_LIMITS),
      history.recentAlerts(acctId, 'shipments', SHIPMENTS_MAX),
    ]);
    const shipments = (await alertsOfKind('card-shipping', ids, alerts)).map(({ event }) => event);
    const orderIds = new Set(shipments.flatMap(({ cardOrderId }) => cardOrderId ?? []));
    // The orders only add their dates.
    const orders = await Promise.all([...orderIds].map((id) => orNull(api.getCardOrder(id, LOOK_LIMITS))));
    const named = details.cards.find((each) => each.cardId === cardId) ?? null;
    const message = cardTrack({
      card: await factsOf(acctId, { cardId: (named ?? details.cards.at(-1))?.cardId }),
      isVirtual: details.isVirtual === true,
      named,
      cards: details.cards,
      isForHolder: action.asHolder,
      at: deps.now().toISOString(),
      shipments: shipments.map((shipment) => ({
        ...shipment,
        orderedAt: toInstant(orders.find((order) => order?.cardOrderId === shipment.cardOrderId)?.orderedAt ?? ''),
      })),
    });
    await responses.answer(action, message);
  };
}
