import type { ListenerDeps } from '../deps.ts';
import type { ButtonArgs } from './button-args.ts';
import { ofButton } from './interaction.ts';

/** A button of an alert that asks for one thing, done to the alert's card: its value is the alert's id. */
export function actOnAlert(verb: 'block' | 'acknowledge' | 'recognize') {
  return (deps: ListenerDeps) =>
    async ({ ack, body, action }: ButtonArgs): Promise<void> => {
      await ack();
      const interaction = ofButton(body, deps);
      const target = { kind: 'alert', alertId: action.value ?? '' } as const;
      await deps.requestAction({ ...interaction, verb, target, input: {} }, interaction.notify);
    };
}
