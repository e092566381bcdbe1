import type { Outcome } from '../../src/actions/action-state.ts';
import {
  type Alert,
  ShippingAlert,
  StatusAlert,
  type StatusChange,
  TransactionAlert,
  VirtualCardAlert,
} from '../../src/alerts/alert.ts';
import { type CardFacts, noCard } from '../../src/core/card-facts.ts';
import type { View } from '../../templates/core/view.ts';
import { type BatchRow, batchRow } from '../../templates/outbox/batch-row.ts';
import { limitRaise, remedyOf } from '../support/limit-goals.ts';

/** Only invented people and merchants. */
export const card: CardFacts = {
  acctId: 7378,
  cardId: 6231,
  last4: '1212',
  holder: 'Jane Doe',
  customId: 'EMP_0042',
  isVirtual: false,
  group: 'Field team',
};

export const nobody: CardFacts = { ...noCard, acctId: 7378 };

const common = {
  id: 'evt_0123456789abcdef',
  callbackAt: '2026-11-20T14:14:05.1234567Z',
  receivedAt: '2026-11-20T14:14:06Z',
  acctId: 7378,
};

const around = { card, outcomes: [], late: false };

const transaction = {
  ...common,
  kind: 'decline',
  occurredAt: '2026-11-20T14:14:00Z',
  settledAt: null,
  networkTransactionId: '2265017',
  authTransactionId: null,
  networkType: 'Auth',
  amountCents: 8410,
  direction: 'debit',
  requestedCents: 8410,
  availableCents: 15600,
  ledgerCents: 15600,
  merchant: { name: 'Blue Bottle Coffee', city: 'Austin', state: 'TX', country: 'US', id: 'M1' },
  mcc: '5814',
  isCardPresent: true,
  decline: { code: 'decline.rule.velocity', message: 'Transaction exceeded daily spend limit' },
};

type Change<T> = { readonly [Key in keyof T]?: unknown };

export function transactionAlert(
  event: Change<TransactionAlert['event']> = {},
  rest: Change<TransactionAlert> = {},
): TransactionAlert {
  const requestedAt = event.occurredAt ?? transaction.occurredAt;
  return TransactionAlert.parse({
    ...around,
    kind: 'transaction',
    remedy: null,
    ...rest,
    event: { ...transaction, requestedAt, ...event },
  });
}

export function declined(code: string, message: string, rest: Change<TransactionAlert> = {}): TransactionAlert {
  return transactionAlert({ decline: { code, message } }, rest);
}

/** The daily limit has to rise. */
export const dailyRaise = limitRaise('daily', 40_000, 44_900, { remainingCents: 3510 });
export const raise = remedyOf(dailyRaise);

export function change(over: Partial<StatusChange> = {}): StatusChange {
  return {
    cardId: 6231,
    last4: '1212',
    from: 'ACTIVE',
    steps: [{ status: 'BLOCKED', at: '2026-11-20T14:14:05Z' }],
    supersededBy: null,
    causedBy: null,
    ...over,
  };
}

export function statusAlert(changes: readonly StatusChange[], rest: Change<StatusAlert> = {}): StatusAlert {
  return StatusAlert.parse({
    kind: 'card-status',
    ...around,
    event: {
      ...common,
      kind: 'card-status',
      holder: 'Jane Doe',
      customId: null,
      cards: changes.map(({ cardId, last4, steps }) => ({
        cardId,
        last4,
        status: steps.at(-1)?.status,
        cardOrderId: null,
      })),
    },
    changes,
    ...rest,
  });
}

export function shippingAlert(
  event: Change<ShippingAlert['event']> = {},
  rest: Change<ShippingAlert> = {},
): ShippingAlert {
  return ShippingAlert.parse({
    kind: 'card-shipping',
    ...around,
    ...rest,
    event: {
      ...common,
      kind: 'card-shipping',
      trackingNumber: '9400111201080805483016',
      shippingMethod: 'USPS',
      last4: '1212',
      cardOrderId: 1221,
      ...event,
    },
  });
}

export function virtualAlert(
  event: Change<VirtualCardAlert['event']> = {},
  rest: Change<VirtualCardAlert> = {},
): VirtualCardAlert {
  return VirtualCardAlert.parse({
    kind: 'virtual-card',
    ...around,
    ...rest,
    event: {
      ...common,
      kind: 'virtual-card',
      holder: 'Jon Snow',
      last4: '8888',
      status: 'ACTIVE',
      balanceCents: 40_000,
      virtualCardOrderId: 13_232,
      outcome: 'created',
      failed: [],
      message: 'Account Creation Successful',
      ...event,
    },
  });
}

export function outcome(over: Partial<Outcome>): Outcome {
  return { verb: 'block', by: 'U1', at: '2026-11-20T14:20:00Z', state: 'done', text: '', ...over };
}

/** Rows of some alerts, as shown in a channel. */
export const batchRows = (alerts: readonly Alert[], view: View): BatchRow[] =>
  alerts.map((alert) => batchRow(alert, view));
