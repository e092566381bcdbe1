import type { CardFacts } from '../../src/alerts/alert.ts';
import type { LimitRequest, UnconfirmedApproval } from '../../src/approvals/request-store.ts';
import { formatCents } from '../../src/core/money.ts';
import { type ChangeRequest, type Term, termWords } from '../../src/limits/change-request.ts';
import { isSameValue, type RuleChange, type RuleValue, wantedOf } from '../../src/limits/rule-change.ts';
import { ruleMove, ruleName } from '../../src/limits/rule-words.ts';
import type { Message } from '../../src/slack/message.ts';
import { mention } from '../../src/slack/mrkdwn.ts';
import { outside, RULES_MAX, section, sentence } from '../core/blocks.ts';
import { capital, cardName } from '../core/card-words.ts';
import { mayBeDeclined } from '../limits/ruleset-words.ts';

export interface RequestSent {
  readonly card: CardFacts;
  /** What the holder wants to pay, whole cents. */
  readonly payCents: number;
  readonly change: RuleChange;
  readonly before: RuleValue;
  readonly term: Term;
  /** What happens now. */
  readonly note: string;
}

/** To the holder: what was asked in their name. */
export function requestSent({ card, payCents, change, before, term, note }: RequestSent): Message {
  const what = movedWords(before, { change, term });
  const pay = `to pay ${formatCents(payCents)}`;
  return {
    text: sentence(`Asked for your ${cardName(card)}, ${pay}: ${what}. ${outside(note, 300)}`),
    blocks: [section(`*Asked for your ${cardName(card)}, ${pay}*`, what, outside(note, 300), 'Nothing changed yet.')],
  };
}

/** To the holder: somebody said yes, and nothing shows whether the card service took it. */
export function requestUnsure(
  { card, before }: LimitRequest,
  { by, changeRequest }: Pick<UnconfirmedApproval, 'by' | 'changeRequest'>,
): Message {
  const lines = [
    `*${mention(by)} said yes, but the card service has not confirmed it.*`,
    `Your ${cardName(card)}: ${movedWords(before, changeRequest)}.`,
    'It may work or not. Your request is still open: an approver can look at the card and decide again.',
  ];
  return { text: sentence(lines.map((line) => line.replaceAll('*', '')).join(' ')), blocks: [section(...lines)] };
}

/** `Daily limit $400.00 → $900.00 for 1 hour` */
function movedWords(before: RuleValue, { change, term }: ChangeRequest): string {
  return `${capital(outside(ruleMove(change, before), RULES_MAX))} ${outside(termWords(term), 80)}`;
}

/**
 * To the holder: what the approvers decided.
 *
 * @param isSure for a yes: the card service has confirmed it. False: it took it, and two minutes showed nothing.
 */
export function requestDecided(
  { state, card, changeRequest, before, decidedBy, note, action, unsure }: LimitRequest,
  { isSure }: { readonly isSure: boolean } = { isSure: true },
): Message {
  const { change } = changeRequest;
  const name = cardName(card);
  const by = decidedBy === null ? '' : ` by ${mention(decidedBy)}`;
  const isApproval = state === 'approved' || state === 'override';
  const moved = movedWords(before, changeRequest);
  const changedNothing =
    unsure === null ? 'Nothing changed.' : 'Whether an earlier yes changed anything is not certain.';
  const asked = action.changeRequest?.change;
  const isOther = isApproval && asked !== undefined && !isSameValue(wantedOf(asked), wantedOf(change));
  const lines = isApproval
    ? [
        isSure ? `*Approved${by}: try again now.*` : `*Approved${by}, but not confirmed by the card service.*`,
        `Your ${name}: ${moved}.`,
        ...(isSure
          ? [mayBeDeclined(card)]
          : ['It may not work yet. If it does not, ask an approver to look at the card.']),
      ]
    : state === 'denied'
      ? [
          `*Not approved${by}.*`,
          unsure === null
            ? `The ${outside(ruleName(change), RULES_MAX)} of your ${name} ${change.kind === 'limits' ? 'stay as they are' : 'stays as it is'}. ${changedNothing}`
            : changedNothing,
        ]
      : [
          '*Nobody decided within 24 hours.*',
          `Your request for your ${name} has ended. ${changedNothing} Ask again, or ask an approver directly.`,
        ];
  const said = note === '' ? null : `${state === 'denied' ? 'Their note' : 'Note'}: “${outside(note, 300)}”`;
  const changed = isOther ? 'It is not exactly what you asked for: look at the amount before you try.' : null;
  return {
    text: sentence([...lines.map((line) => line?.replaceAll('*', '')), changed, said].filter(Boolean).join(' ')),
    blocks: [section(...lines, changed, said)],
  };
}
