import { expect, it } from 'vitest';
import { explainDecline } from '../../../templates/alerts/explain-decline.ts';
import { card, declined, outcome, raise } from '../fixtures.ts';

const whoMay = { approver: ['S0APPROVERS', 'U0ZOE'], operator: ['U0OLGA'] };
const shown = (...args: Parameters<typeof explainDecline>) => JSON.stringify(explainDecline(...args).blocks);

it("names the people who can fix it, and the event's log if given", () => {
  const alert = declined('decline.rule.velocity', 'Transaction exceeded daily spend limit', { remedy: raise });
  const at = '2026-11-20T14:14:06Z';
  const eventLog = [
    { step: 'routed', at, channel: 'C1', text: 'Because it is the default channel for declines.' },
    { step: 'posted', at, channel: 'C1', text: 'Posted.' },
    { step: 'posted', at, channel: 'D0SAM', text: 'Posted.' },
  ] as const;

  const text = shown([{ alert, eventLog, whoMay }], { place: 'private', more: 2 });

  expect(text).toContain('Approvers can change the limit: <!subteam^S0APPROVERS>, <@U0ZOE>.');
  expect(text).toMatch(
    /How it got here.*\*Routed to\* <#C1><!date[^>]+>\. Because it is the default channel for declines\./,
  );
  // Names the places, because “posted” twice would be confusing.
  expect(text).toMatch(/\*Posted in\* <#C1><!date.*\*Posted in\* a direct message<!date/);
  // The title names the amount and the merchant, so the next line does not.
  expect(text).toMatch(/Declined: \$[\d.]+ at Blue Bottle Coffee".*card [^"]*<!date\^\d+\^, \{date_short_pretty\}/);
  expect(text.match(/Blue Bottle Coffee/g)).toHaveLength(1);
  expect(text).toContain('2 more declines');
});

it('says once why it was declined: the numbers say the same as the meaning', () => {
  const alert = declined('decline.rule.velocity', 'Transaction exceeded daily spend limit');
  const text = (remedy: typeof raise | null) =>
    shown([{ alert: { ...alert, remedy }, eventLog: null, whoMay }], { place: 'private', more: 0 });

  const [known, unknown] = [text(raise), text(null)];
  expect(unknown).toContain('The purchase is more than what is left');
  expect(known).not.toContain('The purchase is more than what is left');
});

it('says that nobody can fix it, if so', () => {
  const alert = declined('decline.balance.card', 'Insufficient funds');

  expect(shown([{ alert, eventLog: null, whoMay }], { place: 'private', more: 0 })).toContain(
    'Nobody can change this in Slack. Ask whoever administers the card program.',
  );
});

it.each([
  ['decline.rule.location', 'allow purchases abroad'],
  ['decline.rule.cardnotpresent', 'allow online purchases'],
  ['decline.rule.mcc', 'allow this merchant category'],
])('says for %s what approvers can do', (code, can) => {
  const alert = declined(code, 'No: Bars');

  expect(shown([{ alert, eventLog: null, whoMay }], { place: 'private', more: 1 })).toMatch(
    new RegExp(`Approvers can ${can}: .*1 more decline\\.`),
  );
});

it('suggests unblocking only if the card is blocked, together with the other fix', () => {
  const fixOf = (...verbs: ('block' | 'unblock')[]) => {
    const outcomes = verbs.map((verb) => outcome({ verb }));
    const alert = declined('decline.rule.velocity', 'Transaction exceeded daily spend limit', {
      remedy: raise,
      outcomes,
    });
    return shown([{ alert, eventLog: null, whoMay }], { place: 'private', more: 0 });
  };

  expect(fixOf()).not.toContain('/card unblock');
  expect(fixOf('block')).toMatch(/Admin: Raise .*, then have it tried again\. Blocked since\. To use the card again: /);
  expect(fixOf('block', 'unblock')).not.toContain('/card unblock');
});

it('does not say that a card which may be blocked can be activated', () => {
  const of = (message: string, cardId: number | null, last4: string | null) =>
    shown(
      [
        {
          alert: declined('decline.card.status', message, { card: { ...card, cardId, last4 } }),
          eventLog: null,
          whoMay,
        },
      ],
      { place: 'private', more: 0 },
    );

  for (const text of [of('Card Status Inactive', null, null), of('Card Status Inactive', 6231, '1212')]) {
    expect(text).toContain('Operators can check the card');
    expect(text).not.toMatch(/can activate|Nobody can/);
  }
  expect(of('New Card Pending Activation', 6231, '1212')).toContain('Operators can activate the card');
});

it('says that the cardholder can try again with a card that may have been blocked and is active by now', () => {
  const alert = declined('decline.card.status', 'Card Status Inactive', {
    card: { ...card, cardId: 6231, last4: '1212' },
    outcomes: [outcome({ verb: 'activate' })],
  });

  const text = shown([{ alert, eventLog: null, whoMay }], { place: 'private', more: 0 });

  expect(text).toContain('The cardholder can try again.');
  expect(text).not.toContain('can check the card');
});

it('does not suggest unblocking a card that has been unblocked', () => {
  const alert = declined('decline.card.status', 'Card is blocked', {
    remedy: { kind: 'unblock' },
    outcomes: [outcome({ verb: 'unblock' })],
  });
  const text = shown([{ alert, eventLog: null, whoMay }], { place: 'private', more: 0 });

  expect(text).toContain('Have the purchase tried again.');
  expect(text).not.toMatch(/\/card unblock|can unblock/);
});
