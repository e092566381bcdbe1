import type { AllMiddlewareArgs, SlackCommandMiddlewareArgs } from '@slack/bolt';
import type { Target } from '../../src/actions/action.ts';
import { parseCommand } from '../../src/dispatch/command.ts';
import { readSlashText } from '../../src/dispatch/slash-text.ts';
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
    const parsed = parseCommand(`${verbOf[command.command] ?? ''} ${typed}`);
    switch (parsed.verb) {
      case 'help':
        // Everybody may know what there is; the list says who may do it.
        await interaction.notify(help({ isOperator: true, isApprover: true }));
        return;
      case 'pick':
        await openPicker(command.trigger_id, interaction, deps);
        return;
      case 'order-virtual':
        await openVirtualOrder(command.trigger_id, parsed.words, interaction, deps);
        return;
      case 'unclear':
        await interaction.notify(unclear(parsed));
        return;
      case 'limit': {
        const { words, changeRequest, reason } = parsed;
        const target: Target = { kind: 'words', words: [...words] };
        await deps.requestAction({ ...interaction, verb: 'limit', target, changeRequest, reason }, interaction.notify);
        return;
      }
      case 'ask':
        await askForRaiseByCommand(parsed, command.trigger_id, interaction, deps);
        return;
      case 'recover': {
        const target: Target = { kind: 'since', since: parsed.since };
        await deps.requestAction({ ...interaction, verb: 'recover', target }, interaction.notify);
        return;
      }
      case 'link': {
        const target: Target = { kind: 'words', words: [...parsed.words] };
        await deps.requestAction({ ...interaction, verb: 'link', target, subject: parsed.subject }, interaction.notify);
        return;
      }
      default: {
        const target: Target =
          'text' in parsed ? { kind: 'place', text: parsed.text } : { kind: 'words', words: [...parsed.words] };
        const details = 'details' in parsed ? { details: parsed.details } : {};
        await deps.requestAction({ ...interaction, verb: parsed.verb, target, ...details }, interaction.notify);
      }
    }
  };
}
