import { type Options, parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvLine } from '../../../src/core/csv.ts';
import { examples } from '../../support/examples.ts';

it('quotes every cell, including numbers and empty cells', () => {
  expect(csvLine(['plain', 'a,b', 'said "no"', 'two\nlines', ' spaces ', 12, -5, null, undefined, ''])).toBe(
    '"plain","a,b","said ""no""","two\nlines"," spaces ","12","-5","","",""',
  );
});

const read = (line: string, options: Options): string[] =>
  (parse(line, { relax_column_count: true, ...options }) as string[][]).flat();

describe('a formula', () => {
  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', ' =1', '\r=1', '\u200B=1', '＝1', '−1', '"=1'])(
    'is neutralized at the start of a cell: %j',
    (formula) => {
      expect(read(csvLine([formula]), {})[0]?.startsWith("'")).toBe(true);
    },
  );

  it.each([',', ';', '\t', '\n', '\r\n', '|', ', ', ';"', '\u2028'])(
    'is neutralized after %j, which some spreadsheets read as the end of a cell',
    (separator) => {
      const [cell] = read(csvLine([`Diner${separator}=HYPERLINK("http://x.example")`]), {});

      expect(cell).toMatch(/'[\s"]*=HYPERLINK/);
    },
  );

  it('is neutralized in every cell that a spreadsheet could see, whatever its separator', () => {
    const risky = fc.constantFrom(...Array.from('=+-@＝＋－＠,;|\t\r\n"\' a\u200B\0'));
    const text = fc.oneof(fc.string(), fc.string({ unit: risky }), fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), (cells) => {
        const line = csvLine(cells);
        // A spreadsheet that expects another separator does not treat our quotes as quotes.
        const seen = [',', ';', '\t', '|'].flatMap((delimiter) => read(line, { delimiter, quote: false }));
        for (const cell of [...read(line, {}), ...seen])
          expect(cell.replaceAll('"', '')).not.toMatch(/^[\s\p{Cf}\p{Cc}]*[=+\-@＝＋－＠]/u);
      }),
      { numRuns: examples(100) },
    );
  });
});

it('a parser reads back the written cells unless they contain a formula', () => {
  const harmless = fc.string({ unit: 'grapheme' }).filter((text) => !/[=+\-@＝＋－＠﹢﹣−\0]/u.test(text));
  fc.assert(
    fc.property(fc.array(fc.oneof(harmless, fc.nat()), { minLength: 1, maxLength: 6 }), (cells) => {
      expect(parse(csvLine(cells))).toEqual([cells.map(String)]);
    }),
    { numRuns: examples(300) },
  );
});
