import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createSigner } from '../../../src/core/sign.ts';
import { examples } from '../../support/examples.ts';

const signer = createSigner('xoxb-one', 'action');

it('verifies a value after JSON and schemas, in any field order', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (said) => {
      const signature = signer.sign(said);
      expect(signer.verify(JSON.parse(JSON.stringify(said)), signature)).toBe(true);
    }),
    { numRuns: examples(300) },
  );
  const signature = signer.sign({ a: 1, b: { c: [1, { d: 2, e: undefined }] } });
  expect(signer.verify({ b: { c: [1, { d: 2 }] }, a: 1 }, signature)).toBe(true);
});

it.each([
  ['another value', { a: 2 }, signer],
  ['another field', { a: 1, b: 1 }, signer],
  ['another type', { a: '1' }, signer],
  ['a list instead', [1], signer],
  ['another secret', { a: 1 }, createSigner('xoxb-two', 'action')],
  ['another purpose', { a: 1 }, createSigner('xoxb-one', 'other')],
])('does not verify %s', (_what, said, by) => {
  expect(by.verify(said, signer.sign({ a: 1 }))).toBe(false);
});

it('rejects invalid signatures', () => {
  for (const none of ['', 'x', '!!!', 'a'.repeat(1000)]) expect(signer.verify({ a: 1 }, none)).toBe(false);
});

it('gives different values different signatures, however their fields and texts are split', () => {
  const texts = fc.constantFrom('', 'a', 'b', 'ab', '"', ',', ':', '{', '}', '"a":"b"', '\\', '\u2028', 'null', '1');
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      texts,
      fc.constantFrom(null, true, 0, 1, -0.5),
      fc.array(tie('any'), { maxLength: 3 }),
      fc.dictionary(texts, tie('any'), { maxKeys: 3 }),
    ),
  })).any;
  fc.assert(
    fc.property(value, value, (one, other) => {
      const isSame = isDeepStrictEqual(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other)));
      expect(signer.verify(other, signer.sign(one))).toBe(isSame);
    }),
    { numRuns: examples(500) },
  );
});
