import type { InputBlock, ModalView, SectionBlock } from '@slack/types';
import { type ApprovalRequest, changesFromNow, isAboutRules, isChanged } from '../../src/approvals/request.ts';
import { ofRule } from '../../src/card-api/rule.ts';
import { isAboutLimits, limitGoals, type RuleChange } from '../../src/card-api/rule-change.ts';
import { capital } from '../../src/core/first-letter.ts';
import { formatCents } from '../../src/core/money.ts';
import { ruleName, stateWords } from '../../src/limits/rule-words.ts';
import { callbackId } from '../../src/slack/action-id.ts';
import { mention } from '../../src/slack/mrkdwn.ts';
import { context, escapeUntrusted, fields, section } from '../core/blocks.ts';
import { cardOfHolder } from '../core/card-words.ts';
import { modal } from '../core/form.ts';
import { amountInput, amountLabel, amountOf, openedOnce, reasonInput, termInputs } from '../limits/form-inputs.ts';
import { mayLeaveRuleset } from '../limits/ruleset-words.ts';
import {
  backWords,
  blockedCards,
  changedWords,
  earlierApprovalWords,
  merchantWords,
  requestFields,
  requestHeadline,
} from './request-words.ts';

/** The purpose of a form on a request. */
export type DecidePurpose = 'change' | 'deny' | 'override';

interface DecideForm {
  /** Opaque id that comes back with the submission. */
  readonly privateMetadata: string;
  readonly purpose: DecidePurpose;
  readonly request: ApprovalRequest;
  /** For the emergency override: the maximum raise, in whole cents; null: any amount. */
  readonly capCents: number | null;
  /** The card service's day, `2026-11-20`. */
  readonly today: string;
}

const words: Readonly<Record<DecidePurpose, { title: string; submit: string }>> = {
  change: { title: 'Change and approve', submit: 'Approve' },
  deny: { title: 'Deny with a note', submit: 'Deny' },
  override: { title: 'Emergency override', submit: 'Break glass' },
};

/** The forms behind the buttons of a request: another amount, a note, or the emergency override. */
export function decideForm({ privateMetadata, purpose, request, capCents, today }: DecideForm): ModalView {
  const { card, changes, term } = request;
  const { title, submit } = words[purpose];
  const isChange = purpose === 'change';
  const ofLimits = isAboutLimits(changes);
  return modal({
    callback: callbackId.decideRequest,
    privateMetadata,
    title,
    submit,
    blocks: [
      ...subject(request),
      ...(purpose === 'deny' ? [] : context(mayLeaveRuleset(card), ofLimits ? null : openedOnce)),
      ...(purpose === 'override' ? context(overrideWords(ofLimits, capCents)) : []),
      ...(isChange ? limitInputs(changes) : []),
      // Changing only the amount keeps the requested duration.
      ...(isChange ? termInputs(today, term) : []),
      purpose === 'change'
        ? reasonInput('Note', 'Whoever asked reads it.', true)
        : purpose === 'deny'
          ? reasonInput('Note', 'Whoever asked reads it: say why, and what you would approve.')
          : reasonInput('Reason', 'Why this cannot wait for an approver. Goes on record and to every approver.'),
    ],
  });
}

function overrideWords(ofLimits: boolean, capCents: number | null): string {
  const most = capCents === null ? 'For' : `At most ${formatCents(capCents)} more, for`;
  const lasts = ofLimits ? `${most} at most an hour` : 'For at most 15 minutes';
  return `${lasts}, once a day for each card. Every approver is told.`;
}

/** What is decided, so that nobody has to remember the message behind the form. */
function subject(request: ApprovalRequest): SectionBlock[] {
  const { card, action } = request;
  const reason = action.reason === '' ? null : `Reason: ${escapeUntrusted(action.reason, 300)}`;
  if (!isAboutRules(request)) {
    const head = section(`*${mention(action.actor.userId)} ${requestHeadline(request, '')}*`, reason);
    return [head, ...blockedCards(request), ...fields(requestFields(request))];
  }
  return [
    section(
      `*${cardOfHolder(card)}*`,
      ...changesFromNow(request).map((change) => askedLine(change, request)),
      // What another approver proposed is not what was asked for.
      isChanged(request) ? changedWords(request) : null,
      action.verb === 'ask' ? `To pay ${formatCents(action.ask.amountCents)}${merchantWords(request.facts)}` : null,
      reason,
      earlierApprovalWords(request, 'approver'),
    ),
  ];
}

/** `Daily limit: $800.00 now (temporarily; back to $150.00, today at 5:00 PM), $900.00 asked for`. */
function askedLine(change: RuleChange, request: ApprovalRequest): string {
  const value = ofRule(request.temporary, change.rule);
  const note = value === undefined ? '' : ` (temporarily; ${backWords(value, change.rule)})`;
  const asked = isChanged(request) ? '' : `, ${stateWords([change], 'to')} asked for`;
  return `${capital(escapeUntrusted(ruleName(change.rule), 80))}: ${stateWords([change], 'from')} now${note}${asked}`;
}

function limitInputs(changes: readonly RuleChange[]): InputBlock[] {
  const hint = 'The whole limit, not the difference. Examples: 450, $1,250.50';
  return limitGoals(changes).map(({ rule, to }) =>
    changes.length === 1
      ? amountInput({ label: 'New limit in dollars', hint }, to)
      : amountInput({ label: amountLabel(rule), hint }, to, { action: amountOf(rule) }),
  );
}
