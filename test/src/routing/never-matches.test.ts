import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { whyNot } from '../../../src/routing/filter.ts';
import { parseUseful, unknownNames, whyNeverMatches, whySensitive } from '../../../src/routing/never-matches.ts';
import { parseFilter } from '../../../src/routing/parse-filter.ts';
import { examples } from '../../support/examples.ts';
import { card, transactionAlert } from '../../templates/fixtures.ts';

function filterOf(text: string) {
  const parsed = parseFilter(text);
  if ('why' in parsed) throw new Error(parsed.why);
  return parsed.filter;
}

/** More alternatives than a check of each could read. */
const manyCountries = 'US, CA, MX, PT, ES, FR, DE, IT, NL, BE, LU, CH, AT, DK, SE, NO, FI, PL, CZ, GR, IE, GB, JP, KR';
const manyNames = Array.from({ length: 24 }, (_, n) => `Shop${n}`).join(', ');

describe('a wrong PIN', () => {
  /** All but a wrong PIN and a merchant outside the United States. */
  const others = 'code rule.cardnotpresent, rule.velocity, rule.mcc, balance, remote, mcc, card.status, decline';
  it.each([
    ['code card.pin', true],
    ['code decline.card.pin.locked', true],
    ['declines and not code card.pin', true],
    ['code card and not code card.status', true],
    ['(code card or code velocity) and not (code velocity or code card.status)', true],
    ['code card', false],
    ['declines and not code card', false],
    ['not code card.status', false],
    ['code decline.new', false],
    ['declines except code rule, balance, remote, mcc, card.status, decline', true],
    ['everything except code rule, balance, remote, mcc, card.status, decline', true],
    ['not (code rule, balance, remote, mcc, card.status, decline or shipping)', true],
    ['shipping or over 500 except code rule, balance, remote, mcc, card.status, decline', true],
    [`code card not code card.status in ${manyCountries} at merchant ${manyNames}`, true],
    [`code card in ${manyCountries} at merchant ${manyNames}`, false],
    [`declines in US except ${others}`, true],
    [`declines country CA except ${others}`, false],
    [`declines except ${others} and not country US`, false],
    [`declines not in US except ${others}`, false],
    [`(declines in US or declines in CA) except ${others}`, true],
    ['declines in US', false],
    ['code rule.location in US', false],
    ['shipping except code rule, balance, remote, mcc, card.status, decline', false],
    ['declines except code rule, balance, remote, mcc, decline', false],
    ['declines except code rule, balance, remote, mcc, card, decline', false],
    ['not declines', false],
  ])('can be asked for by %j: %s', (text, isSensitive) => {
    expect(whySensitive(filterOf(text)) !== null).toBe(isSensitive);
  });
});

describe('a filter', () => {
  it.each([
    ['declines over 500 and under 100', 'No amount is $500.01 or more and $99.99 or less.'],
    ['over 500 and at most 500', 'No amount is $500.01 or more and $500.00 or less.'],
    ['country US and country CA', 'No purchase is in both the United States and Canada. Did you mean “in US, CA”?'],
    [
      'virtual cards and physical cards',
      'No alert is both “on virtual cards” and “on physical cards”. Did you mean “or”?',
    ],
    ['declines and not declines', null],
    ['over 5 and not over 5', 'No alert is both “over $5.00” and “except over $5.00”. Did you mean “or”?'],
    ['code velocity and code decline.card.pin', /^No alert is both “with code/],
    ['code decline.rule.velocity and not code decline.rule', /^No alert is both “/],
    ['country US and (country CA or country MX)', /^No purchase is in both/],
    ['(over 5 and under 4) or (country US and country CA)', /^No amount/],
    ['category Restarants', 'There is no merchant category “Restarants”. Did you mean “restaurants”?'],
    ['category 5812 and category 5411', /^No alert is both .*Did you mean “in category "5812", "5411"”\?$/],
    ['category restaurants and category airlines', /^No alert is both/],
    ['under 0', 'No amount is under $0.00.'],
    ['virtual and physical cards', null],
    ['not all', '“except everything” leaves no alert.'],
    ['declines and not over 5 and not under 10', /^No amount is/],
    ['declines and not (declines or over 5)', /^No alert is/],
    ['not ((not over 5) or not under 4)', /^No amount is/],
    ['not (virtual cards or not physical cards) and virtual cards', /^No alert is both/],
    ['group "Field Ops" and not group field', /^No alert is both/],
    ['group sales and not group Sales', /^No alert is both/],
    ['merchant Uber and not merchant uber', /^No alert is both/],
    ['holder Rivera and not holder rivera', /^No alert is both/],
    ['shipping country US', null],
    ['status category restaurants', null],
    ['country XX', null],
    ['country Atlantis', null],
    ['code nonsense', null],
    ['currency EUR', null],
    ['state TX', null],
    ['category xyzzyxyzzy', /Write a word of its name, or its four digits\.$/],
  ])('that can never match is rejected with the reason: %s', (text, why) => {
    const parsed = parseFilter(text);
    const told = 'why' in parsed ? parsed.why : whyNeverMatches(parsed.filter);
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
    'group field and not group "Field Ops"',
    'not over 5 and not under 10',
    'not (country US and over 5)',
    'category 5812 and category restaurants',
    'category 5812 or category 5411',
    'not category Restarants',
    'code decline.new.one',
    'virtual and over 0 or shipping',
    'all',
    'declines or everything',
    'not not any',
  ])('that some alert may match is accepted: %s', (text) => {
    expect(whyNeverMatches(filterOf(text))).toBeNull();
  });

  it('is never rejected if an alert matches it', () => {
    const term = fc.oneof(
      fc
        .tuple(fc.constantFrom('over', 'under', 'at least', 'at most'), fc.integer({ min: 1, max: 9 }))
        .map((t) => t.join(' ')),
      fc.constantFrom(
        'country US',
        'country CA',
        'virtual cards',
        'physical cards',
        'all',
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
        if ('why' in parsed) return;
        const { event } = transactionAlert({ amountCents });
        const shown = { ...event, merchant: { ...event.merchant, country } };
        const fits = whyNot(parsed.filter, { event: shown, card: { ...card, isVirtual } }) === null;
        if (fits) expect(whyNeverMatches(parsed.filter), typed).toBeNull();
      }),
      { numRuns: examples(300) },
    );
  });
});

describe('a filter with a kind that can never be what follows', () => {
  it.each([
    [
      'shipping, declines over 500',
      'No alert is “shipping over $500.00”. Write “shipping or (declines over $500.00)”.',
    ],
    [
      'declines, status in Spain group Field',
      'No alert is “status in Spain”. Write “(status in group "Field") or (declines in Spain in group "Field")”.',
    ],
    ['declines, status code velocity', /^No alert is “status with code decline\.rule\.velocity”/],
    ['spend, declines code velocity', /^No alert is “spend with code/],
    ['virtual, status physical cards', /^No alert is “virtual on physical cards”/],
    ['(shipping or declines) over 500', /^No alert is “shipping over \$500\.00”/],
    ['declines or (shipping, pins over 5)', /^No alert is “shipping over/],
    ['shipping over 500 or declines', 'No alert is “shipping over $500.00”. Write “shipping” there.'],
    [
      'declines or shipping over 500 in Spain group Field',
      'No alert is “shipping over $500.00 in Spain”. Write “shipping in group "Field"” there.',
    ],
    ['everything except (shipping, declines over 500)', /^No alert is “shipping over/],
    ['shipping, status, declines over 500 except in US', /^No alert is “status, shipping over \$500\.00”/],
  ])('is rejected, with what to write instead: %s', (text, why) => {
    const parsed = parseUseful(text);
    const told = 'why' in parsed ? parsed.why : null;

    expect(told).toEqual(typeof why === 'string' ? why : expect.stringMatching(why));
    const instead = /Write “(.*)”\.$/.exec(told ?? '')?.[1] ?? 'declines';
    expect(parseUseful(instead), instead).toHaveProperty('filter');
  });

  it.each([
    'declines over 500 or shipping',
    'declines, pins over 500',
    'shipping, declines group Field',
    'shipping, declines except over 500',
    'declines, shipping except shipping',
    'spend, declines in Spain',
    '(shipping, declines) (over 500 or group Field)',
  ])('is accepted if each kind can be: %s', (text) => {
    expect(parseUseful(text)).toHaveProperty('filter');
  });
});

it('reports unknown groups, categories and codes, with a suggestion', () => {
  const groups = ['Field Ops', 'Sales'];
  const unknown = (text: string) => unknownNames(filterOf(text), groups);

  expect(unknown('declines and not (group "Feild Ops" or group sales)')).toEqual([
    { what: 'group', typed: 'Feild Ops', meant: 'Field Ops' },
  ]);
  expect(unknown('group Marketing or group field')).toEqual([{ what: 'group', typed: 'Marketing', meant: null }]);
  expect(unknown('category restaurants, Restarants or not category 5812')).toEqual([
    { what: 'category', typed: 'Restarants', meant: 'restaurants' },
  ]);
  expect(unknown('code decline.rule.velocty or code velocity')).toEqual([
    { what: 'code', typed: 'decline.rule.velocty', meant: 'decline.rule.velocity' },
  ]);
});
