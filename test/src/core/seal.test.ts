import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createSeals } from '../../../src/core/seal.ts';

it('opens its own seals, which reveal nothing of the text', () => {
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

it('does not open a seal of another token or a changed seal', () => {
  const sealed = createSeals('xoxb-one').reply.seal('https://hooks.example/commands/1');

  expect(createSeals('xoxb-two').reply.open(sealed)).toBeNull();
  expect(createSeals('xoxb-one').reply.open(`A${sealed.slice(1)}`) === null || sealed.startsWith('A')).toBe(true);
  for (const other of ['', 'x', '!!!', sealed.slice(0, 20)])
    expect(createSeals('xoxb-one').reply.open(other)).toBeNull();
});

it('does not open a seal for another purpose', () => {
  const { reply, order, card } = createSeals('xoxb-one');
  const sealed = order.seal('Vera Nova');

  expect(order.open(sealed)).toBe('Vera Nova');
  expect([reply.open(sealed), card.open(sealed)]).toEqual([null, null]);
});

it('seals which card a control stands for', () => {
  const { card, order } = createSeals('xoxb-one');

  for (const which of [
    { acctId: 7, cardId: 12 },
    { acctId: 7, cardId: null },
  ])
    expect(card.open(card.seal(which))).toEqual(which);
  expect(card.open(order.seal('7:12')), 'sealed for another purpose').toBeNull();
});
