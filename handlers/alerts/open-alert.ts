import type {
  AllMiddlewareArgs,
  BlockAction,
  ExternalSelectAction,
  SlackActionMiddlewareArgs,
  StaticSelectAction,
} from '@slack/bolt';
import type { Refused } from '../../src/dispatch/request-action.ts';
import { renderAlert } from '../../templates/alerts/alert.ts';
import type { ListenerDeps } from '../deps.ts';
import { ofButton } from '../dispatch/interaction.ts';
import { look } from '../dispatch/look.ts';
import { alertTooOld } from '../dispatch/refused.ts';

type Choice = BlockAction<StaticSelectAction | ExternalSelectAction>;

/**
 * One alert chosen in a message that shows several: shows it to the person who chose, with its buttons and what was done
 * about it. It says no more than the message itself, so whoever sees that may open it; the buttons ask who may.
 */
export function openAlert(deps: ListenerDeps) {
  return async ({ ack, body, action }: AllMiddlewareArgs & SlackActionMiddlewareArgs<Choice>): Promise<void> => {
    await ack();
    const interaction = ofButton(body, deps);
    const { notify, origin } = interaction;
    const alertId = action.selected_option?.value ?? '';
    const show = async (): Promise<Refused | undefined> => {
      const alert = await deps.alerts.get(alertId);
      if (alert === null) return alertTooOld();
      await notify(renderAlert(alert, { place: await deps.visibilityOf(origin.channel), channel: origin.channel }));
      return undefined;
    };
    await look(interaction, { target: { kind: 'alert', alertId }, seen: 'alert' }, show, deps);
  };
}
