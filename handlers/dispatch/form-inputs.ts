import type { ViewOutput, ViewStateValue } from '@slack/bolt';
import type { LimitRule } from '../../src/card-api/rule.ts';
import { Term } from '../../src/card-api/rule-change.ts';
import { maskCardNumbers } from '../../src/core/card-number.ts';
import { parseAmount } from '../../src/core/money.ts';
import { ENDS_TOO_LATE, endsTooLate } from '../../src/limits/term.ts';
import { DAY_BELOW, formInput, limitOfAmount } from '../../templates/limits/form-inputs.ts';

export const UNCLEAR_AMOUNT = 'Write dollars such as 450 or 1,250.50.';
export const DAY_PASSED = 'That day has passed. Choose today or later.';

/** The values entered in a form. */
export type Inputs = ReturnType<typeof inputsOf>;

export function inputsOf(view: ViewOutput) {
  const entered = new Map<string, { blockId: string; given: ViewStateValue }>();
  for (const [blockId, elements] of Object.entries(view.state.values)) {
    for (const [actionId, given] of Object.entries(elements)) entered.set(actionId, { blockId, given });
  }
  const given = (actionId: string): Partial<ViewStateValue> => entered.get(actionId)?.given ?? {};
  const typed = (actionId: string): string => given(actionId).value?.trim() ?? '';
  const text = (actionId: string): string => maskCardNumbers(typed(actionId));
  return {
    /** Masked, because people may type a card number. */
    text,
    /** Not masked: for a command, whose parser tells two days from a card number. */
    typed,
    /** The typed amounts of limits. @param only the limit of a form with one, whose input does not name it. */
    amounts: (only?: LimitRule) =>
      [...entered.keys()].flatMap((action) => {
        const rule = action === formInput.amount ? only : limitOfAmount(action);
        return rule == null ? [] : [{ action, rule, text: text(action), to: parseAmount(text(action)) }];
      }),
    choice: (actionId: string) => given(actionId).selected_option?.value ?? null,
    person: (actionId: string) => given(actionId).selected_user ?? null,
    channel: (actionId: string) => given(actionId).selected_conversation ?? null,
    /** `2026-12-24`. */
    day: (actionId: string) => given(actionId).selected_date ?? null,
    /**
     * The duration, or why it is invalid.
     *
     * @param today the card service's day.
     */
    term(today: string): Term | { readonly error: string } {
      const choice = given(formInput.term).selected_option?.value ?? JSON.stringify({ kind: 'purchase' });
      const day = given(formInput.day).selected_date;
      if (choice === DAY_BELOW && day == null) return { error: 'Choose the day, too.' };
      const chosen = Term.parse(choice === DAY_BELOW ? { kind: 'day', day } : JSON.parse(choice));
      if (chosen.kind !== 'day') return chosen;
      if (chosen.day < today) return { error: DAY_PASSED };
      return endsTooLate(chosen.day, today) ? { error: ENDS_TOO_LATE } : chosen;
    },
    /** The answer that shows errors, by action id, next to their inputs. */
    refusal: (errors: Readonly<Record<string, string | undefined>>) => ({
      response_action: 'errors' as const,
      errors: Object.fromEntries(
        Object.entries(errors).flatMap(([name, text]): [string, string][] => {
          const blockId = entered.get(name)?.blockId;
          return blockId === undefined || text === undefined ? [] : [[blockId, text]];
        }),
      ),
    }),
  };
}
