import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fromStored, toStored } from '../../../src/core/unknown-fields.ts';

const Target = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('alert'), id: z.string() }),
  z.strictObject({ kind: z.literal('card'), acctId: z.int() }),
]);
const Order = z.strictObject({
  state: z.enum(['open', 'closed']),
  target: Target,
  lines: z.array(z.strictObject({ text: z.string() })).readonly(),
  note: z.string().default(''),
});

const newer = {
  state: 'open',
  target: { kind: 'alert', id: 'evt_1', region: 'EU' },
  lines: [{ text: 'a' }, { text: 'b', weight: { grams: 5 } }],
  note: 'x',
  currency: 'EUR',
};

describe('data stored by a newer version', () => {
  it('is read without fields unknown to this version', () => {
    const order = fromStored(Order, newer);

    expect(Object.keys(order).toSorted()).toEqual(['lines', 'note', 'state', 'target']);
    expect(Object.keys(order.target)).toEqual(['kind', 'id']);
  });

  it('is stored again with those fields, at any depth, after this version has changed the record', () => {
    const order = fromStored(Order, newer);

    const changed = { ...order, state: 'closed' as const, lines: order.lines.map((line) => ({ ...line, text: 'c' })) };

    expect(JSON.parse(JSON.stringify(toStored(Order, changed)))).toEqual({
      ...newer,
      state: 'closed',
      lines: [{ text: 'c' }, { text: 'c', weight: { grams: 5 } }],
    });
  });

  it('keeps those fields in a record that contains it', () => {
    const Job = z.strictObject({ order: Order });

    expect(toStored(Job, { order: fromStored(Order, newer) })).toEqual({ order: expect.objectContaining(newer) });
  });

  it('is not changed by reading', () => {
    const before = structuredClone(newer);

    fromStored(Order, newer);

    expect(newer).toEqual(before);
  });

  it.each([
    ['a value', { ...newer, state: 'parked' }],
    ['a kind', { ...newer, target: { kind: 'region', region: 'EU' } }],
    ['a missing required field', { ...newer, target: undefined }],
    ['a value that is not a record', 'open'],
  ])('cannot be read if it has %s that this version does not understand', (_what, stored) => {
    expect(() => fromStored(Order, stored)).toThrow(z.ZodError);
  });
});

it('rejects an unexpected field of our own', () => {
  const order = { ...fromStored(Order, newer), pin: '1234' };

  expect(() => toStored(Order, order)).toThrow(z.ZodError);
});
