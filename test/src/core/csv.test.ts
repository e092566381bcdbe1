import { expect, it } from 'vitest';
import { csvLine } from '../../../src/core/csv.ts';

it('quotes what a spreadsheet would read otherwise', () => {
  expect(csvLine(['plain', 'a,b', 'said "no"', 'two\nlines', ' spaces '])).toBe(
    'plain,"a,b","said ""no""","two\nlines"," spaces "',
  );
});

it('leaves numbers as they are, and cells without a value empty', () => {
  expect(csvLine([12, -5, null, undefined, ''])).toBe('12,-5,,,');
});

it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', ' =1', '\r=1', '\u200B=1', '＝1'])(
  'makes text of the formula %j',
  (formula) => {
    expect(csvLine([formula])).toBe(`"'${formula}"`);
  },
);
