import { saysOfRuleset } from '../../templates/limits/ruleset-words.ts';
import type { Outcome } from '../actions/action-state.ts';
import type { OutcomesOnAlerts } from '../actions/report.ts';
import { type ChannelVisibility, mayShow } from '../core/channel-visibility.ts';
import type { MessageRef } from '../slack/message.ts';
import type { Alerts } from './alert-store.ts';
import { addedCaseId, type FraudCases } from './fraud-case-store.ts';

interface Deps {
  readonly alerts: Pick<Alerts, 'get' | 'setOutcome'>;
  readonly fraudCases: Pick<FraudCases, 'ofAlert' | 'ofReport'>;
  readonly trackedMessages: { addSeen(subject: { kind: 'alert'; id: string }, ref: MessageRef): Promise<void> };
  readonly updateAlert: (alertId: string) => Promise<void>;
  readonly visibilityOf: (channel: string) => Promise<ChannelVisibility>;
}

/** Shows on an alert what people did about it. */
export function createOutcomesOnAlerts(deps: Deps): OutcomesOnAlerts {
  const { alerts, trackedMessages, updateAlert, visibilityOf } = deps;
  return {
    async show(alertId, actionId, outcome) {
      for (const id of [alertId, ...(await casesShowing(alertId, outcome, deps))]) {
        await alerts.setOutcome(id, actionId, outcome);
        await updateAlert(id);
      }
    },
    seen: (id, ref) => trackedMessages.addSeen({ kind: 'alert', id }, ref),
    areShownIn: async (channel) => mayShow('details', await visibilityOf(channel)),
    async saysOfRuleset(alertId) {
      const alert = await alerts.get(alertId);
      return alert !== null && saysOfRuleset(alert);
    },
  };
}

/**
 * The messages of the fraud case that show the outcome, too. What is about one purchase is for the message that reported it;
 * whether its block worked is for both.
 */
async function casesShowing(alertId: string, { verb }: Outcome, { fraudCases }: Deps): Promise<string[]> {
  const caseId = verb === 'report-fraud' ? null : await fraudCases.ofAlert(alertId);
  if (caseId === null) return [];
  if (verb !== 'recognize' && verb !== 'block') return [caseId];
  const opened = await fraudCases.ofReport(caseId);
  if (opened === null || opened.alertId === alertId) return [caseId];
  const added = addedCaseId(caseId, alertId);
  return verb === 'block' ? [caseId, added] : [added];
}
