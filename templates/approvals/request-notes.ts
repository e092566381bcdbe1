import {
  answersBeforeOverride,
  changesFromNow,
  type LimitRequest,
  type OverriddenRequest,
} from '../../src/approvals/request.ts';
import { capital } from '../../src/core/first-letter.ts';
import { termWords } from '../../src/limits/change-request.ts';
import { ruleMoves } from '../../src/limits/rule-words.ts';
import type { Message } from '../../src/slack/message.ts';
import { dateAfter, dateToken, link, mention, mentions } from '../../src/slack/mrkdwn.ts';
import { countOf, escapeUntrusted, RULES_MAX, section, sentence } from '../core/blocks.ts';
import { BLOCKED, cardOfHolder } from '../core/card-words.ts';
import { requestSummary } from './request-words.ts';

/** An undecided request and the link to its message. */
interface WaitingRequest {
  readonly request: LimitRequest;
  /** Null: unknown. */
  readonly link: string | null;
}

const WAITING_MAX = 10;

/** Requests have waited for 15 minutes: one message for all of them. */
export function requestReminder(waiting: readonly WaitingRequest[], approvers: readonly string[]): Message {
  const head = waiting.length === 1 ? 'a request is waiting' : `${countOf(waiting.length, 'request')} are waiting`;
  const lines = waiting.slice(0, WAITING_MAX).map(({ request, link: address }) => {
    const { action, card } = request;
    const summary = requestSummary(request, ` ${cardOfHolder(card)}`);
    const words = `${mention(action.actor.userId)} ${summary}, ${dateAfter('asked', action.askedAt)}`;
    return { words, address };
  });
  const more = waiting.length - lines.length;
  return {
    text: sentence(`Reminder: ${lines.map(({ words }) => words).join('. ')}. ${mentions(approvers)}`),
    blocks: [
      section(
        `*Reminder: ${head} for an approver*`,
        ...lines.map(({ words, address }) => `• ${words}${address === null ? '' : ` · ${link(address, 'Open')}`}`),
        more > 0 ? `… and ${more} more.` : null,
        `${mentions(approvers)} Nothing changes until somebody decides.`.trim(),
      ),
    ],
  };
}

/** An operator used the emergency override because too few approvers answered. Goes to all bypassed approvers. */
export function overrideNotice(request: OverriddenRequest, approvers: readonly string[]): Message {
  const { term, card, decision, note, isBlocked } = request;
  const who = mention(decision.by);
  const what = `${capital(escapeUntrusted(ruleMoves(changesFromNow(request)), RULES_MAX))} ${escapeUntrusted(termWords(term), 80)}`;
  const blocked = isBlocked ? `${BLOCKED} ` : '';
  const head = `${who} used the emergency override for ${cardOfHolder(card)}: ${answersBeforeOverride(request)} in time.`;
  return {
    text: sentence(`${head} ${what}. ${blocked}Reason: “${escapeUntrusted(note, 300)}” ${mentions(approvers)}`),
    blocks: [
      section(
        `*${head}*`,
        what,
        blocked,
        `Reason: ${escapeUntrusted(note, 300)}`,
        dateToken(decision.at),
        `Approved without you: ${mentions(approvers, 'and') || 'no approvers are configured'}. Reverse it if you disagree.`,
      ),
    ],
  };
}
