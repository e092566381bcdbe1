import type { InputBlock, ModalView } from '@slack/types';
import { formatCents } from '../../src/core/money.ts';
import { callbackId } from '../../src/slack/action-id.ts';
import * as limits from '../../src/slack/limits.ts';
import { context, plainText, section } from '../core/blocks.ts';

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

export interface VirtualOrderForm {
  /** Opaque id: comes back with the submission. */
  readonly privateMetadata: string;
  /** What was typed behind the command. */
  readonly firstName: string;
  readonly lastName: string;
  /** The most that one person may put on new cards alone, within 24 hours. Whole cents. */
  readonly fundMaxCents: number;
}

/** The form behind `/card virtual order`: what the card service asks for, and why. */
export function virtualOrderForm({ privateMetadata, firstName, lastName, fundMaxCents }: VirtualOrderForm): ModalView {
  const input = virtualOrderInput;
  const most = formatCents(fundMaxCents);
  return {
    type: 'modal',
    callback_id: callbackId.orderVirtual,
    private_metadata: privateMetadata,
    title: plainText('Order a virtual card', limits.MODAL_TITLE_MAX),
    submit: plainText('Order card', limits.MODAL_TITLE_MAX),
    close: plainText('Cancel', limits.MODAL_TITLE_MAX),
    blocks: [
      section('*Who will hold it*', 'Kept encrypted until the card is ordered, then deleted.'),
      text(input.firstName, 'First name', { max: 23, initial: firstName }),
      text(input.lastName, 'Last name', {
        max: 23,
        initial: lastName,
        hint: 'Both names together: at most 23 characters.',
      }),
      text(input.dateOfBirth, 'Date of birth', { max: 10, hint: 'Month first. Example: 04/30/1991' }),
      text(input.phone, 'Phone', { max: 20, hint: 'Example: 512-555-0142' }),
      text(input.email, 'Email', { max: 254 }),
      text(input.line1, 'Address', { max: 26 }),
      text(input.line2, 'Address, second line', { max: 26, optional: true }),
      text(input.city, 'City', { max: 25 }),
      text(input.state, 'State', { max: 2, hint: 'Two letters: TX' }),
      text(input.postalCode, 'ZIP code', { max: 5 }),
      { type: 'divider' },
      text(input.amount, 'Put on the card, in dollars', {
        max: 12,
        optional: true,
        hint: `More than ${most} within 24 hours needs a second approver.`,
      }),
      text(input.ruleset, 'Spending ruleset, by number', { max: 9, optional: true }),
      text(input.group, 'Group, by number', { max: 9, optional: true }),
      text(input.reason, 'Reason', { max: 500, hint: 'Goes on record with your name.', multiline: true }),
      ...context('The card is active immediately. Its number goes to your configured receiver, never to Slack.'),
    ],
  };
}

interface TextInput {
  readonly max: number;
  readonly initial?: string;
  readonly hint?: string;
  readonly optional?: boolean;
  readonly multiline?: boolean;
}

function text(id: string, label: string, { max, initial = '', hint, optional, multiline }: TextInput): InputBlock {
  return {
    type: 'input',
    block_id: id,
    label: plainText(label, limits.INPUT_LABEL_MAX),
    ...(optional === true && { optional }),
    ...(hint !== undefined && { hint: plainText(hint, limits.INPUT_HINT_MAX) }),
    element: {
      type: 'plain_text_input',
      action_id: id,
      max_length: max,
      ...(multiline === true && { multiline }),
      ...(initial !== '' && { initial_value: initial.slice(0, max) }),
    },
  };
}
