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
    ['not (declines) over 5', 'over $5.00 except declines', 'not binds most tightly'],
    ['not code velocity over 5', 'over $5.00 except with code decline.rule.velocity', 'also with a condition'],
    ['not declines and over 5', 'over $5.00 except declines', 'and after it is never its own'],
    ['declines except in US or shipping', '(declines except in US) or shipping', 'or after it is another alternative'],
    [
      'spend except settlements or declines',
      '(spend except settlements) or declines',
      'also if it is left out already',
    ],
    ['not declines or declines over 5', 'except declines or declines over $5.00', 'also without a subject'],
    ['not (in US) or over 5', 'except in US or over $5.00', 'parentheses end the exception'],
    ['except declines, shipping', 'except declines, shipping', 'a comma makes a list in it'],
    ['not declines, pins not in US', 'except pins, declines and except in US', 'nor is another exception'],
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

  it.each([
    ['declines over 500 dollars', 'declines over 500'],
    ['declines over 500 USD in Spain', 'declines over 500 in Spain'],
    ['declines over $ 1,250.50', 'declines over 1,250.50'],
    ['declines over 1,250 dollars', 'declines over 1,250'],
    ['declines above 500', 'declines over 500'],
    ['declines more than 500', 'declines over 500'],
    ['declines > 1,500', 'declines over 1,500'],
    ['declines >500', 'declines over 500'],
    ['declines below 500', 'declines under 500'],
    ['declines less than 500', 'declines under 500'],
    ['declines < 1,500', 'declines under 1,500'],
    ['all except for declines', 'all except declines'],
    ['everything but declines', 'everything except declines'],
    ['all but for shipping', 'all except shipping'],
    ['everything but (declines over 500)', 'everything except (declines over 500)'],
    ['declines but not in US', 'declines except in US'],
    ['everything but not declines', 'everything except declines'],
    ['declines in the US', 'declines in US'],
    ['declines in the United States over 5', 'declines in "United States" over 5'],
    ['declines country the Netherlands', 'declines country NL'],
    ['declines in South Korea, Trinidad and Tobago and over 5', 'declines in KR, TT and over 5'],
    ['declines in Portugal and over 5', 'declines in PT over 5'],
    ['declines, shipping, and status', 'declines, shipping, status'],
    ['declines, shipping and status over 5', 'declines, shipping, status over 5'],
    ['everything except declines, shipping and status', 'everything except declines, shipping, status'],
    ['declines, pins and virtual cards', '(declines, pins) on virtual cards'],
    ['(declines, pins) and (pins, shipping)', 'declines, pins and (pins, shipping)'],
  ])('%j means the same as %j', (typed, documented) => {
    expect(printed(typed)).not.toBeNull();
    expect(printed(typed)).toBe(printed(documented));
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
      else expect(parsed.why).toContain('too many parentheses');
      expect('filter' in parsed).toBe(deep === 9);
    },
  );

  it.each([
    ['declines over', '', /missing at the end/],
    ['declines over 12,5', '12,5', /an amount of dollars/],
    ['declines beyond 5', 'beyond', /do not understand “beyond”/],
    [
      'everything except declines under 10',
      'under',
      /Does “under” belong to “declines”\? If so, write “except \(declines under …\)”\. If not, put “except declines” at the end\./,
    ],
    ['everything but declines over 500', 'over', /Does “over” belong to “declines”/],
    ['declines but shipping', 'but', /do not understand “but” here: I expected and, not or except\./],
    ['declines or but shipping', 'but', /do not understand “but”/],
    ['all except declines beyond 5', 'beyond', /do not understand “beyond”/],
    [
      'everything except declines and shipping',
      'shipping',
      /Does “shipping” belong to the exception\? If so, write “except declines and except shipping …”\. If not, put “except declines” at the end\./,
    ],
    ['all not declines and pins, status', 'pins', /write “except declines and except pins …”/],
    [
      'everything except merchant Uber and merchant Lyft',
      'merchant',
      /write “except at merchant "Uber" and except merch/,
    ],
    ['everything but declines and over 5', 'over', /write “except declines and except over …”/],
    [
      'everything except declines or shipping',
      'shipping',
      /Does “shipping” belong to the exception\? If so, write “everything except declines and except shipping”\. If not, write “\(everything except declines\) or shipping”\.$/,
    ],
    [
      'everything except merchant Uber under 10',
      'under',
      /Does “under” belong to “at merchant "Uber"”\? If so, write “except \(at merchant "Uber" under …\)”\. If not/,
    ],
    ['everything except virtual cards over 500', 'over', /write “except \(on virtual cards over …\)”/],
    ['declines except group Field over 500', 'over', /write “except \(in group "Field" over …\)”/],
    ['all not declines, pins (over 5)', '(', /Does “\(” belong to “pins, declines”/],
    ['declines over 500 euros', 'euros', /do not understand “euros”/],
    ['declines more 500', '500', /“more than”\./],
    ['declines >= 500', '=', /an amount of dollars/],
    ['declines in the', '', /I expected a country/],
    ['declines Portugal', 'Portugal', /I expected “in” before a country: in Portugal\.$/],
    ['declines in Spain over 5 or Portugal', 'Portugal', /I expected “in” before a country: in Portugal\.$/],
    ['over 50 or France', 'France', /I expected “in” before a country: in France\.$/],
    ['(declines', '', /closing parenthesis/],
    [`${'('.repeat(30)}declines${')'.repeat(30)}`, '', /too many parentheses/],
    [`${'not '.repeat(30)}declines`, 'not', /too many “not”/],
    ['declines and shipping', '', /No alert can be all of this at once\. Did you mean “or”\?/],
    ['virtual over 5', '', /No alert can be all of this at once\. Virtual cards, .* are “virtual cards”/],
    ['category ••7995', '••7995', /codes with commas/],
    ['x'.repeat(2001), '', /at most 2000 characters/],
  ])('reports the word that it cannot parse, case %#', (text, word, why) => {
    const parsed = parseFilter(text);

    expect('why' in parsed && parsed.why).toMatch(why);
    expect('why' in parsed && parsed.why).toContain(word);
  });

  it.each([
    ['declines in Spain or Portugal', 'in Spain, Portugal'],
    ['declines in Spain and Portugal', 'in Spain, Portugal'],
    ['declines in Spain Portugal', 'in Spain, Portugal'],
    ['declines country ES or PT over 5', 'country ES, PT'],
    ['not in Spain, Italy or the Netherlands', 'in Spain, Italy, the Netherlands'],
    ['declines in "South Korea" or North Macedonia', 'in "South Korea", North Macedonia'],
    ['declines merchant Uber or Lyft', 'merchant Uber, Lyft'],
    ['everything except merchant:"Blue Bottle" or "Big Bean"', 'merchant "Blue Bottle", "Big Bean"'],
    ['in group Field or Sales', 'group Field, Sales'],
    ['holder Jane or Sam', 'holder Jane, Sam'],
    ['category restaurants or hotels', 'category restaurants, hotels'],
    ['code velocity or balance', 'code velocity, balance'],
  ])('says that another value needs a comma: %s', (text, list) => {
    // With its word behind the “or”, it would be everything there.
    const parsed = parseFilter(text);
    const why = 'why' in parsed ? parsed.why : '';
    const isOfCountries = /^(in|country) /.test(list);
    expect(why).toContain(`I expected a comma between two${isOfCountries ? `: ${list}.` : ` (${list}), or a kind`}`);
    expect(why).not.toContain('“in”');
    expect(parseFilter(list)).toMatchObject({ filter: { is: 'or' } });
  });
});
