import { toCallbackTime } from '../../sandbox/service-time.ts';
import { CATALOGUE, freshData } from '../../sandbox/trigger/catalogue.ts';
import { Alert } from '../../src/alerts/alert.ts';
import type { CardFacts } from '../../src/core/card-facts.ts';
import type { Message } from '../../src/slack/message.ts';
import { toStoredEvent } from '../../src/webhooks/kind.ts';
import { renderAlert } from '../../templates/alerts/alert.ts';

/** Fictional. */
const card: CardFacts = {
  acctId: 7378,
  cardId: 6231,
  last4: '1212',
  holder: 'Sam Rivera',
  customId: 'EMP_0042',
  isVirtual: false,
  group: 'Field team',
};

/** One message for each webhook in the trigger's catalog: every kind, and a decline for every reason. */
export function sampleMessages(now = new Date()): { readonly kind: string; readonly message: Message }[] {
  return CATALOGUE.map((entry, index) => {
    const body = { CallbackTime: toCallbackTime(now, index), Data: freshData(entry, now, index) };
    const options = { zone: 'America/New_York', version: undefined, receivedAt: now.toISOString() };
    const event = toStoredEvent(body, entry.kind, options);
    return { kind: entry.name, message: renderAlert(alertOf(event), { place: 'private' }) };
  });
}

function alertOf(event: ReturnType<typeof toStoredEvent>): Alert {
  const around = { card, outcomes: [], late: false, event };
  switch (event.kind) {
    case 'card-status':
      return Alert.parse({
        ...around,
        kind: event.kind,
        changes: event.cards.map(({ cardId, last4, status }) => ({
          cardId,
          last4,
          from: null,
          steps: [{ status, at: event.callbackAt }],
          supersededBy: null,
          causedBy: null,
        })),
      });
    case 'card-shipping':
    case 'virtual-card':
      return Alert.parse({ ...around, kind: event.kind });
    default:
      return Alert.parse({ ...around, kind: 'transaction', remedy: null });
  }
}
