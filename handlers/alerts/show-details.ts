import type { Refused } from '../../src/dispatch/request-action.ts';
import { alertDetails } from '../../templates/alerts/alert-details.ts';
import type { ListenerDeps } from '../deps.ts';
import type { ButtonArgs } from '../dispatch/button-args.ts';
import { ofButton } from '../dispatch/interaction.ts';
import { look } from '../dispatch/look.ts';
import { alertTooOld } from '../dispatch/refused.ts';

/** *Details*: all there is to say of an alert. It says no more than the message may, so whoever sees that may open it. */
export function showDetails(audience: 'team' | 'holder') {
  return (deps: ListenerDeps) =>
    async ({ ack, body, action }: ButtonArgs): Promise<void> => {
      await ack();
      const interaction = ofButton(body, deps);
      const { channel } = interaction.origin;
      const alertId = action.value ?? '';
      const show = async (): Promise<Refused | undefined> => {
        const alert = await deps.alerts.get(alertId);
        const place = { place: await deps.visibilityOf(channel), channel };
        const view = alert === null ? null : alertDetails(alert, audience, place);
        if (view === null) return alertTooOld();
        await deps.openView(body.trigger_id, view);
        return undefined;
      };
      await look(interaction, { target: { kind: 'alert', alertId }, seen: 'details' }, show, deps);
    };
}
