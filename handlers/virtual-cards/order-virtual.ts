import type { ListenerDeps } from '../../src/app/compose-web.ts';
import { contentId } from '../../src/core/content-id.ts';
import { parseAmount } from '../../src/core/money.ts';
import { readBirthDate, type VirtualOrder } from '../../src/virtual-cards/order.ts';
import { virtualOrderInput as input, virtualOrderForm } from '../../templates/virtual-cards/order-form.ts';
import { type Inputs, inputsOf } from '../dispatch/form-inputs.ts';
import { type Interaction, notifyAt } from '../dispatch/interaction.ts';
import type { ViewArgs } from '../dispatch/submission.ts';

type Errors = Record<string, string>;

/** In text that is printed on a card or used in an address, the card service accepts no such character. */
const unprintable = /[^\x20-\x7e]/u;

/** With the signs of a typewriter: phones and word processors replace them with others. */
function typewritten(text: string): string {
  return text
    .normalize('NFC')
    .replaceAll(/[‘’´ʼ]/g, "'")
    .replaceAll(/[“”„]/g, '"')
    .replaceAll(/[\p{Pd}−]/gu, '-')
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll(/\s+/g, ' ');
}

/** `/card virtual order [NAME]`: opens the form. For approvers only, because a new card is money to spend. */
export async function openVirtualOrder(
  triggerId: string,
  { name }: Readonly<Record<string, unknown>>,
  interaction: Interaction,
  deps: ListenerDeps,
): Promise<void> {
  const openForm = async (): Promise<{ kind: 'shown' }> => {
    const [firstName = '', ...rest] = (typeof name === 'string' ? name : '').split(' ');
    const privateMetadata = await deps.pending.put({ kind: 'place', origin: interaction.origin });
    const bands = deps.policyFor(null).orderBands;
    const form = virtualOrderForm({ privateMetadata, firstName, lastName: rest.join(' '), bands });
    await deps.openView(triggerId, form);
    return { kind: 'shown' };
  };
  const target = { kind: 'order', sealed: '' } as const;
  await deps.requestAction({ ...interaction, verb: 'order-virtual', target, input: openForm });
}

/** The submitted order form. Values that the card service would reject are reported next to their inputs. */
export function orderVirtual(deps: ListenerDeps) {
  return async ({ ack, body, view }: ViewArgs): Promise<void> => {
    const inputs = inputsOf(view);
    const errors: Errors = {};
    const order = readOrder(inputs, errors, deps.now());
    const reason = inputs.text(input.reason);
    if (reason === '') errors[input.reason] = 'Say why, in a few words: it goes on record.';
    const pending = await deps.pending.get(view.private_metadata);
    if (pending?.kind !== 'place')
      errors[input.firstName] = 'This form was open for more than 30 minutes. Nothing was ordered. Open it again.';
    if (pending?.kind !== 'place' || Object.keys(errors).length > 0) {
      await ack({ response_action: 'errors', errors });
      return;
    }
    await ack();
    const { origin } = pending;
    const actor = { userId: body.user.id, teamId: body.team?.id ?? '' };
    await deps.requestAction({
      // One order per form, no matter how often it is submitted.
      id: contentId('act_', ['order', view.private_metadata]),
      verb: 'order-virtual',
      target: { kind: 'order', sealed: deps.seals.order.seal(JSON.stringify(order)) },
      input: {},
      reason,
      actor,
      isExternal: false,
      origin: { ...origin, kind: 'form' },
      notify: notifyAt(origin, actor.userId, deps),
    });
  };
}

function readOrder(inputs: Inputs, errors: Errors, now: Date): VirtualOrder {
  const typed = (id: string): string => typewritten(inputs.typed(id)).trim();
  const need = (id: string, isGood: (text: string) => boolean, why: string): string => {
    const text = typed(id);
    if (!isGood(text)) errors[id] = why;
    return text;
  };
  const plainWords = (id: string): string => {
    const text = need(id, (one) => one !== '', 'Fill this in.');
    const refused = unprintable.exec(text)?.[0];
    if (refused !== undefined) errors[id] = `Only plain letters, digits and signs, please: no “${refused}”.`;
    return text;
  };
  const firstName = plainWords(input.firstName);
  const lastName = plainWords(input.lastName);
  if (firstName.length + lastName.length > 23)
    errors[input.lastName] = 'First and last name have at most 23 characters together: that is what fits on a card.';
  const amount = typed(input.amount);
  const fundCents = amount === '' ? 0 : parseAmount(amount);
  if (fundCents === null) errors[input.amount] = 'Write dollars such as 450 or 1,250.50, or leave it empty.';
  const number = (id: string): number | null => {
    const text = need(id, (one) => /^(?:0*[1-9]\d{0,8})?$/.test(one), 'Write its number, or leave it empty.');
    return text === '' || errors[id] !== undefined ? null : Number(text);
  };
  const dateOfBirth = readBirthDate(typed(input.dateOfBirth), now) ?? '';
  if (dateOfBirth === '') errors[input.dateOfBirth] = 'Write the date of birth, month first, such as 04/30/1991.';
  return {
    firstName,
    lastName,
    dateOfBirth,
    phone: need(input.phone, (text) => /^[\d\-() +.]{10,20}$/.test(text), 'Write a phone number such as 512-555-0142.'),
    email: need(input.email, (text) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text), 'Write an email address.'),
    address: {
      line1: plainWords(input.line1),
      line2: typed(input.line2) === '' ? '' : plainWords(input.line2),
      city: plainWords(input.city),
      state: need(input.state, (text) => /^[A-Za-z]{2}$/.test(text), 'Two letters, such as TX.').toUpperCase(),
      postalCode: need(input.postalCode, (text) => /^\d{5}$/.test(text), 'Five digits.'),
    },
    fundCents: fundCents ?? 0,
    groupId: number(input.group),
    rulesetId: number(input.ruleset),
  };
}
