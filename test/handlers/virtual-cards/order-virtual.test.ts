import { expect, it } from 'vitest';
import { orderVirtual } from '../../../handlers/virtual-cards/order-virtual.ts';
import type { VirtualOrder } from '../../../src/virtual-cards/order.ts';
import { filledOrder } from '../../support/virtual-order-form.ts';

/** Submits the order form. @returns the order, or the errors that the form shows. */
async function submit(typed: Readonly<Record<string, string>>): Promise<{ order?: VirtualOrder; errors?: object }> {
  const all = { first_name: 'Jane', last_name: 'Doe', ...filledOrder, ...typed };
  const values = Object.fromEntries(Object.entries(all).map(([id, value]) => [id, { [id]: { value } }]));
  let submitted: { order?: VirtualOrder; errors?: object } = {};
  const deps = {
    now: () => new Date('2026-11-20T15:00:00Z'),
    pending: { get: async () => ({ kind: 'place', origin: { kind: 'command', channel: 'C1', reply: null } }) },
    seals: { order: { seal: (text: string) => text } },
    async requestAction({ target }: { target: { sealed: string } }) {
      submitted = { order: JSON.parse(target.sealed) as VirtualOrder };
    },
  };
  const body = { user: { id: 'U1' }, team: { id: 'T1' } };
  const view = { id: 'V1', private_metadata: 'p_1', state: { values } };
  const ack = async (answer?: { errors: object }): Promise<void> => {
    if (answer !== undefined) submitted = { errors: answer.errors };
  };
  await orderVirtual(deps as never)({ ack, body, view } as never);
  return submitted;
}

it('takes the apostrophes, dashes and spaces that phones and word processors write', async () => {
  const { order } = await submit({
    first_name: 'Mary–Jane',
    last_name: 'O’Brien',
    phone: '512‑555\u00a00142',
    address_line1: '12\u00a0King’s Road',
    city: 'Coeur d’Alene',
  });

  expect(order).toMatchObject({
    firstName: 'Mary-Jane',
    lastName: "O'Brien",
    phone: '512-555 0142',
    address: { line1: "12 King's Road", city: "Coeur d'Alene" },
  });
});

it('names the character that the card service does not accept', async () => {
  const { errors } = await submit({ last_name: 'Lefe\u0301vre', address_line2: 'Łódź 2' });

  expect(errors).toEqual({
    last_name: 'Only plain letters, digits and signs, please: no “é”.',
    address_line2: 'Only plain letters, digits and signs, please: no “Ł”.',
  });
});
