import type { AllMiddlewareArgs, GlobalShortcut, SlackShortcutMiddlewareArgs } from '@slack/bolt';
import { slashCommand } from '../../src/core/installation.ts';
import { commandForm, commandInput } from '../../templates/dispatch/command-form.ts';
import type { ListenerDeps } from '../deps.ts';
import { runCommand } from './card-command.ts';
import { inputsOf } from './form-inputs.ts';
import { ofForm, type ViewArgs } from './submission.ts';

type Args = AllMiddlewareArgs & SlackShortcutMiddlewareArgs<GlobalShortcut>;

/** *Cardbell command*, the global shortcut. It also works in threads, where Slack does not allow slash commands. */
export function openCommandForm({ openView }: Pick<ListenerDeps, 'openView'>) {
  return async ({ ack, shortcut }: Args): Promise<void> => {
    await ack();
    await openView(shortcut.trigger_id, commandForm());
  };
}

/**
 * The submitted command form. Parse errors appear next to the input; all other answers go to the chosen conversation.
 */
export function runCommandForm(deps: ListenerDeps) {
  return async ({ ack, body, view }: ViewArgs): Promise<void> => {
    const inputs = inputsOf(view);
    const person = inputs.person(commandInput.person);
    const typed = inputs.text(commandInput.words).split(/\s+/);
    const [verb = '', ...rest] = typed[0] === slashCommand() ? typed.slice(1) : typed;
    const mention = person === null ? [] : [`<@${person}>`];
    // `delegate` takes the person before the days; other verbs take the holder after the card.
    const words = verb.toLowerCase() === 'delegate' ? [verb, ...mention, ...rest] : [verb, ...rest, ...mention];
    const parsed = deps.readCommand(words.join(' '));
    if (parsed.kind === 'unclear') {
      await ack(inputs.refusal({ [commandInput.words]: parsed.why }));
      return;
    }
    await ack();
    const channel = inputs.channel(commandInput.channel) ?? body.user.id;
    await runCommand(parsed, body.trigger_id, ofForm(body, { channel, messageTs: null }, deps), deps);
  };
}
