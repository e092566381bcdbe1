import { ruleRemedy } from '../../src/alerts/rule-remedy.ts';
import { commandCode } from '../../src/core/installation.ts';
import type { Prepared } from '../../src/dispatch/request-action.ts';
import type { InputOf } from '../../src/dispatch/verbs.ts';
import { remedyForm } from '../../templates/limits/remedy-form.ts';
import { onPress } from '../dispatch/press.ts';
import { refused } from '../dispatch/refused.ts';

/**
 * *Raise limit…*, *Allow …*, *Unblock card…* on a decline: opens the form.
 *
 * Slack's trigger expires after three seconds, so the form opens with the alert's data. The worker then reads the card
 * and fills in current values. It reads the card again before changing anything.
 */
export const approveRemedy = onPress(async ({ value: alertId, body, interaction }, deps) => {
  const openForm = async (): Promise<Prepared<InputOf<'remedy'>>> => {
    const alert = await deps.alerts.get(alertId);
    if (alert?.kind !== 'transaction' || alert.event.decline === null) {
      const whoCan = `Use ${commandCode('limit')} with the card’s last four digits.`;
      return refused({ why: 'This alert is too old.', whoCan });
    }
    // Without advice from the card service, the code says which rule the form is about.
    const remedy = alert.remedy ?? ruleRemedy(alert.event.decline);
    const { channel, messageTs } = interaction.origin;
    const form = { kind: 'form', alertId, channel, messageTs, remedy, rules: null, passes: false } as const;
    const pendingId = await deps.pending.put(form);
    const view = remedyForm({ privateMetadata: pendingId, alert, remedy, state: 'checking', today: deps.today() });
    const { viewId, hash } = await deps.openView(body.trigger_id, view);
    return { kind: 'input', input: { form: { viewId, hash, pendingId } } };
  };
  const target = { kind: 'alert', alertId } as const;
  await deps.requestAction({ ...interaction, verb: 'remedy', target, input: openForm });
});
