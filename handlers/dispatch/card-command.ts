import type {
  AllMiddlewareArgs,
  GlobalShortcut,
  SlackCommandMiddlewareArgs,
  SlackShortcutMiddlewareArgs,
} from '@slack/bolt';
import type { ListenerDeps } from '../../src/app/compose-web.ts';
import { slashCommand } from '../../src/core/installation.ts';
import { withoutTypedSecrets } from '../../src/directory/typed-words.ts';
import { type Command, readSlashText } from '../../src/dispatch/command.ts';
import { askOf } from '../../src/dispatch/request-action.ts';
import { helpNow, permissionOf } from '../../src/dispatch/verbs.ts';
import { commandForm, commandInput } from '../../templates/dispatch/command-form.ts';
import { help } from '../../templates/dispatch/help.ts';
import { unclear } from '../../templates/dispatch/unclear.ts';
import { askForRaiseByCommand } from '../approvals/ask-for-raise.ts';
import { openVirtualOrder } from '../virtual-cards/order-virtual.ts';
import { inputsOf } from './form-inputs.ts';
import { type Interaction, ofCommand } from './interaction.ts';
import { openPicker } from './picker.ts';
import { ofForm, type ViewArgs } from './submission.ts';

type Args = AllMiddlewareArgs & SlackCommandMiddlewareArgs;

/** Verbs that also have their own command, such as `/card-block`. */
const shortForms = ['activate', 'block', 'limit'] as const;

/** Every slash command and its verb. */
export function slashCommands(): ReadonlyMap<string, string> {
  const name = slashCommand();
  return new Map([[name, ''], ...shortForms.map((verb) => [`${name}-${verb}`, verb] as const)]);
}

/** `/card VERB …` and its short forms: acknowledged at once, performed by the worker. */
export function card(verb: string, deps: ListenerDeps) {
  return async ({ ack, command }: Args): Promise<void> => {
    await ack();
    const interaction = ofCommand(command, deps);
    // Only `/card` has Slack's escaping turned on, so only there do mentions include user ids.
    // Required by Slack's types, and yet absent from some requests without words.
    const text = command.text ?? '';
    const typed = verb === '' ? readSlashText(text) : text;
    await runCommand(deps.readCommand(`${verb} ${typed}`), command.trigger_id, interaction, deps);
  };
}

/** Runs a command or passes it to the worker. Used for both typed commands and the command form. */
async function runCommand(
  parsed: Command,
  triggerId: string,
  interaction: Interaction,
  deps: ListenerDeps,
): Promise<void> {
  switch (parsed.kind) {
    case 'help':
      await interaction.notify(help(await helpNow(interaction.actor.userId, deps.rights.rolesOf)));
      return;
    case 'pick':
      await openPicker(triggerId, interaction, deps);
      return;
    case 'unclear':
      await interaction.notify(unclear(parsed));
      return;
    case 'read': {
      const { ifCard } = parsed;
      if (ifCard !== undefined && (await isTheirCard(ifCard.number, parsed.verb, interaction, deps)))
        return await interaction.notify(unclear(ifCard.question));
      const ask = askOf({ ...interaction, ...(await withoutTypedSecrets(parsed, deps.directory)) });
      if (ask.verb === 'order-virtual') await openVirtualOrder(triggerId, parsed.input, interaction, deps);
      else if (ask.verb === 'ask') await askForRaiseByCommand(ask, triggerId, interaction, deps);
      else await deps.requestAction({ ...ask, notify: interaction.notify });
    }
  }
}

/** Whether a number names a card on which this person may do this. Reveals nothing about other people's cards. */
async function isTheirCard(
  number: string,
  verb: string,
  { actor, isExternal }: Interaction,
  { directory, cardsFor }: ListenerDeps,
): Promise<boolean> {
  if (isExternal) return false;
  return (await cardsFor(actor.userId, permissionOf(verb), await directory.findKnown(number))).length > 0;
}

/** *Cardbell command*, the global shortcut. It also works in threads, where Slack does not allow slash commands. */
export function openCommandForm({ openView }: Pick<ListenerDeps, 'openView'>) {
  return async ({ ack, shortcut }: AllMiddlewareArgs & SlackShortcutMiddlewareArgs<GlobalShortcut>): Promise<void> => {
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
    const typed = inputs.typed(commandInput.words).split(/\s+/);
    const [verb = '', ...rest] = typed[0] === slashCommand() ? typed.slice(1) : typed;
    const mention = person === null ? [] : [`<@${person}>`];
    // `delegate` takes the person before the days; other verbs take the holder after the card.
    const words = verb.toLowerCase() === 'delegate' ? [verb, ...mention, ...rest] : [verb, ...rest, ...mention];
    const parsed = deps.readCommand(words.join(' '));
    if (parsed.kind === 'unclear') {
      const why = `${parsed.why} Write ${slashCommand(parsed.usage)}.`;
      await ack(inputs.refusal({ [commandInput.words]: why }));
      return;
    }
    const chosen = inputs.channel(commandInput.channel);
    if (chosen === null && changesChannel(parsed)) {
      await ack(inputs.refusal({ [commandInput.channel]: 'Choose the channel to change.' }));
      return;
    }
    await ack();
    const channel = chosen ?? body.user.id;
    await runCommand(parsed, body.trigger_id, ofForm(body, { channel, messageTs: null }, deps), deps);
  };
}

function changesChannel(parsed: Command): boolean {
  return parsed.kind === 'read' && parsed.target.kind === 'channel' && permissionOf(parsed.verb).ofAllCards === true;
}
