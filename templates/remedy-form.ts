import type { KnownBlock, ModalView } from '@slack/types';
import { limitPeriods, type Remedy, type TransactionAlert } from '../src/alert/alert.ts';
import { declineReason } from '../src/alert/decline-reason.ts';
import { formatCents } from '../src/alert/money.ts';
import { callbackId } from '../src/slack/action-id.ts';
import * as limits from '../src/slack/limits.ts';
import { capital, cardOf, cardOfHolder } from './card-words.ts';
import { amountInput, formInput, option, reasonInput, termInputs } from './form-inputs.ts';
import { context, outside, plainText, section } from './parts.ts';

export interface RemedyForm {
  /** Opaque id: comes back with the submission. */
  readonly privateMetadata: string;
  readonly alert: TransactionAlert;
  /** What would let the purchase pass, as far as it is known. */
  readonly remedy: Remedy | null;
  /**
   * `checking`: it shows what the alert knew, the card is being read. `passes`: by now nothing stops the purchase.
   * `unread`: the card service did not say.
   */
  readonly state: 'checking' | 'checked' | 'passes' | 'unread';
}

interface Words {
  readonly title: string;
  readonly submit: string;
  readonly does: string;
}

/** The form behind *Approve* on a decline: exactly what would let this purchase pass, for how long, and why. */
export function remedyForm(form: RemedyForm): ModalView {
  const { remedy } = form;
  const words = wordsOf(remedy);
  return {
    type: 'modal',
    callback_id: callbackId.raiseLimit,
    private_metadata: form.privateMetadata,
    title: plainText(words.title, limits.MODAL_TITLE_MAX),
    submit: plainText(words.submit, limits.MODAL_TITLE_MAX),
    close: plainText('Cancel', limits.MODAL_TITLE_MAX),
    blocks: [
      ...about(form, words),
      ...(remedy === null || remedy.kind === 'raise_limit' ? limitInputs(form) : []),
      ...(remedy?.kind === 'unblock' ? [] : termInputs('purchase')),
      reasonInput('Reason', 'Goes into the record, with your name.'),
    ],
  };
}

function wordsOf(remedy: Remedy | null): Words {
  switch (remedy?.kind) {
    case 'allow_category':
      return {
        title: 'Allow a category',
        submit: 'Allow',
        does: `Allows purchases at *${outside(remedy.category.name, 80)}*.`,
      };
    case 'allow_international':
      return { title: 'Allow purchases abroad', submit: 'Allow', does: 'Allows purchases outside the United States.' };
    case 'allow_card_not_present':
      return {
        title: 'Allow online purchases',
        submit: 'Allow',
        does: 'Allows purchases without the card: online or keyed in.',
      };
    case 'unblock':
      return {
        title: 'Unblock the card',
        submit: 'Unblock card',
        does: 'The card can be used again, until it is blocked.',
      };
    default:
      return { title: 'Raise a limit', submit: 'Raise limit', does: '' };
  }
}

function limitInputs({ remedy, alert, state }: RemedyForm): KnownBlock[] {
  const raise = remedy?.kind === 'raise_limit' ? remedy : null;
  const named = alert.event.decline === null ? null : declineReason(alert.event.decline).period;
  const period = raise?.period ?? named ?? 'daily';
  // Fresh numbers replace the suggestion; where they are the same, what was typed meanwhile stays.
  const version = `${formInput.amount}-${raise?.suggestedCents ?? state}`;
  return [
    {
      type: 'input',
      block_id: `${formInput.period}-${period}`,
      label: plainText('Which limit', limits.INPUT_LABEL_MAX),
      element: {
        type: 'static_select',
        action_id: formInput.period,
        options: limitPeriods.map((one) => option(capital(one), one)),
        initial_option: option(capital(period), period),
      },
    },
    amountInput(
      { label: 'New limit in dollars', hint: 'The whole limit, not the difference. Examples: 450, $1,250.50' },
      raise?.suggestedCents ?? null,
      version,
    ),
  ];
}

function about({ alert, remedy, state }: RemedyForm, { does }: Words): KnownBlock[] {
  const { event } = alert;
  const merchant = event.merchant.name.trim();
  const at = merchant === '' ? '' : ` at ${outside(merchant, 80)}`;
  const raise = remedy?.kind === 'raise_limit' ? remedy : null;
  const left = raise?.remainingCents == null ? '' : `, ${formatCents(Math.max(0, raise.remainingCents))} left`;
  return [
    section(
      `*${cardOfHolder(cardOf(alert))}*`,
      `Declined: ${formatCents(event.amountCents)}${at}`,
      raise?.category == null ? null : `Limit for merchant category: *${outside(raise.category.name, 80)}*`,
      remedy !== null && raise === null ? does : null,
      remedy !== null && raise === null
        ? null
        : raise?.currentCents == null
          ? 'The current limit is not known.'
          : `Current ${raise.period} limit: ${formatCents(raise.currentCents)}${left}`,
    ),
    ...context(
      state === 'checking' ? 'Checking what the card allows right now…' : null,
      state === 'passes' ? '*By now nothing stops this purchase: it can simply be tried again.*' : null,
      state === 'unread'
        ? 'The card service did not say what the card allows now: these numbers are from the alert.'
        : null,
      raise?.suggestedCents == null || state === 'passes'
        ? null
        : `${formatCents(raise.suggestedCents)} is the lowest limit that lets this purchase through.`,
    ),
  ];
}
