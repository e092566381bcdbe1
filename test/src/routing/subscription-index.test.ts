import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FilterSubject, printFilter, whyNot } from '../../../src/routing/filter.ts';
import { indexSubscriptions } from '../../../src/routing/subscription-index.ts';
import { examples } from '../../support/examples.ts';
import { filters } from './filters.ts';
import { card, declineEvent, shippingEvent } from './subjects.ts';

const stored = (texts: readonly string[]) =>
  texts.map((filter, index) => ({ number: index + 1, channel: `C${index}`, filter, by: 'U0ANA', at: '' }));
const fitting = (texts: readonly string[], subject: FilterSubject): string[] =>
  indexSubscriptions(stored(texts))
    .mayFit(subject)
    .filter(({ filter }) => whyNot(filter, subject) === null)
    .map(({ subscription }) => subscription.filter);
const subject: FilterSubject = {
  event: declineEvent({ amountCents: 60_000, country: 'PRT', merchant: 'Café Zürich 0042', code: 'decline.rule.mcc' }),
  card: card({ group: 'Field Ops', holder: 'Jane Doe' }),
};

describe('the index of subscriptions', () => {
  it('compares a decline with as few of 500 subscriptions as with those of five', () => {
    const others = Array.from({ length: 498 }, (_, n) =>
      ['group "Team', 'merchant "Store', 'holder "Person', 'category "Hotel'].map(
        (fact) => `declines and ${fact} ${n}"`,
      ),
    ).map((four, n) => four[n % 4] ?? '');
    const both = ['declines', 'declines and over $500.00'];

    const few = indexSubscriptions(stored([...both, ...others.slice(0, 3)])).mayFit(subject);
    const many = indexSubscriptions(stored([...both, ...others])).mayFit(subject);

    expect(few.map(({ subscription }) => subscription.number)).toEqual([1, 2]);
    expect(many.map(({ subscription }) => subscription.number)).toEqual([1, 2]);
  });

  it.each([
    'declines and merchant "cafe zur"',
    'declines and merchant "00"',
    'declines and category "restaurants"',
    'declines and group "OPS"',
    'declines and holder "doe"',
    'declines and country PT',
    'declines and code decline.rule',
    'declines and code decline.rule.mcc and merchant "Z"',
    'declines and (country US or group "field")',
    'declines and (country US or over $500.00)',
    'not country US',
    'not (not group "Field")',
  ])('finds %s, as testing all of them one by one would', (filter) => {
    expect(fitting(['declines and country US', filter], subject)).toEqual([filter]);
  });

  it('misses no matching subscription, whatever its filter, and keeps their order', () => {
    const subjects = fc.record({
      event: fc.oneof(
        fc.constant(shippingEvent()),
        fc
          .record({
            amountCents: fc.integer({ min: 0, max: 1_000_000 }),
            country: fc.constantFrom('US', 'PRT', '826', 'NO', ''),
            merchant: fc.string(),
            code: fc.constantFrom('decline.rule.mcc', 'decline.rule', 'decline.new', 'decline.card.pin'),
            kind: fc.constantFrom('decline' as const, 'authorization' as const),
          })
          .map(declineEvent),
      ),
      card: fc
        .record({ group: fc.option(fc.string()), holder: fc.string(), isVirtual: fc.boolean() })
        .map((facts) => card(facts)),
    });
    fc.assert(
      fc.property(fc.array(filters, { maxLength: 8 }), subjects, (several, each) => {
        const fits = several.filter((filter) => whyNot(filter, each) === null).map(printFilter);
        expect(fitting(several.map(printFilter), each)).toEqual(fits);
      }),
      { numRuns: examples(300) },
    );
  });
});
