import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Filter, filterKey, printFilter, whyNot } from '../../../src/routing/filter.ts';
import { parseFilter } from '../../../src/routing/parse-filter.ts';
import { indexSubscriptions } from '../../../src/routing/subscription-index.ts';
import { examples } from '../../support/examples.ts';
import { filters } from './filters.ts';
import { card, declineEvent, shippingEvent } from './subjects.ts';

const filterOf = (text: string): Filter => {
  const parsed = parseFilter(text);
  if ('why' in parsed) throw new Error(parsed.why);
  return parsed.filter;
};

describe('a filter typed by a person', () => {
  it.each([
    ['declines', 'declines'],
    ['Declines over 500', 'declines over $500.00'],
    [
      'declines over 500 and not (country US or group "Field Ops")',
      'declines over $500.00 except (in US or in group "Field Ops")',
    ],
    [
      'declines min:50 code:velocity group:Field',
      'declines at least $50.00 with code decline.rule.velocity in group "Field"',
    ],
    ['settlements, shipping', 'settlements, shipping'],
    ['spend at most $1,250.50', 'spend at most $1,250.50'],
    ['declines country US, Portugal, “United Kingdom”', 'declines in US, PT, GB'],
    [
      'declines category restaurants or merchant „Blue Bottle“',
      '(declines in category "restaurants") or at merchant "Blue Bottle"',
    ],
    ['declines virtual cards', 'declines on virtual cards'],
    ['virtual', 'virtual'],
    ['status plastic', 'status on physical cards'],
    ['all except pins', 'everything except pins'],
    ['declines code decline.of.tomorrow', 'declines with code decline.of.tomorrow'],
    ['not not declines', 'except except declines'],
    ['((declines))', 'declines'],
  ])('%s', (typed, normal) => {
    expect(printFilter(filterOf(typed))).toBe(normal);
    expect(filterOf(normal)).toEqual(filterOf(typed));
  });

  it.each([
    ['', '', /missing at the end/],
    ['frobs', 'frobs', /“frobs”.*expected a kind/],
    ['declines over lots', 'lots', /expected an amount/],
    ['declines at 50', '50', /“at least” or “at most”/],
    ['declines over', '', /missing at the end.*amount/],
    ['declines group Field Ops', 'Ops', /“Ops”/],
    ['declines (over 5', '', /closing parenthesis/],
    ['declines )', ')', /expected and, or, or the end/],
    ['declines country Narnia', 'Narnia', /expected a country/],
    ['declines code velocty', 'velocty', /decline code such as/],
    ['declines group ""', '', /in quotes/],
    ['declines virtual', '', /No alert can be all of this/],
    ['shipping over 50', '', /No alert can be all of this/],
    ['declines,', '', /a kind/],
    ['('.repeat(50), '', /too many parentheses/],
    ['not not (shipping over 5)', '', /at once/],
  ])('rejects %j, and names the word and what was expected', (typed, word, why) => {
    const parsed = parseFilter(typed);

    if (!('why' in parsed)) throw new Error('it was parsed');
    expect(parsed.why).toContain(word);
    expect(parsed.why).toMatch(why);
  });

  it('parses what it prints', () => {
    fc.assert(
      fc.property(filters, (filter) => {
        expect(filterKey(filterOf(printFilter(filter)))).toBe(filterKey(filter));
      }),
      { numRuns: examples(200) },
    );
  });

  it('accepts any text without throwing, and parses what it prints of it', () => {
    const words = fc.constantFrom(
      'declines',
      'not',
      'and',
      'or',
      '(',
      ')',
      ',',
      'over',
      '$5',
      'code',
      '"',
      'virtual',
      'cards',
      'group',
      'x:',
      'min:',
    );
    const texts = fc.oneof(
      fc.string(),
      fc.array(fc.oneof(words, fc.string())).map((parts) => parts.join(' ')),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const parsed = parseFilter(text);
        if ('filter' in parsed) expect(filterKey(filterOf(printFilter(parsed.filter)))).toBe(filterKey(parsed.filter));
      }),
      { numRuns: examples(500) },
    );
  });
});

describe('what a filter matches', () => {
  const event = declineEvent({ amountCents: 60_000, country: 'PRT', mcc: '5812', merchant: 'Blue Bottle Coffee' });
  const subject = { event, card: card({ group: 'Field Ops', holder: 'José Núñez', isVirtual: false }) };

  it.each([
    'all',
    'declines',
    'declines, shipping',
    'over 599.99',
    'at least 600',
    'at most 600',
    'under 601',
    'code velocity',
    'code decline.rule',
    'group field',
    'holder "nunez"',
    'merchant blue',
    'category restaurants',
    'category 5812',
    'country Portugal',
    'physical cards',
    'not country US',
    'spend or group Field',
    'declines and not (country US or group "Back Office")',
  ])('%s', (text) => {
    expect(whyNot(filterOf(text), subject)).toBeNull();
  });

  it.each([
    ['McDonalds', "MCDONALD'S F1234"],
    ["McDonald's", 'MCDONALDS F1234'],
    ["McDonald's", 'MCDONALD S F1234'],
    ['Wendy’s', 'WENDYS'],
    ['OBrien', "SAM O'BRIEN"],
    ["O'Brien", 'O BRIEN PUB'],
    ['Brien', "O'Brien Pub"],
  ])('merchant %j is in %j, however an apostrophe is written', (typed, merchant) => {
    const subscription = { number: 1, channel: 'C1', filter: `merchant "${typed}"`, by: 'U1', at: '' };
    const about = { event: declineEvent({ merchant }), card: card({}) };

    expect(whyNot(filterOf(subscription.filter), about)).toBeNull();
    expect(indexSubscriptions([subscription]).mayFit(about)).toHaveLength(1);
  });

  it('“Do not honor” is one code, not the beginning of all of them', () => {
    const honored = { event: declineEvent({ code: 'decline' }), card: card({}) };

    expect(whyNot(filterOf('code decline'), honored)).toBeNull();
    expect(whyNot(filterOf('code decline'), subject)).not.toBeNull();
  });

  it.each([
    ['shipping', 'it is not a shipment'],
    ['shipping, status', 'it is not a status change or a shipment'],
    ['over 600', '$600.00 is not over $600.00'],
    ['code decline.rule.vel', 'its code is not decline.rule.vel'],
    ['code decline.rule.mcc', 'its code is not decline.rule.mcc'],
    ['group "Field Sales"', 'its group is not “Field Sales”'],
    ['country US', 'it is not known to be in the United States'],
    ['virtual cards', 'it is not known to be a virtual card'],
    ['not country PT', '“in PT” fits'],
    ['declines under 5 or group Sales', '$600.00 is not under $5.00, and its group is not “Sales”'],
  ])('%s gives the reason for a mismatch', (text, why) => {
    expect(whyNot(filterOf(text), subject)?.()).toBe(why);
  });

  it('does not match if it needs an unknown fact', () => {
    const unknown = { event, card: card({ group: null, isVirtual: null }) };

    expect(whyNot(filterOf('group Field'), unknown)?.()).toBe('its group is not known to be “Field”');
    expect(whyNot(filterOf('virtual cards'), unknown)).not.toBeNull();
    expect(whyNot(filterOf('physical cards'), unknown)).not.toBeNull();
  });

  it('finds no amount and no country in events that are not purchases', () => {
    const shipped = { event: shippingEvent(), card: card({}) };

    expect(whyNot({ is: 'amount', test: 'over', cents: 0 }, shipped)?.()).toBe('it has no amount');
    expect(whyNot({ is: 'country', country: 'US' }, shipped)).not.toBeNull();
  });
});
