import type { CardFacts } from '../../../src/core/card-facts.ts';
import { ShippingEvent, TransactionEvent } from '../../../src/core/event.ts';

/** A card of Jane Doe with the given facts. */
export function card(facts: Partial<CardFacts>): CardFacts {
  return {
    acctId: 7378,
    cardId: 501,
    last4: '4242',
    holder: 'Jane Doe',
    customId: null,
    isVirtual: false,
    group: null,
    ...facts,
  };
}

const common = { callbackAt: '2026-11-20T14:14:00.0000000Z', receivedAt: '2026-11-20T14:14:01.000Z', acctId: 7378 };

interface Decline {
  readonly amountCents?: number;
  readonly country?: string;
  readonly mcc?: string;
  readonly merchant?: string;
  readonly code?: string;
  readonly isCardPresent?: boolean | null;
  readonly kind?: 'decline' | 'authorization';
}

/** A declined purchase with the given facts. */
export function declineEvent(facts: Decline = {}): TransactionEvent {
  const kind = facts.kind ?? 'decline';
  return TransactionEvent.parse({
    ...common,
    id: 'evt_0123456789abcdef',
    kind,
    occurredAt: common.callbackAt,
    requestedAt: common.callbackAt,
    settledAt: null,
    networkTransactionId: '9001',
    authTransactionId: null,
    networkType: 'Auth',
    amountCents: facts.amountCents ?? 8410,
    direction: 'debit',
    requestedCents: null,
    availableCents: null,
    ledgerCents: null,
    merchant: {
      name: facts.merchant ?? 'Blue Bottle Coffee',
      city: 'Lisbon',
      state: '',
      country: facts.country ?? 'US',
      id: '1',
    },
    mcc: facts.mcc ?? '5814',
    isCardPresent: facts.isCardPresent ?? true,
    decline:
      kind === 'decline' ? { code: facts.code ?? 'decline.rule.velocity', message: 'Exceeds daily limit' } : null,
  });
}

export function shippingEvent(): ShippingEvent {
  return ShippingEvent.parse({
    ...common,
    id: 'evt_0123456789abcdeg',
    kind: 'card-shipping',
    trackingNumber: '1Z999AA10123456784',
    shippingMethod: 'UPS',
    last4: '4242',
    cardOrderId: 1,
  });
}
