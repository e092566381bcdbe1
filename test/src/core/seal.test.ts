import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createSeal } from '../../../src/core/seal.ts';

it('what was sealed is opened again, and shows nothing of itself', () => {
  const seal = createSeal('xoxb-one');
  fc.assert(
    fc.property(fc.string({ minLength: 8 }), (text) => {
      const sealed = seal.seal(text);
      expect(seal.open(sealed)).toBe(text);
      expect(sealed).not.toContain(text);
      expect(sealed).not.toBe(seal.seal(text));
    }),
  );
});

it('another token’s seal, or one that was changed, does not open', () => {
  const sealed = createSeal('xoxb-one').seal('https://hooks.example/commands/1');

  expect(createSeal('xoxb-two').open(sealed)).toBeNull();
  expect(createSeal('xoxb-one').open(`A${sealed.slice(1)}`) === null || sealed.startsWith('A')).toBe(true);
  for (const other of ['', 'x', '!!!', sealed.slice(0, 20)]) expect(createSeal('xoxb-one').open(other)).toBeNull();
});
