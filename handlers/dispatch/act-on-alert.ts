import type { Ask } from '../../src/dispatch/request-action.ts';
import type { ActionOf, InputOf, Verb } from '../../src/dispatch/verbs.ts';
import type { ListenerDeps } from '../deps.ts';
import type { ButtonArgs } from './button-args.ts';
import { ofButton } from './interaction.ts';

type OnAlert = { readonly kind: 'alert'; readonly alertId: string };

/** Verbs that can be asked for of an alert and take nothing besides. */
type AlertVerb = {
  [V in Verb]: OnAlert extends ActionOf<V>['target'] ? (keyof InputOf<V> extends never ? V : never) : never;
}[Verb];

/** A button of an alert that asks for one thing, done to the alert's card: its value is the alert's id. */
export function actOnAlert(verb: AlertVerb) {
  return (deps: ListenerDeps) =>
    async ({ ack, body, action }: ButtonArgs): Promise<void> => {
      await ack();
      const interaction = ofButton(body, deps);
      const target = { kind: 'alert', alertId: action.value ?? '' } as const;
      const ask: Extract<Ask, { verb: AlertVerb }> = { ...interaction, verb, target, input: {} };
      await deps.requestAction(ask, interaction.notify);
    };
}
