import type { ModalView } from '@slack/types';
import { slashCommand } from '../../src/core/installation.ts';
import { callbackId } from '../../src/slack/action-id.ts';
import { input, modal, textInput } from '../core/form.ts';

/** `action_id` and `block_id` of each input. */
export const commandInput = { words: 'words', person: 'person', channel: 'channel' } as const;

/** The form behind the global shortcut: a command, with pickers for the person and the channel. */
export function commandForm(): ModalView {
  return modal({
    callback: callbackId.cardCommand,
    title: 'Cardbell command',
    submit: 'Run',
    blocks: [
      textInput(commandInput.words, 'Command', {
        max: 500,
        placeholder: 'show 4242',
        hint: `What you would write after ${slashCommand()}. Examples: show 4242, block 4242 lost, limit 4242 daily 400 for 2h, help`,
      }),
      input(
        commandInput.channel,
        'Channel',
        { type: 'conversations_select', default_to_current_conversation: true },
        {
          optional: true,
          hint: 'Only you see the answer. Subscriptions, digests and quiet hours apply to this channel. If empty, I answer in a direct message.',
        },
      ),
      input(
        commandInput.person,
        'Person',
        { type: 'users_select' },
        { optional: true, hint: 'For link: who holds the card. For delegate: who stands in for you.' },
      ),
    ],
  });
}
