import type { AllMiddlewareArgs, SlackCommandMiddlewareArgs } from '@slack/bolt';
import { slashCommand } from '../../src/core/installation.ts';
import { type Command, readSlashText } from '../../src/dispatch/command.ts';
import { askOf } from '../../src/dispatch/request-action.ts';
import { helpFor, permissionOf } from '../../src/dispatch/verbs.ts';
import { help } from '../../templates/dispatch/help.ts';
import { unclear } from '../../templates/dispatch/unclear.ts';
import { askForRaiseByCommand } from '../approvals/ask-for-raise.ts';
import type { ListenerDeps } from '../deps.ts';
import { openVirtualOrder } from '../virtual-cards/order-virtual.ts';
import { type Interaction, ofCommand } from './interaction.ts';
import { openPicker } from './picker.ts';

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
    const typed = verb === '' ? readSlashText(command.text) : command.text;
    await runCommand(deps.readCommand(`${verb} ${typed}`), command.trigger_id, interaction, deps);
  };
}

/** Runs a command or passes it to the worker. Used for both typed commands and the command form. */
export async function runCommand(
  parsed: Command,
  triggerId: string,
  interaction: Interaction,
  deps: ListenerDeps,
): Promise<void> {
  switch (parsed.kind) {
    case 'help':
      await interaction.notify(help(helpFor((await deps.permissions.rolesOf(interaction.actor.userId)).roles)));
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
      const ask = askOf({ ...interaction, ...parsed });
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
