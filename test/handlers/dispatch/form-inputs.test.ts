import type { ViewOutput } from '@slack/bolt';
import { describe, expect, it } from 'vitest';
import { inputsOf } from '../../../handlers/dispatch/form-inputs.ts';
import { formInput, termInputs } from '../../../templates/limits/form-inputs.ts';

/** The form as Slack returns it. */
function submitted(choice: string | null, day: string | null = null) {
  const values = {
    term: { [formInput.term]: { selected_option: choice === null ? null : { value: choice } } },
    day: { [formInput.day]: { selected_date: day } },
  };
  return inputsOf({ state: { values } } as unknown as ViewOutput).term();
}

describe('how long, as chosen in a form', () => {
  const [choices] = termInputs('2026-11-20', 'purchase');
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

  it('is one purchase in a form without the choice', () => {
    expect(submitted(null)).toEqual({ kind: 'purchase' });
  });
});
