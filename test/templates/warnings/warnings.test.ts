import { describe, expect, it } from 'vitest';
import type { TransactionAlert } from '../../../src/alerts/alert.ts';
import { actionId } from '../../../src/slack/action-id.ts';
import { subscriptionWarning } from '../../../templates/warnings/warnings.ts';
import { limitRaise, remedyOf } from '../../support/limit-goals.ts';
import { declined } from '../fixtures.ts';

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

  it.each([
    ['a limit of the ruleset', velocity(remedyOf({ ...monthly, isOfRuleset: true }))],
    ['a closed card', { ...velocity(remedyOf(monthly)), card: { ...velocity().card, status: 'CLOSED' as const } }],
    ['an expired card', declined('decline.card.expired', 'Expired card')],
  ])('offers no change that cannot be made: %s', (_cause, alert) => {
    for (const audience of ['team', 'holder'] as const) {
      const { text, shown } = warned(alert, audience);
      expect(text).toContain('Fix the cause, or cancel the subscription?');
      expect(shown).not.toContain('"action_id"');
    }
  });
});
