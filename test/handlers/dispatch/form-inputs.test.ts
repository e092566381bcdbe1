import type { ViewOutput } from '@slack/bolt';
import { describe, expect, it } from 'vitest';
import { inputsOf } from '../../../handlers/dispatch/form-inputs.ts';
import type { Term } from '../../../src/card-api/rule-change.ts';
import { formInput, termInputs } from '../../../templates/limits/form-inputs.ts';

/** The form as Slack returns it. */
function submitted(choice: string | null, day: string | null = null) {
  const values = {
    term: { [formInput.term]: { selected_option: choice === null ? null : { value: choice } } },
    day: { [formInput.day]: { selected_date: day } },
  };
  return inputsOf({ state: { values } } as unknown as ViewOutput).term('2026-11-20');
}

describe('how long, as chosen in a form', () => {
  const [choices] = termInputs('2026-11-20', { kind: 'purchase' });
  const options = choices?.element.type === 'static_select' ? (choices.element.options ?? []) : [];
  const choiceOf = (text: RegExp): string => options.find((option) => text.test(option.text.text))?.value ?? '';

  it.each([
    [/This purchase only/, { kind: 'purchase' }],
    [/1 hour/, { kind: 'duration', ms: 3_600_000 }],
    [/24 hours/, { kind: 'duration', ms: 24 * 3_600_000 }],
    [/Permanent/, { kind: 'permanent' }],
  ])('%s', (text, term) => {
    expect(submitted(choiceOf(text))).toEqual(term);
  });

  it('is the midnight that the form showed, whenever it is submitted', () => {
    const value = choiceOf(/^Until midnight at the end of Nov 20, 2026, ET$/);

    expect(submitted(value)).toEqual({ kind: 'day', day: '2026-11-20' });
  });

  it('needs a day for the choice of one', () => {
    expect(submitted(choiceOf(/day below/), '2026-12-24')).toEqual({ kind: 'day', day: '2026-12-24' });
    expect(submitted(choiceOf(/day below/))).toEqual({ error: 'Choose the day, too.' });
    expect(submitted(choiceOf(/1 hour/), '2026-12-24')).toEqual({ kind: 'duration', ms: 3_600_000 });
  });

  it('is refused if the day has passed, chosen or shown by the form before midnight', () => {
    const passed = { error: 'That day has passed. Choose today or later.' };

    expect(submitted(choiceOf(/day below/), '2026-01-01')).toEqual(passed);
    expect(submitted(choiceOf(/day below/), '2026-11-19')).toEqual(passed);
    expect(submitted(choiceOf(/^Until midnight/).replace('2026-11-20', '2026-11-19'))).toEqual(passed);
    expect(submitted(choiceOf(/day below/), '2026-11-20')).toEqual({ kind: 'day', day: '2026-11-20' });
  });

  it('is refused if it is longer than a year', () => {
    const tooLong = { error: 'That is longer than a year, the longest that a temporary change can last.' };

    expect(submitted(choiceOf(/day below/), '2027-11-22')).toEqual(tooLong);
    expect(submitted(choiceOf(/day below/), '2027-11-21')).toEqual({ kind: 'day', day: '2027-11-21' });
  });

  it('starts with what was asked, as a choice of its own if there is none', () => {
    const initial = (term: Term): string | undefined => {
      const [first] = termInputs('2026-11-20', term);
      return first?.element.type === 'static_select' ? first.element.initial_option?.text.text : undefined;
    };

    expect(initial({ kind: 'duration', ms: 3_600_000 })).toBe('1 hour');
    expect(initial({ kind: 'duration', ms: 2 * 3_600_000 })).toBe('As asked: for 2 hours');
    expect(initial({ kind: 'permanent' })).toBe('Permanent');
  });

  it('starts with a day that was asked in the input of the day, where it can be changed', () => {
    const [choice, day] = termInputs('2026-11-20', { kind: 'day', day: '2026-12-24' });

    expect(choice?.element).toMatchObject({ initial_option: { value: 'day' } });
    expect(day?.element).toMatchObject({ initial_date: '2026-12-24' });
  });

  it('is what was asked if that stays chosen', () => {
    const asked: Term = { kind: 'duration', ms: 2 * 3_600_000 };
    const [first] = termInputs('2026-11-20', asked);
    const chosen = first?.element.type === 'static_select' ? first.element.initial_option : undefined;

    expect(submitted(chosen?.value ?? '')).toEqual(asked);
  });

  it('is one purchase in a form without the choice', () => {
    expect(submitted(null)).toEqual({ kind: 'purchase' });
  });
});
