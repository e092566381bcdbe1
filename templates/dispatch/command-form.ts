import type { InputBlock, ModalView } from '@slack/types';
import { slashCommand } from '../../src/core/installation.ts';
import { callbackId } from '../../src/slack/action-id.ts';
import * as limits from '../../src/slack/limits.ts';
import { plainText } from '../core/blocks.ts';

/** `action_id` and `block_id` of each input. */
export const commandInput = { words: 'words', person: 'person', channel: 'channel' } as const;

/** The form behind the global shortcut: a command, with pickers for whom and where it is about. */
export function commandForm(): ModalView {
  return {
    type: 'modal',
    callback_id: callbackId.cardCommand,
    title: plainText('Cardbell command', limits.MODAL_TITLE_MAX),
    submit: plainText('Run', limits.MODAL_TITLE_MAX),
    close: plainText('Cancel', limits.MODAL_TITLE_MAX),
    blocks: [
      {
        ...input(commandInput.words, 'Command', {
          type: 'plain_text_input',
          action_id: commandInput.words,
          max_length: 500,
          placeholder: plainText('show 4242', limits.PLACEHOLDER_MAX),
        }),
        hint: plainText(
          `What you would write after ${slashCommand()}. Examples: show 4242, block 4242 lost, limit 4242 daily 400 for 2h, help`,
          limits.INPUT_HINT_MAX,
        ),
      },
      {
        ...input(commandInput.channel, 'Channel', {
          type: 'conversations_select',
          action_id: commandInput.channel,
          default_to_current_conversation: true,
        }),
        optional: true,
        hint: plainText(
          'Only you see the answer. Subscriptions, digests and quiet hours apply to this channel. If empty, I answer in a direct message.',
          limits.INPUT_HINT_MAX,
        ),
      },
      {
        ...input(commandInput.person, 'Person', { type: 'users_select', action_id: commandInput.person }),
        optional: true,
        hint: plainText('For link: who holds the card. For delegate: who stands in for you.', limits.INPUT_HINT_MAX),
      },
    ],
  };
}

function input(id: string, label: string, element: InputBlock['element']): InputBlock {
  return { type: 'input', block_id: id, label: plainText(label, limits.INPUT_LABEL_MAX), element };
}
