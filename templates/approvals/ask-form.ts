import type { ModalView } from '@slack/types';
import type { Term } from '../../src/card-api/rule-change.ts';
import { callbackId } from '../../src/slack/action-id.ts';
import { escapeUntrusted, section } from '../core/blocks.ts';
import { modal } from '../core/form.ts';
import { amountInput, reasonInput, termInputs } from '../limits/form-inputs.ts';

interface RaiseForm {
  /** Opaque id that comes back with the submission. */
  readonly privateMetadata: string;
  /** The subject: `$84.10 at Blue Bottle Coffee was declined`; empty when it is not about a purchase. Raw. */
  readonly about: string;
  readonly amountCents: number | null;
  /** What is chosen at first. Null: a subscription keeps failing. */
  readonly term: Term | null;
  /** The card service's day, `2026-11-20`. */
  readonly today: string;
}

/** *Ask for more*, for the cardholder: how much, how long, and why. */
export function askForm({ privateMetadata, about, amountCents, term, today }: RaiseForm): ModalView {
  return modal({
    callback: callbackId.askForRaise,
    privateMetadata,
    title: 'Ask for more',
    submit: 'Ask',
    blocks: [
      section(
        about === '' ? null : `*${escapeUntrusted(about, 200)}*`,
        'Your request goes to the approvers. I’ll message you when they have decided, or when it expires: after 24 hours, or when what you ask for would end. Nothing changes before that.',
      ),
      amountInput(
        { label: 'What you want to pay, in dollars', hint: 'The price of the purchase. Examples: 84.10, $1,250' },
        amountCents,
      ),
      ...termInputs(today, term),
      reasonInput('Reason', 'What it is for. The approvers read it.'),
    ],
  });
}
