import type { ListenerDeps } from '../deps.ts';
import { ofButton } from '../interaction.ts';
import type { ButtonArgs } from './button-args.ts';
import { chooseCard } from './choose-card.ts';

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
      { ...interaction, verb: 'activate', target: { kind: 'alert', alertId: value } },
      interaction.tell,
    );
  };
}
