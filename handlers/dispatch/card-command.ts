import type { AllMiddlewareArgs, SlackCommandMiddlewareArgs } from '@slack/bolt';
import { readSlashText } from '../../src/dispatch/command.ts';
import { askOf } from '../../src/dispatch/request-action.ts';
import { helpFor } from '../../src/dispatch/verbs.ts';
import { help } from '../../templates/dispatch/help.ts';
import { unclear } from '../../templates/dispatch/unclear.ts';
import { askForRaiseByCommand } from '../approvals/ask-by-command.ts';
import type { ListenerDeps } from '../deps.ts';
import { openVirtualOrder } from '../virtual-cards/virtual-order.ts';
import { ofCommand } from './interaction.ts';
import { openPicker } from './picker.ts';

type Args = AllMiddlewareArgs & SlackCommandMiddlewareArgs;

/** Slash commands that are a verb of `/card` by themselves. */
export const verbOf: Readonly<Record<string, string>> = {
  '/card': '',
  '/card-activate': 'activate',
  '/card-block': 'block',
  '/card-limit': 'limit',
};

/** `/card VERB …` and its short forms: answered at once, done by the worker. */
export function card(deps: ListenerDeps) {
  return async ({ ack, command }: Args): Promise<void> => {
    await ack();
    const interaction = ofCommand(command, deps);
    // Only `/card` asks Slack for its form of escaping: people come with their ids.
    const typed = command.command === '/card' ? readSlashText(command.text) : command.text;
    const parsed = deps.readCommand(`${verbOf[command.command] ?? ''} ${typed}`);
    switch (parsed.kind) {
      case 'help':
        await interaction.notify(help(helpFor((await deps.permissions.rolesOf(command.user_id)).roles)));
        return;
      case 'pick':
        await openPicker(command.trigger_id, interaction, deps);
        return;
      case 'unclear':
        await interaction.notify(unclear(parsed));
        return;
      case 'read': {
        const ask = askOf({ ...interaction, ...parsed });
        if (ask.verb === 'order-virtual') await openVirtualOrder(command.trigger_id, parsed.input, interaction, deps);
        else if (ask.verb === 'ask') await askForRaiseByCommand(ask, command.trigger_id, interaction, deps);
        else await deps.requestAction(ask, interaction.notify);
      }
    }
  };
}
