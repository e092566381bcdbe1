import type { KnownBlock, ModalView, Option } from '@slack/types';
import { type CardFacts, type LimitPeriod, limitPeriods } from '../src/alert/alert.ts';
import { formatCents } from '../src/alert/money.ts';
import { callbackId } from '../src/slack/action-id.ts';
import * as limits from '../src/slack/limits.ts';
import { capital, cardOfHolder } from './card-words.ts';
import { context, outside, plainText, section } from './parts.ts';

/** `block_id` and `action_id` of each input. */
export const raiseLimitInput = { period: 'period', amount: 'amount', reason: 'reason' } as const;

export interface RaiseLimitForm {
  /** Opaque id: comes back with the submission. */
  readonly privateMetadata: string;
  readonly card: CardFacts;
  /** What was declined, if the form was opened from a decline. */
  readonly declined: { readonly amountCents: number; readonly merchant: string } | null;
  readonly period: LimitPeriod;
  /** A category limit names its category; it is not chosen. */
  readonly category: string | null;
  readonly currentCents: number | null;
  readonly remainingCents: number | null;
  readonly suggestedCents: number | null;
}

/** The form behind *Raise limit…*: which limit, how high, and why. */
export function raiseLimitForm(form: RaiseLimitForm): ModalView {
  const { period, suggestedCents } = form;
  const options = limitPeriods.map(option);

  return {
    type: 'modal',
    callback_id: callbackId.raiseLimit,
    private_metadata: form.privateMetadata,
    title: plainText('Raise a limit', limits.MODAL_TITLE_MAX),
    submit: plainText('Raise limit', limits.MODAL_TITLE_MAX),
    close: plainText('Cancel', limits.MODAL_TITLE_MAX),
    blocks: [
      ...about(form),
      {
        type: 'input',
        block_id: raiseLimitInput.period,
        label: plainText('Which limit', limits.INPUT_LABEL_MAX),
        element: {
          type: 'static_select',
          action_id: raiseLimitInput.period,
          options,
          initial_option: option(period),
        },
      },
      {
        type: 'input',
        block_id: raiseLimitInput.amount,
        label: plainText('New limit in dollars', limits.INPUT_LABEL_MAX),
        hint: plainText('The whole limit, not the difference. Examples: 450, $1,250.50', limits.INPUT_HINT_MAX),
        element: {
          type: 'plain_text_input',
          action_id: raiseLimitInput.amount,
          max_length: 20,
          ...(suggestedCents !== null && { initial_value: (suggestedCents / 100).toFixed(2) }),
        },
      },
      {
        type: 'input',
        block_id: raiseLimitInput.reason,
        label: plainText('Reason', limits.INPUT_LABEL_MAX),
        hint: plainText('Goes into the record, with your name.', limits.INPUT_HINT_MAX),
        element: {
          type: 'plain_text_input',
          action_id: raiseLimitInput.reason,
          multiline: true,
          min_length: 1,
          max_length: 500,
        },
      },
    ],
  };
}

function option(period: LimitPeriod): Option & { text: ReturnType<typeof plainText> } {
  return { text: plainText(capital(period), limits.OPTION_TEXT_MAX), value: period };
}

function about({
  card,
  declined,
  period,
  category,
  currentCents,
  remainingCents,
  suggestedCents,
}: RaiseLimitForm): KnownBlock[] {
  const at = declined === null || declined.merchant.trim() === '' ? '' : ` at ${outside(declined.merchant, 80)}`;
  const left = remainingCents === null ? '' : `, ${formatCents(Math.max(0, remainingCents))} left`;
  return [
    section(
      `*${cardOfHolder(card)}*`,
      declined === null ? null : `Declined: ${formatCents(declined.amountCents)}${at}`,
      category === null ? null : `Limit for merchant category: *${outside(category, 80)}*`,
      currentCents === null
        ? 'The current limit is not known.'
        : `Current ${period} limit: ${formatCents(currentCents)}${left}`,
    ),
    ...(suggestedCents === null
      ? []
      : [...context(`${formatCents(suggestedCents)} is the lowest limit that lets this purchase through.`)]),
  ];
}
