import type {
  AllMiddlewareArgs,
  BlockAction,
  ExternalSelectAction,
  SlackActionMiddlewareArgs,
  StaticSelectAction,
} from '@slack/bolt';
import { renderAlert } from '../../templates/alert.ts';
import { refusal } from '../../templates/refusal.ts';
import type { ListenerDeps } from '../deps.ts';
import { ofButton } from '../interaction.ts';

type Choice = BlockAction<StaticSelectAction | ExternalSelectAction>;

/**
 * One alert chosen in a message that shows several: shows it to the person who chose, with its buttons and what was done
 * about it. It says no more than the message itself, so whoever sees that may open it; the buttons ask who may.
 */
export function openAlert(deps: ListenerDeps) {
  return async ({ ack, body, action }: AllMiddlewareArgs & SlackActionMiddlewareArgs<Choice>): Promise<void> => {
    await ack();
    const { tell, origin } = ofButton(body, deps);
    const stored = await deps.alerts.get(action.selected_option?.value ?? '');
    if (stored === null) {
      const whoCan = 'Use `/card show` with the card’s last four digits.';
      await tell(refusal({ what: 'The alert', why: 'It is more than 30 days old.', whoCan }));
      return;
    }
    await tell(renderAlert(stored.alert, { place: await deps.placeOf(origin.channel), channel: origin.channel }));
  };
}
