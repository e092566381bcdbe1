import type { ModalView } from '@slack/types';
import { limitPeriods } from '../../src/card-api/rule.ts';
import type { CardFacts } from '../../src/core/card-facts.ts';
import { capital } from '../../src/core/first-letter.ts';
import { callbackId } from '../../src/slack/action-id.ts';
import { context, section } from '../core/blocks.ts';
import { cardOfHolder } from '../core/card-words.ts';
import { input, modal, option, textInput } from '../core/form.ts';
import { mayLeaveRuleset } from './ruleset-words.ts';

/** `block_id` and `action_id` of each input. */
export const limitCardInput = { period: 'period', amount: 'amount', duration: 'duration', reason: 'reason' } as const;

const options = limitPeriods.map((period) => option(capital(period), period));

/**
 * *Change limit…* for a picked card: the inputs of `/card limit`.
 *
 * @param privateMetadata opaque id that comes back with the submission.
 * @param card the card; null: unknown.
 */
export function limitCardForm(privateMetadata: string, card: CardFacts | null): ModalView {
  const { period, amount, duration, reason } = limitCardInput;
  return modal({
    callback: callbackId.limitCard,
    privateMetadata,
    title: 'Change a limit',
    submit: 'Change limit',
    close: 'Back',
    blocks: [
      ...(card === null ? [] : [section(`*${cardOfHolder(card)}*`), ...context(mayLeaveRuleset(card))]),
      input(period, 'Which limit', {
        type: 'static_select',
        options,
        initial_option: option('Daily', 'daily'),
      }),
      textInput(amount, 'New limit in dollars', {
        max: 20,
        hint: 'The new limit, not the difference. Examples: 450, $1,250.50, none',
      }),
      textInput(duration, 'For how long', {
        max: 40,
        hint: 'Examples: 4h, 2 days, until friday, until May 9, permanently',
      }),
      textInput(reason, 'Reason', { max: 500, min: 1, multiline: true, hint: 'Goes on record with your name.' }),
    ],
  });
}
