import { saysOfRuleset } from '../../templates/limits/ruleset-words.ts';
import type { Outcome } from '../actions/action-state.ts';
import type { OutcomesOnAlerts } from '../actions/report.ts';
import type { MessageRef } from '../slack/message.ts';
import { type Alerts, alertsOfKind } from './alert-store.ts';
import type { CardHistory } from './card-history.ts';
import { addedCaseId, type FraudCases } from './fraud-case-store.ts';

interface Deps {
  readonly alerts: Pick<Alerts, 'get' | 'save' | 'setOutcome'>;
  readonly fraudCases: Pick<FraudCases, 'ofAlert' | 'ofReport' | 'openOf'>;
  readonly history: Pick<CardHistory, 'alertsBetween'>;
  readonly trackedMessages: { addSeen(subject: { kind: 'alert'; id: string }, ref: MessageRef): Promise<void> };
  readonly updateAlert: (alertId: string) => Promise<void>;
}

/** Shows on an alert what people did about it. */
export function createOutcomesOnAlerts(deps: Deps): OutcomesOnAlerts {
  const { alerts, trackedMessages, updateAlert } = deps;
  return {
    async show(alertId, actionId, outcome) {
      const caseId = await caseShowing(alertId, outcome, deps);
      for (const id of caseId === null ? [alertId] : [alertId, caseId]) {
        await alerts.setOutcome(id, actionId, outcome);
        await updateAlert(id);
      }
      if (outcome.verb === 'close-case') await allowUnblocking(alertId, deps);
    },
    seen: (id, ref) => trackedMessages.addSeen({ kind: 'alert', id }, ref),
    async saysOfRuleset(alertId) {
      const alert = await alerts.get(alertId);
      return alert !== null && saysOfRuleset(alert);
    },
  };
}

/** The fraud case that shows the outcome, too. What is about one purchase is for the message that reported it. Null: none. */
async function caseShowing(alertId: string, { verb }: Outcome, { fraudCases }: Deps): Promise<string | null> {
  const caseId = verb === 'report-fraud' ? null : await fraudCases.ofAlert(alertId);
  if (caseId === null || verb !== 'recognize') return caseId;
  const opened = await fraudCases.ofReport(caseId);
  return opened === null || opened.alertId === alertId ? caseId : addedCaseId(caseId, alertId);
}

/** Without an open case approvers may unblock the card, so the alerts of its declines no longer say to order a new one. */
async function allowUnblocking(caseId: string, { alerts, fraudCases, history, updateAlert }: Deps): Promise<void> {
  const acctId = (await alerts.get(caseId))?.event.acctId ?? null;
  if (acctId === null || (await fraudCases.openOf(acctId)) !== null) return;
  const ids = await history.alertsBetween(acctId, 'declines', 0, Number.MAX_SAFE_INTEGER);
  for (const decline of await alertsOfKind('transaction', ids, alerts)) {
    const { event, remedy } = decline;
    if (remedy?.kind !== 'unblock' || remedy.hasFraudCase !== true) continue;
    await alerts.save({ ...decline, remedy: { kind: 'unblock' } });
    await updateAlert(event.id);
  }
}
