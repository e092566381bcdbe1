import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseExactly } from '../../../src/core/exact-json.ts';

it.each([
  ['9007199254740991', 9007199254740991],
  ['9007199254740992', '9007199254740992'],
  ['9007199254740993', '9007199254740993'],
  ['-9007199254740993', '-9007199254740993'],
  ['9223372036854775807', '9223372036854775807'],
  [' [9007199254740993, 1] ', ['9007199254740993', 1]],
  ['{"a":9007199254740993}', { a: '9007199254740993' }],
  ['{"a": 9007199254740993 ,"b":2}', { a: '9007199254740993', b: 2 }],
  ['{"9007199254740993":1}', { '9007199254740993': 1 }],
  ['"9007199254740993"', '9007199254740993'],
  ['"\\" 9007199254740993"', '" 9007199254740993'],
  ['{"a":"x\\\\","b":9007199254740993}', { a: 'x\\', b: '9007199254740993' }],
  ['1.0000000000000001', 1],
  ['0.12345678901234567', Number('0.12345678901234567')],
  ['12345678901234567.5', Number('12345678901234567.5')],
  ['1e22', 1e22],
  ['12345678901234567e2', Number('12345678901234567e2')],
  ['1E-12345678901234567', 0],
])('reads %s with all of its digits', (text, value) => {
  expect(parseExactly(text)).toEqual(value);
});

it.each(['', '{', '01234567890123456789', '9007199254740993 9007199254740993', '--9007199254740993', '{"a":1'])(
  'rejects %j as invalid JSON',
  (text) => {
    expect(() => parseExactly(text)).toThrow(SyntaxError);
  },
);

it('reads JSON without large numbers like JSON.parse, including keys like __proto__', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      fc.pre(!/(?:^|[[:,])-?[1-9]\d{15,}(?:[\]},]|$)/.test(text));
      expect(parseExactly(text)).toEqual(JSON.parse(text));
    }),
  );
  expect(Object.keys(parseExactly('{"__proto__":9007199254740993}') as object)).toEqual(['__proto__']);
});

it('keeps any 64-bit integer, wherever it appears', () => {
  const number = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
  fc.assert(
    fc.property(fc.string(), number, (words, id) => {
      const read = parseExactly(`{"words":${JSON.stringify(words)},"ids":[${id},{"id": ${id}}]}`);
      expect(
        JSON.stringify(read)
          .match(/-?\d+(?="?[,}\]])/g)
          ?.slice(-2),
      ).toEqual([String(id), String(id)]);
      expect(read).toMatchObject({ words });
    }),
  );
});

it('reads JSON that is nested 120,000 levels deep', () => {
  const text = `${'{"a":['.repeat(60_000)}9007199254740993${']}'.repeat(60_000)}`;

  let [value, depth] = [parseExactly(text), 0];
  for (; typeof value === 'object' && value !== null; depth += 1) [value] = Object.values(value);

  expect([value, depth]).toEqual(['9007199254740993', 120_000]);
});
