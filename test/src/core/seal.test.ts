import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createSeals } from '../../../src/core/seal.ts';

it('what was sealed is opened again, and shows nothing of itself', () => {
  const seal = createSeals('xoxb-one').reply;
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
  const sealed = createSeals('xoxb-one').reply.seal('https://hooks.example/commands/1');

  expect(createSeals('xoxb-two').reply.open(sealed)).toBeNull();
  expect(createSeals('xoxb-one').reply.open(`A${sealed.slice(1)}`) === null || sealed.startsWith('A')).toBe(true);
  for (const other of ['', 'x', '!!!', sealed.slice(0, 20)])
    expect(createSeals('xoxb-one').reply.open(other)).toBeNull();
});

it('what was sealed for one purpose opens for no other', () => {
  const { reply, order, card } = createSeals('xoxb-one');
  const sealed = order.seal('Vera Nova');

  expect(order.open(sealed)).toBe('Vera Nova');
  expect([reply.open(sealed), card.open(sealed)]).toEqual([null, null]);
});
