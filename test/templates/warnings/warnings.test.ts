import { describe, expect, it } from 'vitest';
import type { TransactionAlert } from '../../../src/alerts/alert.ts';
import { actionId } from '../../../src/slack/action-id.ts';
import { subscriptionWarning } from '../../../templates/warnings/warnings.ts';
import { limitRaise, remedyOf } from '../../support/limit-goals.ts';
import { declined, outcome } from '../fixtures.ts';

const warned = (alert: TransactionAlert, audience: 'team' | 'holder') => {
  const { text, blocks } = subscriptionWarning({ alert, days: 3, since: '2026-11-17T14:20:00Z' }, audience);
  return { text, shown: JSON.stringify(blocks) };
};
const velocity = (remedy?: TransactionAlert['remedy']) =>
  declined('decline.rule.velocity', 'Transaction exceeded monthly spend limit', remedy === undefined ? {} : { remedy });
const monthly = limitRaise('monthly', 40_000, 44_900);

describe('a subscription that keeps failing', () => {
  it.each([
    ['a limit', velocity(remedyOf(monthly)), 'Raise the monthly limit', 'Ask for a higher limit'],
    [
      'online purchases that are not allowed',
      declined('decline.rule.cardnotpresent', 'Card not present transactions not allowed'),
      'Allow online purchases',
      'Ask for it to be allowed',
    ],
  ])('offers what its decline offers: %s', (_cause, alert, forTeam, forHolder) => {
    const team = warned(alert, 'team');
    const holder = warned(alert, 'holder');

    expect(team.text).toContain(`${forTeam}, or cancel the subscription?`);
    expect(team.shown).toContain(`"action_id":"${actionId.fixSubscription}"`);
    expect(holder.text).toContain(`${forHolder}, or cancel the subscription?`);
    expect(holder.shown).toContain(`"action_id":"${actionId.askForSubscription}"`);
  });

  const another = 'Give the merchant another card, or cancel the subscription?';
  const balance = declined('decline.balance.card', 'Transaction exceeded current card balance');
  it.each([
    [
      'a limit of the ruleset',
      velocity(remedyOf({ ...monthly, isOfRuleset: true })),
      'change it in the card program’s portal. Or cancel the subscription.',
      'Or cancel the subscription.',
    ],
    [
      'a card that was closed since',
      { ...velocity(remedyOf(monthly)), card: { ...velocity().card, status: 'CLOSED' as const } },
      another,
      another,
    ],
    ['a closed card', declined('decline.card.status', 'Card Status Closed'), another, another],
    [
      'a card that is not activated',
      declined('decline.card.status', 'New Card Pending Activation'),
      'Activate the card if the cardholder has it. Or cancel the subscription.',
      'If it hasn’t arrived, tell an operator: somebody else may have it. Or cancel the subscription.',
    ],
    [
      'a balance that is too low',
      { ...balance, event: { ...balance.event, availableCents: 1_000 } },
      'Last reason: Card balance too low. Add money to the card in the card program’s portal. Or cancel the subscription.',
      'Last reason: Card balance too low. Ask for money to be added to the card. Or cancel the subscription.',
    ],
    [
      'no reason',
      declined('decline', 'Do not honor'),
      'Ask the card service’s support. Give them the time, the amount and the merchant. Or cancel the subscription.',
      'pay another way. The merchant does not know the reason either. Or cancel the subscription.',
    ],
    [
      'a limit that was raised',
      { ...velocity(remedyOf(monthly)), outcomes: [outcome({ verb: 'limit' })] },
      'Have the purchase tried again. Or cancel the subscription.',
      'Cancel the subscription if it is no longer needed.',
    ],
  ])('says what helps where it can offer no change: %s', (_cause, alert, forTeam, forHolder) => {
    for (const [audience, fix] of [
      ['team', forTeam],
      ['holder', forHolder],
    ] as const) {
      const { text, shown } = warned(alert, audience);
      expect(text).toContain(fix);
      expect(shown).not.toContain('"action_id"');
    }
  });
});
