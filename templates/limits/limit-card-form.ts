import type { ModalView } from '@slack/types';
import { limitPeriods } from '../../src/card-api/rule.ts';
import type { CardFacts } from '../../src/core/card-facts.ts';
import { callbackId } from '../../src/slack/action-id.ts';
import * as limits from '../../src/slack/limits.ts';
import { context, plainText, section } from '../core/blocks.ts';
import { capital, cardOfHolder } from '../core/card-words.ts';
import { mayLeaveRuleset } from './ruleset-words.ts';

/** `block_id` and `action_id` of each input. */
export const limitCardInput = { period: 'period', amount: 'amount', duration: 'duration', reason: 'reason' } as const;

const options = limitPeriods.map((period) => ({
  text: plainText(capital(period), limits.OPTION_TEXT_MAX),
  value: period,
}));

/**
 * *Change limit…* of a card that was picked: what `/card limit` asks for, one input each.
 *
 * @param privateMetadata opaque id: comes back with the submission.
 * @param card which it is about; null: nothing is known of it.
 */
export function limitCardForm(privateMetadata: string, card: CardFacts | null): ModalView {
  const { period, amount, duration, reason } = limitCardInput;
  const label = (text: string) => plainText(text, limits.INPUT_LABEL_MAX);
  const hint = (text: string) => plainText(text, limits.INPUT_HINT_MAX);
  return {
    type: 'modal',
    callback_id: callbackId.limitCard,
    private_metadata: privateMetadata,
    title: plainText('Change a limit', limits.MODAL_TITLE_MAX),
    submit: plainText('Change limit', limits.MODAL_TITLE_MAX),
    close: plainText('Back', limits.MODAL_TITLE_MAX),
    blocks: [
      ...(card === null ? [] : [section(`*${cardOfHolder(card)}*`), ...context(mayLeaveRuleset(card))]),
      {
        type: 'input',
        block_id: period,
        label: label('Which limit'),
        element: {
          type: 'static_select',
          action_id: period,
          options,
          ...(options[0] === undefined ? {} : { initial_option: options[0] }),
        },
      },
      {
        type: 'input',
        block_id: amount,
        label: label('New limit in dollars'),
        hint: hint('The new limit, not the difference. Examples: 450, $1,250.50, none'),
        element: { type: 'plain_text_input', action_id: amount, max_length: 20 },
      },
      {
        type: 'input',
        block_id: duration,
        label: label('For how long'),
        hint: hint('Examples: 4h, 2 days, until friday, until May 9, permanently'),
        element: { type: 'plain_text_input', action_id: duration, max_length: 40 },
      },
      {
        type: 'input',
        block_id: reason,
        label: label('Reason'),
        hint: hint('Goes on record with your name.'),
        element: { type: 'plain_text_input', action_id: reason, multiline: true, min_length: 1, max_length: 500 },
      },
    ],
  };
}
