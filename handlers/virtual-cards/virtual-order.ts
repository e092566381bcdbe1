import { aloneCents } from '../../src/policy/approval-policy.ts';
import { virtualOrderForm } from '../../templates/virtual-cards/order-form.ts';
import type { ListenerDeps } from '../deps.ts';
import type { Interaction } from '../dispatch/interaction.ts';

/** `/card virtual order [NAME]`: opens the form, for approvers: ordering a card is giving somebody money to spend. */
export async function openVirtualOrder(
  triggerId: string,
  { name }: Readonly<Record<string, unknown>>,
  interaction: Interaction,
  deps: ListenerDeps,
): Promise<void> {
  const openForm = async (): Promise<{ kind: 'shown' }> => {
    const [firstName = '', ...rest] = (typeof name === 'string' ? name : '').split(' ');
    const privateMetadata = await deps.pending.put({ kind: 'place', origin: interaction.origin });
    const fundMaxCents = aloneCents({ bands: deps.policyFor(null).orderBands });
    await deps.openView(
      triggerId,
      virtualOrderForm({ privateMetadata, firstName, lastName: rest.join(' '), fundMaxCents }),
    );
    return { kind: 'shown' };
  };
  const target = { kind: 'order', sealed: '' } as const;
  await deps.requestAction({ ...interaction, verb: 'order-virtual', target, input: openForm }, interaction.notify);
}
