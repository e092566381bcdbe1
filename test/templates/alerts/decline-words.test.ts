import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/actions/action-state.ts';
import type { TransactionAlert } from '../../../src/alerts/alert.ts';
import { renderAlert } from '../../../templates/alerts/alert.ts';
import { alertDetails } from '../../../templates/alerts/alert-details.ts';
import { declineList } from '../../../templates/alerts/decline-list.ts';
import { explainDecline } from '../../../templates/alerts/explain-decline.ts';
import { declineLine } from '../../../templates/directory/card-show.ts';
import { renderHolderAlert } from '../../../templates/holders/holder-alert.ts';
import { batchForm, batchMessage } from '../../../templates/outbox/batch.ts';
import { rowsCsv } from '../../../templates/outbox/rows.ts';
import { subscriptionWarning } from '../../../templates/warnings/warnings.ts';
import { limitGoal, limitRaise, remedyOf } from '../../support/limit-goals.ts';
import { batchRows, declined, outcome, transactionAlert } from '../fixtures.ts';
import { shown } from '../shown.ts';

const place = 'private' as const;

/** Everything that is shown about a decline, as JSON. */
function everywhere(alert: TransactionAlert): [where: string, shown: string][] {
  const row = batchRows([alert], { place });
  const rows = Array.from({ length: 8 }, (_, i) => row.map((one) => ({ ...one, id: `evt_${i}` }))).flat();
  const { event, remedy, card } = alert;
  const shown = { ...event, remedy };
  const explained = { alert, eventLog: null, whoMay: { approver: ['U1'], operator: ['U2'] } };
  const list = { card, since: '7 days', unreadable: 0, page: 1, again: '1212', declines: [shown] };
  const all: [string, unknown][] = [
    ['short', renderAlert(alert, { place })],
    ['long', renderAlert(alert, { place, isLong: true })],
    ['details', alertDetails(alert, 'team', { place, now: new Date(event.receivedAt) })],
    ['holder, short', renderHolderAlert(alert, { place: 'direct' })],
    ['holder, long', renderHolderAlert(alert, { place: 'direct', isLong: true })],
    ['explanation', explainDecline([explained], { place, more: 0 })],
    ['list', declineList(list)],
    ['card', declineLine(shown, { place })],
    ['subscription', subscriptionWarning({ alert, days: 3, since: event.occurredAt }, 'team')],
    ['batch', batchMessage({ rows, why: 'busy', form: batchForm(rows, { hasTable: true }), hasChart: true })],
    ['CSV', rowsCsv(row)],
  ];
  return all.map(([where, what]) => [where, JSON.stringify(what)]);
}

describe('a decline whose cause is known better than the service says names that cause everywhere:', () => {
  const blocked = declined('decline.card.status', 'Card Status Inactive', { remedy: { kind: 'unblock' } });
  const weekly = declined('decline.rule.velocity', 'Transaction exceeded daily spend limit', {
    remedy: remedyOf(limitRaise('weekly', 40_000, 44_900, { remainingCents: 3510 })),
  });

  it.each(everywhere(blocked))('a blocked card that the service calls inactive: %s', (_where, shown) => {
    expect(shown).toMatch(/is blocked/i);
    expect(shown).not.toMatch(/not active|activate/i);
  });

  it.each(everywhere(weekly))('a weekly limit that the service calls daily: %s', (_where, shown) => {
    expect(shown).toMatch(/weekly/i);
    expect(shown).not.toMatch(/daily|midnight/i);
  });
});

it.each([
  ['needed', 4500, 'this purchase and the $10.00 that the card service sets aside needed *$15.00 more*', '$15.00'],
  ['still needed', 5500, 'this purchase and the $10.00 that the card service sets aside needed *$5.00 more*', '$5.00'],
])('a balance that is too low for a purchase with padding: %s', (_what, availableCents, needed, add) => {
  const alert = declined('decline.balance.card', 'Transaction exceeded current card balance');
  const event = { ...alert.event, amountCents: 5000, paddingCents: 1000, availableCents };
  const text = JSON.stringify(renderAlert({ ...alert, event }, { place: 'private', isLong: true }));

  expect(text).toContain(needed);
  // Its limits were not read.
  expect(text).toContain(`Add at least ${add} to the card in the card program’s portal.`);
});

it.each([
  [3410, 0, 'Pay $34.10 or less, or ask for money to be added to the card.'],
  [3410, 410, 'Pay $30.00 or less, or ask'],
  [0, 0, 'needed *$84.10 more*. Ask for money to be added to the card.'],
  [-2000, 0, 'needed *$104.10 more*. Ask for money to be added to the card.'],
  [400, 400, 'needed *$84.10 more*. Ask for money to be added to the card.'],
])(
  'a holder whose card has %d cents, %d of them to be set aside, is told what can be paid',
  (available, padding, said) => {
    const alert = declined('decline.balance.card', 'Transaction exceeded current card balance');
    const event = { ...alert.event, paddingCents: padding, availableCents: available };
    for (const isLong of [true, false]) {
      const message = renderHolderAlert({ ...alert, event }, { place: 'direct', isLong });
      expect(shown(message?.blocks ?? []).replaceAll(/\s*\*What you can do:\*/g, '')).toContain(said);
    }
  },
);

it.each(['private', 'direct'] as const)('a balance that was enough is not given as the cause (%s)', (place) => {
  const alert = transactionAlert({
    availableCents: 125_000,
    decline: { code: 'decline.balance.card', message: 'Transaction exceeded current card balance' },
  });
  for (const isLong of [true, false])
    for (const render of [renderAlert, renderHolderAlert]) {
      const words = shown(render(alert, { place, isLong })?.blocks ?? []);
      expect(words).toMatch(/It does not cover this purchase\./);
      expect(words).not.toMatch(/1,250|or less|at least/);
    }
});

describe('a balance that is too low besides the limit', () => {
  const lacking = (availableCents: number, paddingCents = 0) =>
    transactionAlert(
      { availableCents, paddingCents },
      {
        remedy: { ...remedyOf(limitRaise('daily', 40_000, 45_910, { remainingCents: 2_500 })), alsoNeeds: ['balance'] },
      },
    );
  const words = (
    alert: TransactionAlert,
    render: typeof renderHolderAlert,
    isLong: boolean,
    where: 'public' | 'direct',
  ) => shown(render(alert, { place: where, isLong })?.blocks ?? []);

  it.each([true, false])('is said beside the raise, its amount only where it may be shown (long: %s)', (isLong) => {
    const alert = lacking(1_000);

    expect(words(alert, renderAlert, isLong, 'direct')).toContain(
      'The card’s balance ($10.00) did not cover this purchase either.',
    );
    expect(words(alert, renderAlert, isLong, 'public')).toContain(
      'The card’s balance did not cover this purchase either.',
    );
    expect(words(alert, renderAlert, isLong, 'public')).not.toContain('$10.00');
    expect(words(alert, renderAlert, true, 'direct')).not.toContain('tried again');
  });

  it.each([
    [1_000, 0, 'Ask for a higher limit, or pay $10.00 or less.'],
    [1_000, 400, 'Ask for a higher limit, or pay $6.00 or less.'],
    [5_000, 0, 'Ask for a higher limit, or pay $25.00 or less.'],
    [0, 0, 'Ask for a higher limit.'],
  ])('bounds what the holder can pay: %d cents, of which %d are to be set aside', (available, padding, said) => {
    const text = words(lacking(available, padding), renderHolderAlert, false, 'direct');

    expect(text).toContain(said);
    expect(text).toContain('did not cover this purchase either.');
  });

  const raised = outcome({
    verb: 'limit',
    by: 'U2',
    confirmation: 'confirmed',
    text: 'Done. The card’s balance did not cover this purchase either.',
    alsoNeeds: ['balance'],
    goals: [limitGoal('daily', 45_910)],
  });

  it.each<[string, Outcome[], string]>([
    ['raised', [raised], '2026-11-20T15:00:00Z'],
    ['that has reset since', [], '2026-11-22T15:00:00Z'],
  ])('is what is left to fix of a limit %s: nobody is told to try again', (_what, outcomes, now) => {
    const view = { place: 'private', now: new Date(now) } as const;
    const alert = { ...lacking(1_000), outcomes };
    const long = shown(renderAlert(alert, { ...view, isLong: true }).blocks);
    const short = shown(renderAlert(alert, view).blocks);
    const holders = shown(renderHolderAlert(alert, { ...view, place: 'direct' })?.blocks ?? []);
    const explained = { alert, eventLog: null, whoMay: { approver: ['U1'], operator: ['U2'] } };
    const explanation = JSON.stringify(explainDecline([explained], { ...view, more: 0 }));

    for (const text of [long, short, explanation])
      expect(text).toContain('Add money to the card in the card program’s portal.');
    for (const text of [long, holders, explanation]) expect(text).toContain('Ask for money to be added to the card.');
    expect(explanation).toContain('Nobody can change this in Slack.');
    for (const text of [long, short, holders, explanation]) expect(text).not.toMatch(/tr(y|ied) again/i);
  });

  it('comes before another try if the card was blocked since', () => {
    const text = words({ ...lacking(1_000), outcomes: [raised, outcome({})] }, renderAlert, true, 'direct');

    expect(text).toMatch(/Add money to the card in the card program’s portal\. Blocked since\./);
  });
});

describe('the words of the card service', () => {
  const text = (code: string, message: string, isLong: boolean) =>
    shown(renderAlert(declined(code, message), { place, isLong }).blocks);

  it.each([true, false])('are quoted once, as a sentence of their own (long: %s)', (isLong) => {
    expect(text('decline.new', 'A new reason', isLong)).toMatch(
      /not know this decline code yet\.\s+The card service says: “A new reason” \(code decline\.new\)\.\s/,
    );
    expect(text('', 'A new reason', isLong)).toMatch(/The card service says: “A new reason”\./);
    expect(text('', 'A new reason', isLong)).not.toMatch(/decline code|A new reason.*A new reason/s);
    expect(text('decline', 'Suspected fraud', isLong)).toMatch(/The card service says: “Suspected fraud”\./);
    expect(text('decline', 'Suspected fraud', isLong)).not.toMatch(/no reason|Suspected fraud.*Suspected fraud/s);
  });
});

it('does not say how a purchase was made that had to be made in person: the service does', () => {
  const alert = declined('decline.rule.cardnotpresent', 'Card not present');
  const message = shown(renderAlert({ ...alert, event: { ...alert.event, isCardPresent: true } }, { place }).blocks);

  expect(message).toContain('In person');
  expect(message).not.toContain('This purchase was online');
});

it('does not offer to allow a category that only a placeholder names', () => {
  const message = JSON.stringify(
    renderAlert(declined('decline.rule.mcc', 'Unauthorized merchant category: (merchant-category)'), { place }),
  );

  expect(message).not.toContain('Allow this category…');
  expect(message).not.toContain('merchant-category');
});
