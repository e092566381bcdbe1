import {
  type ApprovalRequest,
  answersBeforeOverride,
  changesFromNow,
  type OverriddenRequest,
} from '../../src/approvals/request.ts';
import { capital } from '../../src/core/first-letter.ts';
import { ruleMoves } from '../../src/limits/rule-words.ts';
import { MESSAGE_TEXT_MAX } from '../../src/slack/limits.ts';
import type { Message } from '../../src/slack/message.ts';
import { dateAfter, dateToken, link, mention, mentions, truncate } from '../../src/slack/mrkdwn.ts';
import { asManyAsFit, countOf, escapeUntrusted, headed, RULES_MAX, section, sentence } from '../core/blocks.ts';
import { BLOCKED, cardOfHolder } from '../core/card-words.ts';
import { lasting } from '../core/change-words.ts';
import { requestInWords } from './request-words.ts';

/** An undecided request and the link to its message. */
interface WaitingRequest {
  readonly request: ApprovalRequest;
  /** Null: unknown. */
  readonly link: string | null;
}

const WAITING_MAX = 10;

/** Requests have waited for 15 minutes: one message for all of them. */
export function requestReminder(waiting: readonly WaitingRequest[], approvers: readonly string[]): Message {
  const head = waiting.length === 1 ? 'a request is waiting' : `${countOf(waiting.length, 'request')} are waiting`;
  const lines = waiting.slice(0, WAITING_MAX).map(({ request, link: address }) => {
    const words = requestInWords(request, { when: dateAfter(', asked', request.action.askedAt) });
    return { words, line: `• ${words}${address === null ? '' : ` · ${link(address, 'Open')}`}` };
  });
  const listed = lines.map(({ line }) => line);
  const { shown } = asManyAsFit(listed.map((line) => section(line)));
  const more = waiting.length - shown.length;
  const who = mentions(approvers);
  const said = `Reminder: ${lines.map(({ words }) => words).join(' ')}`;
  return {
    // The end of a long text is cut, and the approvers are at its end.
    text: sentence(`${truncate(said, MESSAGE_TEXT_MAX - who.length - 1)} ${who}`),
    blocks: [
      section(`*Reminder: ${head} for an approver*`),
      ...shown,
      section(more > 0 ? `… and ${more} more.` : null, `${who} Nothing changes until somebody decides.`.trim()),
    ],
  };
}

interface BlockAllDecided {
  readonly by: string;
  readonly cards: number;
  /** Which cards could not be blocked, or got no answer; null: none. */
  readonly note: string | null;
  /** The approval has to be repeated for these. */
  readonly isOpen: boolean;
}

/** For the person who asked to block many cards: an approver agreed. */
export function blockAllDecided({ by, cards, note, isOpen }: BlockAllDecided): Message {
  const head = `${mention(by)} approved your request to block ${countOf(cards, 'card')}.`;
  const said = note === null ? '' : escapeUntrusted(note, 500);
  const open = isOpen ? 'The request is still open for these.' : '';
  return headed(head, said, open, ALERT_SHOWS);
}

/** For the approver of whose click some cards got no answer, or are closed. @param note says which. */
export function blockAllDone({ cards, note }: Pick<BlockAllDecided, 'cards'> & { readonly note: string }): Message {
  return headed(`Approved: block ${countOf(cards, 'card')}.`, escapeUntrusted(note, 500), ALERT_SHOWS);
}

const ALERT_SHOWS = 'The alert shows what became of each card.';

/** An operator used the emergency override because too few approvers answered. @param approvers who were bypassed. */
export function overrideNotice(request: OverriddenRequest, approvers: readonly string[]): Message {
  const { term, card, decision, note, isBlocked } = request;
  const who = mention(decision.by);
  const what = `${capital(escapeUntrusted(ruleMoves(changesFromNow(request)), RULES_MAX))} ${lasting(term)}`;
  const blocked = isBlocked ? `${BLOCKED} ` : '';
  const head = `${who} used the emergency override for ${cardOfHolder(card)}: ${answersBeforeOverride(request)} in time.`;
  const bypassed =
    approvers.length === 0
      ? 'No other approver is configured.'
      : `Approved without you: ${mentions(approvers, 'and')}. If you disagree, press *Take back now* on the request.`;
  return {
    text: sentence(`${head} ${what}. ${blocked}Reason: “${escapeUntrusted(note, 300)}” ${bypassed}`),
    blocks: [
      section(`*${head}*`, what, blocked, `Reason: ${escapeUntrusted(note, 300)}`, dateToken(decision.at), bypassed),
    ],
  };
}
