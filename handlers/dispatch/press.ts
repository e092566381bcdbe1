import type {
  AllMiddlewareArgs,
  BlockAction,
  ButtonAction,
  ExternalSelectAction,
  SlackActionMiddlewareArgs,
  StaticSelectAction,
} from '@slack/bolt';
import type { ListenerDeps } from '../../src/app/compose-web.ts';
import type { Ask } from '../../src/dispatch/request-action.ts';
import type { Verb } from '../../src/dispatch/verbs.ts';
import { chosenIn, type Interaction, ofButton } from './interaction.ts';

/** A pressed button, or a menu with a selected option. */
export type Pressed = BlockAction<ButtonAction | StaticSelectAction | ExternalSelectAction>;

export type PressListener = (
  deps: ListenerDeps,
) => (args: AllMiddlewareArgs & SlackActionMiddlewareArgs<Pressed>) => Promise<void>;

export interface Press {
  /** The value of the button or option: usually an id. */
  readonly value: string;
  readonly body: Pressed;
  readonly interaction: Interaction;
}

export function onPress(act: (press: Press, deps: ListenerDeps) => Promise<void>): PressListener {
  return (deps) =>
    async ({ ack, body }) => {
      await ack();
      await act({ value: chosenIn(body.actions[0]), body, interaction: ofButton(body, deps) }, deps);
    };
}

/** What a control requests, independent of who uses it and where. */
export type Asked = { [V in Verb]: Pick<Extract<Ask, { readonly verb: V }>, 'verb' | 'target' | 'input'> }[Verb];

/** A button that requests one action. */
export function asks(read: (value: string) => Asked): PressListener {
  return onPress(({ value, interaction }, { requestAction }) => requestAction({ ...interaction, ...read(value) }));
}
