import type { InputBlock } from '@slack/types';
import { type LimitRule, LimitWindow } from '../../src/card-api/rule.ts';
import type { Term } from '../../src/card-api/rule-change.ts';
import { addDays } from '../../src/core/calendar-words.ts';
import { serviceZone } from '../../src/core/installation.ts';
import { limitName } from '../../src/limits/rule-words.ts';
import { dayWords, termWords } from '../../src/limits/term.ts';
import { truncate } from '../../src/slack/mrkdwn.ts';
import { input, option, textInput } from '../core/form.ts';

/** `action_id` of each input; its `block_id` starts with the same word. */
export const formInput = { period: 'period', amount: 'amount', term: 'term', day: 'day', reason: 'reason' } as const;

const HOUR_MS = 3_600_000;
/** The choice of "How long" for which the day is another input. All others are their term, as the form sends them. */
export const DAY_BELOW = 'day';

/** Smallest first. @param today `2026-11-20`. */
const termChoices = (today: string): [Term | typeof DAY_BELOW, string][] => [
  [{ kind: 'purchase' }, 'This purchase only, at most 15 minutes'],
  [{ kind: 'duration', ms: HOUR_MS }, '1 hour'],
  // Names its day: the form may be submitted after that midnight.
  [{ kind: 'day', day: today }, `Until midnight at the end of ${dayWords(today)}, ${serviceZone().short}`],
  [{ kind: 'duration', ms: 24 * HOUR_MS }, '24 hours'],
  [DAY_BELOW, 'Until the end of the day below'],
  [{ kind: 'permanent' }, 'Permanent'],
];

/** Of rules that are opened for one purchase: the card service cannot limit them to it. */
export const openedOnce =
  'For one purchase only, this ends with the first purchase that needs it, wherever it is and whatever it costs. More may pass before Cardbell hears of the first.';

/** `action_id` of one limit's amount in a form with several limits. */
export function amountOf({ period, category }: Pick<LimitRule, 'period' | 'category'>): string {
  return [formInput.amount, period, ...(category === null ? [] : [category.id])].join(':');
}

/** The label of an amount in a form with several limits: `New weekly limit for Restaurants in dollars`. Raw. */
export function amountLabel({ period, category }: Pick<LimitRule, 'period' | 'category'>): string {
  return `New ${limitName(period, category === null ? null : truncate(category.name, NAME_MAX))} in dollars`;
}

const NAME_MAX = 80;

/** The limit that an amount is for, without the name of its category; null in a form with only one limit. */
export function limitOfAmount(action: string): LimitRule | null {
  const [name, period, id] = action.split(':');
  const window = LimitWindow.safeParse(period);
  if (name !== formInput.amount || !window.success) return null;
  const category = id === undefined ? null : { id: Number(id), name: `category ${id}` };
  return { kind: 'limit', period: window.data, category };
}

/** Identifies the input. */
interface AmountPlace {
  readonly action?: string;
  /** A new value makes Slack discard the typed text. Used when the suggested amount has changed. */
  readonly block?: string;
  readonly isOptional?: boolean;
}

export function amountInput(
  words: { label: string; hint: string },
  cents: number | null,
  { action = formInput.amount, block = action, isOptional = false }: AmountPlace = {},
): InputBlock {
  const initial = cents === null ? '' : (cents / 100).toFixed(2);
  return textInput(action, words.label, { max: 20, hint: words.hint, block, optional: isOptional, initial });
}

/**
 * The duration, and the day for the choice that needs one.
 *
 * @param today the card service's day, `2026-11-20`.
 * @param asked what is chosen at first. A day is in its own input. What is not one of the choices becomes the first one.
 * Null: a subscription keeps failing, so it has to last until after the next charge, which may be a month away.
 */
export function termInputs(today: string, asked: Term | null): InputBlock[] {
  const initial = asked ?? { kind: 'day', day: addDays(today, 31) };
  const hint = asked === null ? { hint: 'A subscription is charged again on another day: choose until when.' } : {};
  const choices = termChoices(today).map(([choice, text]) => option(text, choiceValue(choice)));
  const day = initial.kind === 'day' && initial.day !== today ? initial.day : null;
  const wanted = choiceValue(day === null ? initial : DAY_BELOW);
  const listed = choices.find(({ value }) => value === wanted);
  const chosen = listed ?? option(`As asked: ${termWords(initial)}`, wanted);
  const options = listed === undefined ? [chosen, ...choices] : choices;
  return [
    input(formInput.term, 'How long', { type: 'static_select', options, initial_option: chosen }, hint),
    input(
      formInput.day,
      'Day',
      { type: 'datepicker', ...(day !== null && { initial_date: day }) },
      { optional: true, hint: 'Needed for “Until the end of the day below”.' },
    ),
  ];
}

const choiceValue = (choice: Term | typeof DAY_BELOW): string =>
  choice === DAY_BELOW ? DAY_BELOW : JSON.stringify(choice);

export function reasonInput(label: string, hint: string, isOptional = false): InputBlock {
  const min = isOptional ? 0 : 1;
  return textInput(formInput.reason, label, { max: 500, min, multiline: true, hint, optional: isOptional });
}
