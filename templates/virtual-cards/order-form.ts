import type { ModalView } from '@slack/types';
import { formatCents } from '../../src/core/money.ts';
import { aloneCents, approvalsAbove, type Band } from '../../src/policy/approval-policy.ts';
import { callbackId } from '../../src/slack/action-id.ts';
import { context, section } from '../core/blocks.ts';
import { numberElsewhere } from '../core/card-words.ts';
import { modal, textInput } from '../core/form.ts';
import { whoElse } from '../limits/counted-words.ts';

/** `block_id` and `action_id` of each input. */
export const virtualOrderInput = {
  firstName: 'first_name',
  lastName: 'last_name',
  dateOfBirth: 'date_of_birth',
  phone: 'phone',
  email: 'email',
  line1: 'address_line1',
  line2: 'address_line2',
  city: 'city',
  state: 'state',
  postalCode: 'postal_code',
  amount: 'amount',
  ruleset: 'ruleset',
  group: 'group',
  reason: 'reason',
} as const;

interface VirtualOrderForm {
  /** Opaque id that comes back with the submission. */
  readonly privateMetadata: string;
  /** The name typed after the command. */
  readonly firstName: string;
  readonly lastName: string;
  /** How many people must approve which amount on new cards within 24 hours. */
  readonly bands: readonly Band[];
}

/** The form behind `/card virtual order`: what the card service asks for, and why. */
export function virtualOrderForm({ privateMetadata, firstName, lastName, bands }: VirtualOrderForm): ModalView {
  const aboveCents = aloneCents({ bands });
  const input = virtualOrderInput;
  return modal({
    callback: callbackId.orderVirtual,
    privateMetadata,
    title: 'Order a virtual card',
    submit: 'Order card',
    blocks: [
      section('*Who will hold it*', 'Kept encrypted until the card is ordered, then deleted.'),
      textInput(input.firstName, 'First name', { max: 23, initial: firstName }),
      textInput(input.lastName, 'Last name', {
        max: 23,
        initial: lastName,
        hint: 'Both names together: at most 23 characters.',
      }),
      textInput(input.dateOfBirth, 'Date of birth', { max: 10, hint: 'Month first. Example: 04/30/1991' }),
      textInput(input.phone, 'Phone', { max: 20, hint: 'Example: 512-555-0142' }),
      textInput(input.email, 'Email', { max: 254 }),
      textInput(input.line1, 'Address', { max: 26 }),
      textInput(input.line2, 'Address, second line', { max: 26, optional: true }),
      textInput(input.city, 'City', { max: 25 }),
      textInput(input.state, 'State', { max: 2, hint: 'Two letters: TX' }),
      textInput(input.postalCode, 'ZIP code', { max: 5 }),
      { type: 'divider' },
      textInput(input.amount, 'Put on the card, in dollars', {
        max: 12,
        optional: true,
        ...(aboveCents !== null && {
          hint: `More than ${formatCents(aboveCents)} within 24 hours needs ${whoElse(approvalsAbove({ bands }))}.`,
        }),
      }),
      textInput(input.ruleset, 'Spending ruleset, by number', { max: 9, optional: true }),
      textInput(input.group, 'Group, by number', { max: 9, optional: true }),
      textInput(input.reason, 'Reason', { max: 500, hint: 'Goes on record with your name.', multiline: true }),
      ...context(`The card is active immediately. ${numberElsewhere}`),
    ],
  });
}
