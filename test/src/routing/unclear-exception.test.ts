import { describe, expect, it } from 'vitest';
import { printFilter } from '../../../src/routing/filter.ts';
import { parseFilter } from '../../../src/routing/parse-filter.ts';

const printed = (text: string): string => {
  const parsed = parseFilter(text);
  return 'filter' in parsed ? printFilter(parsed.filter) : parsed.why;
};

describe('“or” behind an exception', () => {
  it.each([
    [
      'declines over 500 except merchant Uber or merchant Lyft',
      'declines over $500.00 except at merchant "Uber" and except at merchant "Lyft"',
      '(declines over $500.00 except at merchant "Uber") or at merchant "Lyft"',
    ],
    [
      'declines except in US or in Canada',
      'declines except in US and except in CA',
      '(declines except in US) or in CA',
    ],
    ['declines not in US or in Canada', 'declines except in US and except in CA', '(declines except in US) or in CA'],
    ['not in US or in Canada', 'except in US and except in CA', '(except in US) or in CA'],
    ['not declines or shipping', 'except declines and except shipping', '(except declines) or shipping'],
    [
      'declines except virtual cards or under 10',
      'declines except on virtual cards and except under $10.00',
      '(declines except on virtual cards) or under $10.00',
    ],
    [
      'spend except settlements or reversals',
      'spend except settlements and except reversals',
      '(spend except settlements) or reversals',
    ],
    [
      'spend except in US or settlements',
      'spend except in US and except settlements',
      '(spend except in US) or settlements',
    ],
    [
      'declines except in US or except in Canada',
      'declines except in US and except in CA',
      '(declines except in US) or (except in CA)',
    ],
    [
      'declines except in US or not in Canada over 5',
      'declines except in US and except (over $5.00 except in CA)',
      '(declines except in US) or (over $5.00 except in CA)',
    ],
    [
      'pins or declines except in US or in Canada or in Mexico or shipping',
      'pins or (declines except in US and except in CA and except in MX) or shipping',
      'pins or (declines except in US) or in CA or in MX or shipping',
    ],
    [
      '(pins or status) or declines except in US or (in Canada or over 5)',
      'pins or status or (declines except in US and except (in CA or over $5.00))',
      'pins or status or (declines except in US) or in CA or over $5.00',
    ],
    [
      'everything except in US or shipping',
      'everything except in US and except shipping',
      '(everything except in US) or shipping',
    ],
    [
      'over 5 (declines not in US or in Canada)',
      'declines except in US and except in CA',
      '(declines except in US) or in CA',
    ],
  ])('is asked about, with both meanings as they are printed: %s', (typed, both, alternative) => {
    expect(printed(typed)).toMatch(/^Does “.*” belong to the exception\? If so, write “/);
    expect(printed(typed)).toContain(`If so, write “${both}”. If not, write “${alternative}”.`);
    expect(printed(both)).toBe(both);
    expect(printed(alternative)).toBe(alternative);
  });

  it.each([
    'declines except in US or shipping',
    'shipping except group Field or declines over 5',
    'not not in US or over 5',
    'declines except in US or declines over 5000',
    'declines except group Sales or declines over 5000',
    'declines not in US or declines over 500',
    'declines code velocity not group Sales or declines code mcc',
    'pins or declines except in US or (declines over 5 or declines code mcc)',
  ])('begins an alternative if the exception cannot mean it: %s', (typed) => {
    expect(printed(typed)).toMatch(/^(?!Does ).*\) or /);
  });
});
