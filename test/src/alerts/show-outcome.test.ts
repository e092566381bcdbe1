import { expect, it } from 'vitest';
import type { Alert } from '../../../src/alerts/alert.ts';
import { createOutcomesOnAlerts } from '../../../src/alerts/show-outcome.ts';
import { declined } from '../../templates/fixtures.ts';

function setUp(alert: Alert | null = null) {
  const steps: string[] = [];
  const outcomes = createOutcomesOnAlerts({
    fraudCases: { ofAlert: async () => null, ofReport: async () => null },
    alerts: {
      get: async () => alert,
      setOutcome: async (alertId, actionId) => void steps.push(`kept ${actionId} on ${alertId}`),
    },
    trackedMessages: { addSeen: async () => {} },
    visibilityOf: async (channel) => (channel === 'C9' ? 'shared' : 'private'),
    updateAlert: async (alertId) => void steps.push(`updates ${alertId}`),
  });
  return { outcomes, steps };
}

it('stores an outcome before updating the messages of its alert', async () => {
  const { outcomes, steps } = setUp();
  const outcome = { verb: 'block', by: 'U0OLGA', at: '2026-11-20T15:00:00.000Z', state: 'done', text: '' } as const;

  await outcomes.show('evt_1', 'act_1', outcome);

  expect(steps).toEqual(['kept act_1 on evt_1', 'updates evt_1']);
});

it('does not count as shown where another company reads', async () => {
  const { outcomes } = setUp();

  expect([await outcomes.areShownIn('C1'), await outcomes.areShownIn('C9')]).toEqual([true, false]);
});

it('knows which alerts already mention that a ruleset may overrule the card', async () => {
  const byLimit = declined('decline.rule.velocity', 'Transaction exceeded daily spend limit');
  const ruleset = { id: 7, name: 'Travel', mayOverrule: true };

  expect(await setUp(null).outcomes.saysOfRuleset('evt_1')).toBe(false);
  expect(await setUp(byLimit).outcomes.saysOfRuleset('evt_1')).toBe(false);
  expect(await setUp({ ...byLimit, card: { ...byLimit.card, ruleset } }).outcomes.saysOfRuleset('evt_1')).toBe(true);
});
