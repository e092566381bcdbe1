import type { ModalView } from '@slack/types';
import { commandCode } from '../../src/core/installation.ts';
import { alertDetails } from '../../templates/alerts/alert-details.ts';
import type { ListenerDeps } from '../deps.ts';
import type { ButtonArgs } from '../dispatch/button-args.ts';
import { ofButton } from '../dispatch/interaction.ts';
import { refuseChoice } from '../dispatch/refused.ts';

/** *Details*: all there is to say of an alert. It says no more than the message may, so whoever sees that may open it. */
export function showDetails(audience: 'team' | 'holder') {
  return (deps: ListenerDeps) =>
    async ({ ack, body, action }: ButtonArgs): Promise<void> => {
      await ack();
      const interaction = ofButton(body, deps);
      const { channel } = interaction.origin;
      const alertId = action.value ?? '';
      const alert = await deps.alerts.get(alertId);
      const view: ModalView | null =
        alert === null ? null : alertDetails(alert, audience, { place: await deps.visibilityOf(channel), channel });
      if (view !== null) {
        await deps.openView(body.trigger_id, view);
        return;
      }
      const whoCan = `Use ${commandCode('show')} with the card’s last four digits.`;
      const no = { what: 'The details', why: 'The alert is more than 30 days old.', whoCan };
      await refuseChoice(interaction, { kind: 'alert', alertId }, no, deps);
    };
}
