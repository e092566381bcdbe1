import type { LimitRequest, OverriddenRequest } from '../../src/approvals/request.ts';
import { termWords } from '../../src/limits/change-request.ts';
import { ruleMoves, ruleNames } from '../../src/limits/rule-words.ts';
import type { Message } from '../../src/slack/message.ts';
import { dateToken, mention } from '../../src/slack/mrkdwn.ts';
import { outside, RULES_MAX, section, sentence } from '../core/blocks.ts';
import { capital, cardOfHolder } from '../core/card-words.ts';
import { BLOCKED } from './approval-request.ts';

/** Mentions of users and user groups, as configured. */
function mentions(ids: readonly string[]): string {
  return ids.slice(0, 20).map(mention).join(' ');
}

/** A request has waited for a quarter of an hour. */
export function requestReminder({ action, card, changes }: LimitRequest, approvers: readonly string[]): Message {
  const asked = `${mention(action.actor.userId)} still waits for an answer about the ${outside(ruleNames(changes), RULES_MAX)} of ${cardOfHolder(card)}, since ${dateToken(action.askedAt)}.`;
  return {
    text: sentence(`Reminder: ${asked} ${mentions(approvers)}`),
    blocks: [
      section(
        `*Reminder.* ${asked}`,
        mentions(approvers),
        'Nothing changes until somebody decides: the request is above.',
      ),
    ],
  };
}

/** An operator did what no approver answered: everybody who was passed over reads it. */
export function overrideNotice(request: OverriddenRequest, approvers: readonly string[]): Message {
  const { changes, term, card, decision, note, isBlocked } = request;
  const who = mention(decision.by);
  const what = `${capital(outside(ruleMoves(changes), RULES_MAX))} ${outside(termWords(term), 80)}`;
  const blocked = isBlocked ? `${BLOCKED} ` : '';
  const head = `${who} broke the glass for ${cardOfHolder(card)}, because no approver answered.`;
  return {
    text: sentence(`${head} ${what}. ${blocked}Reason: “${outside(note, 300)}” ${mentions(approvers)}`),
    blocks: [
      section(
        `*${head}*`,
        what,
        blocked,
        `Reason: ${outside(note, 300)}`,
        dateToken(decision.at),
        `Approved without you: ${mentions(approvers) || 'no approvers are configured'}. Reverse it if you disagree.`,
      ),
    ],
  };
}
