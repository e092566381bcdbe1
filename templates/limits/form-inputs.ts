import type { InputBlock, Option } from '@slack/types';
import { type LimitRule, LimitWindow } from '../../src/card-api/rule.ts';
import { serviceZone } from '../../src/core/installation.ts';
import { limitName } from '../../src/limits/rule-words.ts';
import * as limits from '../../src/slack/limits.ts';
import { truncate } from '../../src/slack/mrkdwn.ts';
import { plainText } from '../core/blocks.ts';

/** `action_id` of each input; its `block_id` begins with the same word. */
export const formInput = { period: 'period', amount: 'amount', term: 'term', day: 'day', reason: 'reason' } as const;

/** Choices of "How long", smallest first, as the form sends them. */
const termChoices = [
  ['purchase', 'This purchase only, at most 15 minutes'],
  ['1h', '1 hour'],
  ['midnight', 'Until midnight'],
  ['24h', '24 hours'],
  ['day', 'Until the end of the day below'],
  ['permanent', 'Permanent'],
] as const;
export type TermChoice = (typeof termChoices)[number][0];
/** What was asked for, where that is none of the choices. */
export const AS_ASKED = 'asked';

/** `action_id` of the amount of one limit, where a form asks for several. */
export function amountOf({ period, category }: Pick<LimitRule, 'period' | 'category'>): string {
  return [formInput.amount, period, ...(category === null ? [] : [category.id])].join(':');
}

/** What the amount of one of several limits is asked with: `New weekly limit for Restaurants in dollars`. Raw. */
export function amountLabel({ period, category }: Pick<LimitRule, 'period' | 'category'>): string {
  return `New ${limitName(period, category === null ? null : truncate(category.name, NAME_MAX))} in dollars`;
}

const NAME_MAX = 80;

/** The limit that an amount is for. */
export interface AmountLimit {
  readonly period: LimitWindow;
  /** Null: the card's overall limit. */
  readonly categoryId: number | null;
}

/** Which limit the amount is for; null where the form asks for one only. */
export function limitOfAmount(action: string): AmountLimit | null {
  const [name, period, category = null] = action.split(':');
  const window = LimitWindow.safeParse(period);
  if (name !== formInput.amount || !window.success) return null;
  return { period: window.data, categoryId: category === null ? null : Number(category) };
}

/** How the input is told from others. */
interface AmountPlace {
  readonly action?: string;
  /** A new one makes Slack forget what was typed: for a form whose suggestion has changed. */
  readonly block?: string;
  readonly isOptional?: boolean;
}

export function amountInput(
  words: { label: string; hint: string },
  cents: number | null,
  { action = formInput.amount, block = action, isOptional = false }: AmountPlace = {},
): InputBlock {
  return {
    type: 'input',
    block_id: block,
    optional: isOptional,
    label: plainText(words.label, limits.INPUT_LABEL_MAX),
    hint: plainText(words.hint, limits.INPUT_HINT_MAX),
    element: {
      type: 'plain_text_input',
      action_id: action,
      max_length: 20,
      ...(cents !== null && { initial_value: (cents / 100).toFixed(2) }),
    },
  };
}

/**
 * How long it stays, and the day for the choice that needs one.
 *
 * @param initial a choice, or in words what was asked for and is none of them. Raw.
 */
export function termInputs(initial: TermChoice | { readonly asAsked: string }): InputBlock[] {
  const choices = termChoices.map(([value, text]) =>
    option(value === 'midnight' ? `${text}, ${serviceZone().long}` : text, value),
  );
  const options =
    typeof initial === 'string' ? choices : [option(`As asked: ${initial.asAsked}`, AS_ASKED), ...choices];
  const chosen = typeof initial === 'string' ? initial : AS_ASKED;
  const initialOption = options.find(({ value }) => value === chosen);
  return [
    {
      type: 'input',
      block_id: formInput.term,
      label: plainText('How long', limits.INPUT_LABEL_MAX),
      element: {
        type: 'static_select',
        action_id: formInput.term,
        options,
        ...(initialOption && { initial_option: initialOption }),
      },
    },
    {
      type: 'input',
      block_id: formInput.day,
      optional: true,
      label: plainText('Day', limits.INPUT_LABEL_MAX),
      hint: plainText('Only if you chose “Until the end of the day below”.', limits.INPUT_HINT_MAX),
      element: { type: 'datepicker', action_id: formInput.day },
    },
  ];
}

export function reasonInput(label: string, hint: string, isOptional = false): InputBlock {
  return {
    type: 'input',
    block_id: formInput.reason,
    optional: isOptional,
    label: plainText(label, limits.INPUT_LABEL_MAX),
    hint: plainText(hint, limits.INPUT_HINT_MAX),
    element: {
      type: 'plain_text_input',
      action_id: formInput.reason,
      multiline: true,
      min_length: isOptional ? 0 : 1,
      max_length: 500,
    },
  };
}

export function option(text: string, value: string): Option & { text: ReturnType<typeof plainText> } {
  return { text: plainText(text, limits.OPTION_TEXT_MAX), value };
}
