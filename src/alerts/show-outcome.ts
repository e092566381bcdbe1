import { saysOfRuleset } from '../../templates/limits/ruleset-words.ts';
import type { OutcomesOnAlerts } from '../actions/report.ts';
import type { MessageRef } from '../slack/message.ts';
import type { Alerts } from './alert-store.ts';
import type { FraudCases } from './fraud-case-store.ts';

interface Deps {
  readonly alerts: Pick<Alerts, 'get' | 'setOutcome'>;
  readonly fraudCases: Pick<FraudCases, 'ofAlert'>;
  readonly trackedMessages: { addSeen(subject: { kind: 'alert'; id: string }, ref: MessageRef): Promise<void> };
  readonly updateAlert: (alertId: string) => Promise<void>;
}

/** Shows on an alert what people did about it. */
export function createOutcomesOnAlerts({ alerts, fraudCases, trackedMessages, updateAlert }: Deps): OutcomesOnAlerts {
  return {
    async show(alertId, actionId, outcome) {
      const caseId = outcome.verb === 'report-fraud' ? null : await fraudCases.ofAlert(alertId);
      for (const id of caseId === null ? [alertId] : [alertId, caseId]) {
        await alerts.setOutcome(id, actionId, outcome);
        await updateAlert(id);
      }
    },
    seen: (id, ref) => trackedMessages.addSeen({ kind: 'alert', id }, ref),
    async saysOfRuleset(alertId) {
      const alert = await alerts.get(alertId);
      return alert !== null && saysOfRuleset(alert);
    },
  };
}
