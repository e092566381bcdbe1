import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { Outcome } from '../../src/actions/action-state.ts';
import { ActivationReminder, Alert, CardTestingAlert, FraudCaseAlert } from '../../src/alerts/alert.ts';
import { ApprovalRequest } from '../../src/approvals/request.ts';
import { noCard } from '../../src/core/card-facts.ts';
import { transactionKinds } from '../../src/core/event.ts';
import { TemporaryChange } from '../../src/limits/temporary-change-store.ts';
import type { Message } from '../../src/slack/message.ts';
import { renderAlert } from '../../templates/alerts/alert.ts';
import { alertDetails } from '../../templates/alerts/alert-details.ts';
import { declineList } from '../../templates/alerts/decline-list.ts';
import { explainDecline } from '../../templates/alerts/explain-decline.ts';
import { approvalRequest } from '../../templates/approvals/approval-request.ts';
import type { View } from '../../templates/core/view.ts';
import { renderHolderAlert } from '../../templates/holders/holder-alert.ts';
import { requestDecided } from '../../templates/holders/holder-request.ts';
import { temporaryChange as temporaryChangeMessage } from '../../templates/limits/temporary-change.ts';
import { batchForm, batchMessage } from '../../templates/outbox/batch.ts';
import { examples } from '../support/examples.ts';
import { limitRaise, remedyOf } from '../support/limit-goals.ts';
import { inFlight, openRequestOf } from '../support/limit-requests.ts';
import {
  batchRows,
  card,
  change,
  outcome,
  shippingAlert,
  statusAlert,
  transactionAlert,
  virtualAlert,
} from '../templates/fixtures.ts';
import { expectPlain, leaks, spiteful } from '../templates/judge.ts';

type Path = readonly (string | number)[];

/** A text that no schema expects, so a field that takes it takes any text. */
const ANY_TEXT = '<!channel>';

function leavesOf(node: unknown, path: Path = []): Path[] {
  if (typeof node === 'string' || node === null) return [path];
  if (typeof node !== 'object') return [];
  return Object.entries(node).flatMap(([key, value]) => leavesOf(value, [...path, key]));
}

function withText<T>(record: T, paths: readonly Path[], text: string): T {
  const filled = structuredClone(record);
  for (const path of paths) {
    let at = filled as Record<string, unknown>;
    for (const key of path.slice(0, -1)) at = at[key ?? ''] as Record<string, unknown>;
    at[path.at(-1) ?? ''] = text;
  }
  return filled;
}

/** The fields of a record that its schema lets be any text, also those that are null in the sample. Times are ours. */
function freeTexts(schema: z.ZodType, record: unknown): Path[] {
  return leavesOf(record).filter(
    (path) => !/^at$|At$/.test(`${path.at(-1)}`) && schema.safeParse(withText(record, [path], ANY_TEXT)).success,
  );
}

const at = '2026-11-20T14:14:00Z';
const given = {
  card: { ...card, ruleset: { id: 1, name: 'Travel', mayOverrule: true } },
  late: true,
  outcomes: Outcome.shape.verb.options.map((verb) =>
    outcome({ verb, control: { kind: 'undo', id: 'act_1', until: at }, ends: 'act_2' }),
  ),
};
const progress = { cardOrderId: 1, created: at, shipped: at, activated: at, used: at, closed: at };
const repeats = { C1: { count: 2, firstAt: at, lastAt: at, minCents: 5, maxCents: 5 } };
const step = { eventId: 'evt_1', direction: 'debit', cents: 8410, at, isInferred: false } as const;
const timeline = {
  leaderId: 'evt_1',
  steps: (['authorization', 'settlement'] as const).map((kind) => ({ ...step, kind })),
};
const category = { id: 5814, name: 'Fast food' };
const decline = transactionAlert({}, given);
const { event } = decline;
const tried = {
  acctId: 7378,
  alertId: 'evt_0123456789abcdef',
  holder: 'Jane Doe',
  last4: '1212',
  count: 2,
  firstAt: at,
  lastAt: at,
  minCents: 5,
  maxCents: 9,
  places: ['Austin'],
};
/** The directory may know nothing, and then the event's own words are shown. */
const alerts: readonly Alert[] = [given, { ...given, card: noCard, outcomes: [] }].flatMap((rest) => [
  ...transactionKinds.map((kind) => transactionAlert({ kind, settledAt: at }, { ...rest, repeats, timeline })),
  transactionAlert({}, { ...rest, remedy: remedyOf(limitRaise('daily', 400, 500, { remainingCents: 5, category })) }),
  transactionAlert({}, { ...rest, remedy: { kind: 'allow_category', category } }),
  transactionAlert({}, { ...rest, remedy: { kind: 'unblock' }, repeats }),
  CardTestingAlert.parse({ ...rest, kind: 'card-testing', event, tried: [tried] }),
  FraudCaseAlert.parse({
    ...rest,
    kind: 'fraud-case',
    event,
    alertId: event.id,
    reported: { by: 'U1', at },
    operators: ['U2'],
    purchases: [{ at, amountCents: 5, merchant: 'Corner Diner' }],
  }),
  ...[1, 2].map((cards) => statusAlert(Array(cards).fill(change()), { ...rest, progress })),
  shippingAlert({}, { ...rest, progress }),
  ActivationReminder.parse({ ...shippingAlert({}, { ...rest, progress }), kind: 'activation-reminder' }),
  ...(['created', 'not_created', 'partial', 'resend'] as const).map((outcome) =>
    virtualAlert({ outcome, failed: ['Funds'] }, { ...rest, asked: { by: 'U1', at } }),
  ),
]);

/** Ids are ours and short, so lengths are checked elsewhere. */
function expectShown({ text, blocks }: Message): void {
  expect(leaks(text)).toEqual([]);
  expectPlain(blocks);
}

/** Everything that is rendered from an alert. */
function expectAlertSafe(alert: Alert, place: View['place']): void {
  for (const isLong of [true, false]) {
    expectShown(renderAlert(alert, { place, channel: 'C1', isLong }));
    const direct = renderHolderAlert(alert, { place: 'direct', isLong });
    if (direct !== null) expectShown(direct);
  }
  for (const audience of ['team', 'holder'] as const) {
    const details = alertDetails(alert, audience, { place, now: new Date() });
    if (details !== null) expectPlain(details.blocks);
  }
  for (const count of [1, 8]) {
    const rows = batchRows(Array<Alert>(count).fill(alert), { place }).map((row, i) => ({ ...row, id: `evt_${i}` }));
    expectShown(batchMessage({ rows, why: 'busy', form: batchForm(rows, { hasTable: false }), hasChart: true }));
  }
  if (alert.kind !== 'transaction') return;
  const whoMay = { approver: ['U1'], operator: ['U2'] };
  expectPlain(explainDecline([{ alert, eventLog: null, whoMay }], { place, more: 0 }).blocks);
  const list = { card: alert.card, since: '7 days', unreadable: 0, page: 1, again: '1212 7d' };
  expectShown(declineList({ ...list, declines: [alert.event] }));
}

const requests = ApprovalRequest.options.flatMap(({ shape }) => {
  const [state] = shape.state.values;
  const decision = { actionId: 'act_1', by: 'U1', at };
  const rule = { kind: 'limit', period: 'daily', category } as const;
  const facts = {
    purchase: { amountCents: 8410, merchant: 'Corner Diner', kind: 'Fast food', link: 'https://example.slack.com/p1' },
    left: [],
    there: [{ at, amountCents: 5 }],
    earlier: [],
  };
  const counted = { rule, ownCents: 5, earlier: [{ by: 'U1', at, cents: 5 }], aboveCents: 5, cap: null };
  const changes = [{ rule, from: 400, to: 500 }];
  const common = {
    ...openRequestOf({ changes }),
    facts,
    counted,
    needed: 2,
    orderTerms: { ruleset: { id: 1, name: 'Travel' }, groupId: 3 },
    temporary: [{ rule, now: 450, back: 400, until: at }],
    approvals: [{ by: 'U1', at, actionId: null }],
    voided: [{ by: 'U2', why: 'rights', standsInFor: null }],
    inFlight: [inFlight('sent')],
    note: 'urgent',
    remindedAt: at,
    state,
  };
  const closed = state === 'open' || state === 'expired' ? {} : { decision };
  const made = state === 'approved' || state === 'overridden' ? { temporaryChangeId: null } : {};
  return ApprovalRequest.parse({ ...common, ...closed, ...made });
});

const changes = TemporaryChange.shape.state.options.map((state) =>
  TemporaryChange.parse({
    id: 'act_1',
    acctId: 1,
    changes: [{ rule: { kind: 'limit', period: 'daily', category }, from: 400, to: 500 }],
    meanwhile: [{ rule: { kind: 'limit', period: 'daily', category }, from: 400, to: 450 }],
    term: { kind: 'permanent' },
    by: { userId: 'U1', teamId: 'T1' },
    openedAt: at,
    endsAt: at,
    purchase: { merchantId: 'M1', merchant: 'Corner Diner', maxCents: 5, declinedAt: at },
    alertId: null,
    requestId: null,
    certainty: 'certain',
    state,
  }),
);

function expectSafeWith<T>(schema: z.ZodType<T>, record: T, check: (record: T) => void): void {
  const paths = freeTexts(schema, record);
  const always: [string][] = [[ANY_TEXT], ['<https://evil.example|Verify your card>'], ['@here *FOREIGN* & _FOREIGN_']];
  fc.assert(
    fc.property(spiteful, (text) => check(withText(record, paths, text))),
    { examples: always, numRuns: examples(8) },
  );
}

describe('any text in any stored field is shown as text, also in fields that are usually empty:', () => {
  it.each(alerts.map((alert) => [`${alert.kind}, ${alert.event.kind}`, alert] as const))('an alert: %s', (_, alert) => {
    expectSafeWith(Alert, alert, (filled) => {
      for (const place of ['public', 'direct'] as const) expectAlertSafe(filled, place);
    });
  });

  it.each(requests.map((request) => [request.state, request] as const))('a request: %s', (_, request) => {
    expectSafeWith(ApprovalRequest, request, (filled) => {
      expectShown(approvalRequest(filled));
      if (filled.state !== 'open') expectShown(requestDecided(filled));
    });
  });

  it.each(changes.map((one) => [one.state, one] as const))('a temporary change: %s', (_, one) => {
    expectSafeWith(TemporaryChange, one, (filled) => expectShown(temporaryChangeMessage(filled, card)));
  });
});
