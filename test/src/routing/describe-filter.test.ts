import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeFilter, describeStored } from '../../../src/routing/describe-filter.ts';
import { type Filter, filterKey, whyNot } from '../../../src/routing/filter.ts';
import { parseFilter } from '../../../src/routing/parse-filter.ts';
import { examples } from '../../support/examples.ts';
import { filters } from './filters.ts';
import { card, declineEvent, shippingEvent } from './subjects.ts';

const filterOf = (text: string): Filter => {
  const parsed = parseFilter(text);
  if ('why' in parsed) throw new Error(`${text}: ${parsed.why}`);
  return parsed.filter;
};

describe('a filter description in plain English', () => {
  it.each([
    ['declines', 'declines'],
    ['all', 'everything'],
    ['any', 'everything'],
    ['spend', 'spend'],
    ['settlements, shipping', 'settlements, shipping'],
    ['declines, status', 'declines, status'],
    ['virtual', 'virtual'],
    ['over 500', 'everything over $500.00'],
    ['declines over 500', 'declines over $500.00'],
    ['declines and over $500.00', 'declines over $500.00'],
    ['over 500 declines', 'declines over $500.00'],
    ['declines min:50', 'declines at least $50.00'],
    ['spend at most $1,250.50', 'spend at most $1,250.50'],
    ['declines over 5 under 10', 'declines over $5.00 and under $10.00'],
    ['declines code velocity', 'declines with code decline.rule.velocity'],
    ['declines code velocity, rule.mcc', 'declines with code decline.rule.velocity, decline.rule.mcc'],
    ['declines group Field', 'declines in group "Field"'],
    ['declines group Sales, Ops', 'declines in group "Sales", "Ops"'],
    ['declines holder "Jane Doe"', 'declines of holder "Jane Doe"'],
    ['declines merchant „Blue Bottle“', 'declines at merchant "Blue Bottle"'],
    ['declines category restaurants', 'declines in category "restaurants"'],
    ['declines country PT', 'declines in Portugal'],
    ['declines in Portugal', 'declines in Portugal'],
    ['country US', 'everything in "United States"'],
    ['declines country US, Portugal, “United Kingdom”', 'declines in "United States", Portugal, "United Kingdom"'],
    ['declines virtual cards', 'declines on virtual cards'],
    ['status plastic', 'status on physical cards'],
    ['all declines over 500', 'declines over $500.00'],
    ['any decline', 'declines'],
    ['declines everything', 'declines'],
    ['everything over 500', 'everything over $500.00'],
    ['all (declines or shipping) group Field', '(declines or shipping) in group "Field"'],
    ['virtual cards', 'everything on virtual cards'],
    ['all except pins', 'everything except pins'],
    ['not pins', 'everything except pins'],
    ['not not declines', 'declines'],
    ['declines and not country US', 'declines except in "United States"'],
    ['declines not country PT not group Field', 'declines except in Portugal and except in group "Field"'],
    ['declines not over 500', 'declines except over $500.00'],
    ['declines not country PT over 500', 'declines over $500.00 except in Portugal'],
    [
      'declines over 500 and not (country US or group "Field Ops")',
      'declines over $500.00 except (in "United States" or in group "Field Ops")',
    ],
    [
      'declines min:50 code:velocity group:Field',
      'declines at least $50.00 with code decline.rule.velocity in group "Field"',
    ],
    [
      'declines category restaurants or merchant „Blue Bottle“',
      '(declines in category "restaurants") or (everything at merchant "Blue Bottle")',
    ],
    ['declines or settlements and over 5', 'declines or (settlements over $5.00)'],
    ['(declines or settlements) over 5', '(declines or settlements) over $5.00'],
    ['declines (country PT or over 5)', 'declines and (in Portugal or over $5.00)'],
    ['declines merchant uber merchant eats', 'declines at merchant "uber" and at merchant "eats"'],
  ])('%s', (typed, described) => {
    expect(describeFilter(filterOf(typed))).toBe(described);
    expect(describeFilter(filterOf(described)), 'typed again').toBe(described);
    expect(describeStored(typed)).toBe(described);
  });

  it('keeps the stored text if it can no longer be parsed', () => {
    expect(describeStored('frobs over 5')).toBe('frobs over 5');
  });
});

it('the description of any filter can be typed and selects the same events', () => {
  const people = [
    { group: 'Field Ops', holder: 'Jane Doe', isVirtual: false },
    { group: null, holder: null, isVirtual: null },
    { group: 'Sales', holder: 'Al', isVirtual: true },
  ];
  const events = [
    declineEvent(),
    declineEvent({ amountCents: 5, country: 'PRT', mcc: '7995', code: 'decline.rule.mcc', merchant: 'A b' }),
    declineEvent({ kind: 'authorization', amountCents: 60_000_00 }),
    shippingEvent(),
  ];
  const subjects = people.flatMap((facts) => events.map((event) => ({ event, card: card(facts) })));
  fc.assert(
    fc.property(filters, (filter) => {
      fc.pre(describeFilter(filter).length <= 2000);
      const again = filterOf(describeFilter(filter));
      expect(filterKey(again), describeFilter(filter)).toBe(filterKey(filter));
      for (const subject of subjects)
        expect(whyNot(again, subject) === null, describeFilter(filter)).toBe(whyNot(filter, subject) === null);
    }),
    { numRuns: examples(300) },
  );
});
