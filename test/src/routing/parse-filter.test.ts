import { describe, expect, it } from 'vitest';
import { webhookKinds } from '../../../src/core/event.ts';
import { printFilter } from '../../../src/routing/filter.ts';
import { parseFilter } from '../../../src/routing/parse-filter.ts';

const printed = (text: string): string | null => {
  const parsed = parseFilter(text);
  return 'filter' in parsed ? printFilter(parsed.filter) : null;
};

describe('a filter', () => {
  it.each([
    ['declines or shipping and over 5', 'declines or (shipping over $5.00)', 'or binds less tightly than and'],
    ['not declines over 5', 'over $5.00 except declines', 'not binds most tightly'],
    ['group Sales, Ops', 'in group "Sales", "Ops"', 'a comma makes a list of values'],
    ['category 5812,5813', 'in category "5812", "5813"', 'also of numbers'],
    ['merchant 7,11', 'at merchant "7", "11"', 'also of short numbers'],
    ['over 1,250.50 and under $20,000', 'over $1,250.50 and under $20,000.00', 'in an amount it separates thousands'],
    ['virtual', 'virtual', 'virtual alone is an event kind'],
    ['card-status or virtual-cards', 'status or virtual', 'kinds have the words of notify, too'],
    ['virtual cards', 'on virtual cards', 'virtual cards are a card type'],
    ['plastic', 'on physical cards', 'plastic alone is a card type'],
  ])('%j is parsed as %j: %s', (text, expected) => {
    const form = printed(text);

    expect(form?.replaceAll(/[()]/g, '')).toBe(expected.replaceAll(/[()]/g, ''));
    expect(form, 'the printed form, parsed again').toBe(printed(form ?? ''));
  });

  it.each(webhookKinds)('has the kind %s by the name of its receiver', (kind) => {
    expect(parseFilter(kind)).toEqual({ filter: { is: 'kind', kinds: [kind] } });
  });

  it('is parsed at once, however deeply it is nested', () => {
    let text = 'declines';
    for (let depth = 0; depth < 20; depth += 1)
      text = depth % 2 === 0 ? `(${text} or shipping)` : `(${text} and over 5)`;
    const startedAt = performance.now();

    expect(printed(text)).not.toBeNull();
    expect(performance.now() - startedAt).toBeLessThan(1000);
  });

  it.each([9, 15])(
    'nested %i deep without parentheses around “and” is rejected, or readable as it is stored',
    (deep) => {
      let text = 'declines';
      for (let depth = 0; depth < deep; depth += 1) text = `declines or over 5 (${text})`;
      const parsed = parseFilter(text);

      if ('filter' in parsed) expect(printed(printFilter(parsed.filter))).toBe(printFilter(parsed.filter));
      else expect(parsed.error.why).toContain('too many parentheses');
      expect('filter' in parsed).toBe(deep === 9);
    },
  );

  it.each([
    ['declines over', '', /missing at the end/],
    ['declines over 12,5', '12,5', /an amount of dollars/],
    ['declines beyond 5', 'beyond', /do not understand “beyond”/],
    ['(declines', '', /closing parenthesis/],
    [`${'('.repeat(30)}declines${')'.repeat(30)}`, '(', /too many parentheses/],
    [`${'not '.repeat(30)}declines`, 'not', /too many “not”/],
    ['declines, shipping and status', '', /No alert can be all of this at once\. Did you mean “or”\?/],
    ['virtual over 5', '', /No alert can be all of this at once\. Virtual cards, .* are “virtual cards”/],
    ['category ••7995', '••7995', /codes with commas/],
    ['x'.repeat(2001), '', /at most 2000 characters/],
  ])('reports the word that it cannot parse, case %#', (text, word, why) => {
    const parsed = parseFilter(text);

    expect('error' in parsed && parsed.error).toMatchObject({ word, why: expect.stringMatching(why) });
  });
});
