import {
  type ApprovalInFlight,
  type ClosedRequest,
  changesFromNow,
  earlierChange,
  isAboutRules,
  isChanged,
  type LimitRequest,
  whyExpired,
} from '../../src/approvals/request.ts';
import type { Term } from '../../src/card-api/rule-change.ts';
import { isAboutLimits, type RuleChange } from '../../src/card-api/rule-change.ts';
import type { CardFacts } from '../../src/core/card-facts.ts';
import { capital } from '../../src/core/first-letter.ts';
import { formatCents } from '../../src/core/money.ts';
import { termWords } from '../../src/limits/change-request.ts';
import { ruleMoves, ruleNames } from '../../src/limits/rule-words.ts';
import type { Message } from '../../src/slack/message.ts';
import { mention, timeToken } from '../../src/slack/mrkdwn.ts';
import { requestedRaw } from '../approvals/request-words.ts';
import { escapeUntrusted, RULES_MAX, section, sentence } from '../core/blocks.ts';
import { cardName, cardOfHolderRaw, cardRaw } from '../core/card-words.ts';
import { mayBeDeclined } from '../limits/ruleset-words.ts';

interface RequestSent {
  readonly card: CardFacts;
  /** What the holder wants to pay, in whole cents. */
  readonly payCents: number;
  readonly changes: readonly RuleChange[];
  readonly term: Term;
  /** What happens now. */
  readonly note: string;
  /** The same was asked for before, so nothing was sent. */
  readonly isTwin: boolean;
}

/** For the holder: what was requested in their name. */
export function requestSent({ card, payCents, changes, term, note, isTwin }: RequestSent): Message {
  const what = capital(movedWords({ changes, term }));
  const head = `${isTwin ? 'Already asked' : 'Sent to the approvers'}: you want to pay ${formatCents(payCents)} with your ${cardName(card)}`;
  return {
    text: sentence(`${head}: ${what}. ${escapeUntrusted(note, 300)}`),
    blocks: [section(`*${head}*`, `${what}. Nothing changed yet.`, escapeUntrusted(note, 300))],
  };
}

/** An operator did what no approver did. */
const OVERRODE = 'used the emergency override';
const UNCONFIRMED = 'the card service has not confirmed it';

/** For the holder: someone approved, and nothing shows whether the card service made the change. */
export function requestUnconfirmed(
  { card, temporary }: LimitRequest,
  { kind, by, changes, term }: Pick<ApprovalInFlight, 'kind' | 'by' | 'changes' | 'term'>,
): Message {
  const did = kind === 'override' ? OVERRODE : 'approved';
  const lines = [
    `*${mention(by)} ${did}, but ${UNCONFIRMED}.*`,
    `Your ${cardName(card)}: ${movedWords({ changes: changesFromNow({ changes, temporary }), term })}.`,
    'It may or may not work. Your request is still open: an approver can check the card and decide again.',
  ];
  return { text: sentence(lines.map((line) => line.replaceAll('*', '')).join(' ')), blocks: [section(...lines)] };
}

/** `daily limit $400.00 → $900.00 for 1 hour` */
function movedWords({ changes, term }: Pick<RequestSent, 'changes' | 'term'>): string {
  return `${escapeUntrusted(ruleMoves(changes), RULES_MAX)} ${escapeUntrusted(termWords(term), 80)}`;
}

interface Made {
  /** The card service shows the change. False: it accepted the change but did not show it within two minutes. */
  readonly isConfirmed: boolean;
  /** When the change ends; null: it stays. */
  readonly endsAt: string | null;
}

/**
 * For the person who asked: what the approvers decided.
 *
 * @param made for an approval.
 */
export function requestDecided(request: ClosedRequest, made: Made = { isConfirmed: true, endsAt: null }): Message {
  const { state, note } = request;
  const lines = decidedLines(request, made);
  const noteWords =
    note === '' ? null : `${state === 'denied' ? 'Their note' : 'Note'}: “${escapeUntrusted(note, 300)}”`;
  return {
    text: sentence([...lines.map((line) => line?.replaceAll('*', '')), noteWords].filter(Boolean).join(' ')),
    blocks: [section(...lines, noteWords)],
  };
}

/** `the daily limit of your card 1234`; for an order or for blocking many cards, what was requested. Raw. */
export function askedAboutRaw(request: ClosedRequest): string {
  const { action, card, changes } = request;
  if (!isAboutRules(request)) return requestedRaw(request);
  const whose = action.verb === 'ask' ? `your ${cardRaw(card)}` : cardOfHolderRaw(card);
  const names = ruleNames(changes);
  return isAboutLimits(changes) ? `the ${names} of ${whose}` : `${names} with ${whose}`;
}

const NOT_AS_ASKED = 'This is not exactly what you asked for: check the amount and how long it lasts before you try.';

function decidedLines(request: ClosedRequest, { isConfirmed, endsAt }: Made): (string | null)[] {
  const { card, term } = request;
  const name = cardName(card);
  const askedAbout = escapeUntrusted(askedAboutRaw(request), RULES_MAX);
  const earlier = earlierChange(request);
  const changed = earlier === null ? 'Nothing changed.' : `${capital(earlier)}.`;
  switch (request.state) {
    case 'approved':
    case 'overridden': {
      const { decision, isBlocked } = request;
      const tryAgain = `: try again ${endsAt === null ? 'now' : `before ${timeToken(endsAt, decision.at)}`}`;
      const [did, unconfirmed] =
        request.state === 'overridden'
          ? [`${mention(decision.by)} ${OVERRODE}`, UNCONFIRMED]
          : [`Approved by ${mention(decision.by)}`, 'not confirmed by the card service'];
      const but = isBlocked ? `your ${name} is blocked` : unconfirmed;
      return [
        `*${did}${isConfirmed && !isBlocked ? tryAgain : `, but ${but}`}.*`,
        isBlocked ? 'It works once an approver unblocks it.' : null,
        `Your ${name}: ${movedWords({ changes: changesFromNow(request), term })}.`,
        isConfirmed ? mayBeDeclined(card) : 'It may not work yet. If it does not, ask an approver to check the card.',
        isChanged(request) ? NOT_AS_ASKED : null,
      ];
    }
    case 'denied':
      return [
        `*Not approved by ${mention(request.decision.by)}.*`,
        earlier === null ? `${capital(askedAbout)}: nothing changed.` : `It was about ${askedAbout}. ${changed}`,
      ];
    case 'withdrawn':
      return [`*You withdrew your request for ${askedAbout}.*`, `${changed} Nobody can approve it any more.`];
    case 'expired':
      return [`*${whyExpired(request)}*`, `It was about ${askedAbout}. ${changed} Ask again, or talk to an approver.`];
  }
}
