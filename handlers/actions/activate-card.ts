import type { ListenerDeps } from '../deps.ts';
import type { ButtonArgs } from '../dispatch/button-args.ts';
import { chooseCard } from '../dispatch/choose-card.ts';
import { ofButton } from '../dispatch/interaction.ts';

/** *Activate card*: on an alert its value is the alert's id; on the question "this ends other cards" a pending choice. */
export function activateCard(deps: ListenerDeps) {
  const confirm = chooseCard(deps);
  return async (args: ButtonArgs): Promise<void> => {
    const value = args.action.value ?? '';
    if (value.startsWith('p_')) {
      await confirm(args);
      return;
    }
    await args.ack();
    const interaction = ofButton(args.body, deps);
    await deps.requestAction(
      { ...interaction, verb: 'activate', target: { kind: 'alert', alertId: value }, input: { confirmed: false } },
      interaction.notify,
    );
  };
}
