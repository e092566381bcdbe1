import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { whyNot } from '../../../src/routing/filter.ts';
import { unknownGroups, whyNever } from '../../../src/routing/never-matches.ts';
import { parseFilter } from '../../../src/routing/parse-filter.ts';
import { examples } from '../../support/examples.ts';
import { card, transactionAlert } from '../../templates/fixtures.ts';

function filterOf(text: string) {
  const parsed = parseFilter(text);
  if ('error' in parsed) throw new Error(parsed.error.why);
  return parsed.filter;
}

describe('a filter', () => {
  it.each([
    ['declines over 500 and under 100', 'No amount is $500.01 or more and $99.99 or less.'],
    ['over 500 and at most 500', 'No amount is $500.01 or more and $500.00 or less.'],
    ['country US and country CA', 'No purchase is in both United States and Canada. Did you mean “or”?'],
    ['virtual cards and physical cards', 'No alert is both “virtual cards” and “physical cards”. Did you mean “or”?'],
    ['declines and not declines', null],
    ['over 5 and not over 5', 'No alert is both “over $5.00” and “not over $5.00”. Did you mean “or”?'],
    ['code velocity and code decline.card.pin', /^No alert is both “code/],
    ['code decline.rule.velocity and not code decline.rule', /^No alert is both “/],
    ['country US and (country CA or country MX)', /^No purchase is in both/],
    ['(over 5 and under 4) or (country US and country CA)', /^No amount/],
    ['category Restarants', 'There is no merchant category “Restarants”. Did you mean “restaurants”?'],
    ['category xyzzyxyzzy', /Write a word of its name, or its four digits\.$/],
  ])('that can never fit is told with the reason: %s', (text, why) => {
    const parsed = parseFilter(text);
    const told = 'error' in parsed ? parsed.error.why : whyNever(parsed.filter);
    if (why === null) expect(told).not.toBeNull();
    else expect(told).toEqual(typeof why === 'string' ? why : expect.stringMatching(why));
  });

  it.each([
    'declines over 100 and under 500',
    'at least 500 and at most 500',
    'country US or country CA',
    'country US and (country CA or over 5)',
    'over 5 and not over 10',
    'code decline.rule and code decline.rule.velocity',
    'code decline.rule and not code decline.rule.velocity',
    'category restaurants',
    'category 5812',
    'category 9999',
    'group "Field" and group "Ops"',
  ])('that some alert may fit is taken: %s', (text) => {
    expect(whyNever(filterOf(text))).toBeNull();
  });

  it('is never refused where an alert fits it', () => {
    const term = fc.oneof(
      fc
        .tuple(fc.constantFrom('over', 'under', 'at least', 'at most'), fc.integer({ min: 1, max: 9 }))
        .map((t) => t.join(' ')),
      fc.constantFrom(
        'country US',
        'country CA',
        'virtual cards',
        'physical cards',
        'declines',
        'code velocity',
        'code decline.rule',
        'code pin',
      ),
    );
    const signed = fc.tuple(fc.boolean(), term).map(([isNot, text]) => (isNot ? `not ${text}` : text));
    const alternatives = fc.array(signed, { minLength: 1, maxLength: 3 }).map((texts) => `(${texts.join(' or ')})`);
    const text = fc
      .array(fc.oneof(signed, alternatives), { minLength: 1, maxLength: 5 })
      .map((parts) => parts.join(' and '));
    const alert = fc.record({
      amountCents: fc.integer({ min: 0, max: 1000 }),
      country: fc.constantFrom('US', 'CA'),
      isVirtual: fc.boolean(),
    });
    fc.assert(
      fc.property(text, alert, (typed, { amountCents, country, isVirtual }) => {
        const parsed = parseFilter(typed);
        if ('error' in parsed) return;
        const { event } = transactionAlert({ amountCents });
        const shown = { ...event, merchant: { ...event.merchant, country } };
        const fits = whyNot(parsed.filter, { event: shown, card: { ...card, isVirtual } }) === null;
        if (fits) expect(whyNever(parsed.filter), typed).toBeNull();
      }),
      { numRuns: examples(300) },
    );
  });
});

it('groups that no card is in are named, with the one that was probably meant', () => {
  const groups = ['Field Ops', 'Sales'];
  const unknown = (text: string) => unknownGroups(filterOf(text), groups);

  expect(unknown('declines and not (group "Feild Ops" or group sales)')).toEqual([
    { typed: 'Feild Ops', meant: 'Field Ops' },
  ]);
  expect(unknown('group Marketing or group field')).toEqual([{ typed: 'Marketing', meant: null }]);
});
