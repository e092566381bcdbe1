import { saysOfRuleset } from '../../templates/limits/ruleset-words.ts';
import type { OutcomesOnAlerts } from '../actions/report.ts';
import type { MessageRef } from '../slack/message.ts';
import type { Alerts } from './alert-store.ts';

interface Deps {
  readonly alerts: Pick<Alerts, 'get' | 'setOutcome'>;
  /** The fraud case that was opened from an alert; null when there is none. */
  readonly caseOf: (alertId: string) => Promise<string | null>;
  /** Records a message that shows the alert. */
  readonly seen: (alertId: string, message: MessageRef) => Promise<void>;
  /** Schedules an update of the alert's messages. */
  readonly updateAlert: (alertId: string) => Promise<void>;
}

/** Shows on an alert what people did about it. */
export function createOutcomesOnAlerts({ alerts, caseOf, seen, updateAlert }: Deps): OutcomesOnAlerts {
  return {
    async show(alertId, actionId, outcome) {
      const caseId = outcome.verb === 'report-fraud' ? null : await caseOf(alertId);
      for (const id of caseId === null ? [alertId] : [alertId, caseId]) {
        await alerts.setOutcome(id, actionId, outcome);
        await updateAlert(id);
      }
    },
    seen,
    async saysOfRuleset(alertId) {
      const alert = await alerts.get(alertId);
      return alert !== null && saysOfRuleset(alert);
    },
  };
}
