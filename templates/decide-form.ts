import type { ModalView } from '@slack/types';
import { formatCents } from '../src/alert/money.ts';
import { ruleName, valueWord } from '../src/alert/rule-change.ts';
import type { Term } from '../src/authority/wish.ts';
import { callbackId } from '../src/slack/action-id.ts';
import * as limits from '../src/slack/limits.ts';
import type { LimitRequest } from '../src/store/requests.ts';
import { cardOfHolder } from './card-words.ts';
import { amountInput, reasonInput, type TermChoice, termInputs } from './form-inputs.ts';
import { context, outside, plainText, section } from './parts.ts';

/** What the form on a request is for. */
export type DecidePurpose = 'change' | 'deny' | 'glass';

export interface DecideForm {
  /** Opaque id: comes back with the submission. */
  readonly privateMetadata: string;
  readonly purpose: DecidePurpose;
  readonly request: LimitRequest;
  /** For the glass: at most this much more, whole cents. */
  readonly capCents: number;
}

const words: Readonly<Record<DecidePurpose, { title: string; submit: string }>> = {
  change: { title: 'Change and approve', submit: 'Approve' },
  deny: { title: 'Deny with a note', submit: 'Deny' },
  glass: { title: 'Break the glass', submit: 'Break glass' },
};

/** The forms behind the buttons of a request: another amount, a note, or the glass. */
export function decideForm({ privateMetadata, purpose, request, capCents }: DecideForm): ModalView {
  const { card, wish, before, action } = request;
  const { change, term } = wish;
  const { title, submit } = words[purpose];
  const isChange = purpose === 'change';
  return {
    type: 'modal',
    callback_id: callbackId.decideRequest,
    private_metadata: privateMetadata,
    title: plainText(title, limits.MODAL_TITLE_MAX),
    submit: plainText(submit, limits.MODAL_TITLE_MAX),
    close: plainText('Cancel', limits.MODAL_TITLE_MAX),
    blocks: [
      section(
        `*${cardOfHolder(card)}*`,
        `${outside(ruleName(change), 80)}: ${outside(valueWord(before), 40)} now, ${outside(valueWord(change.kind === 'limit' ? change.limitCents : change.isAllowed), 40)} asked for`,
        action.reason === '' ? null : `Reason: ${outside(action.reason, 300)}`,
      ),
      ...(purpose === 'glass'
        ? context(
            `For an hour at most, ${formatCents(capCents)} more at most, once a day for each card. Every approver is told.`,
          )
        : []),
      ...(isChange && change.kind === 'limit'
        ? [
            amountInput(
              { label: 'New limit in dollars', hint: 'The whole limit, not the difference. Examples: 450, $1,250.50' },
              change.limitCents,
            ),
          ]
        : []),
      ...(isChange ? termInputs(choiceOf(term)) : []),
      purpose === 'change'
        ? reasonInput('Note', 'The one who asked reads it.', true)
        : purpose === 'deny'
          ? reasonInput('Note', 'The one who asked reads it: say why, and what would be fine.')
          : reasonInput('Reason', 'Why this cannot wait for an approver. Goes into the record, and to every approver.'),
    ],
  };
}

function choiceOf(term: Term): TermChoice {
  if (term.kind !== 'duration') return term.kind;
  return term.ms <= 3_600_000 ? '1h' : '24h';
}
