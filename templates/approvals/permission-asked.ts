import type { AskPermissionAction } from '../../src/approvals/verbs.ts';
import type { CardFacts } from '../../src/core/card-facts.ts';
import type { TransactionEvent } from '../../src/core/event.ts';
import { commandCode } from '../../src/core/installation.ts';
import { formatCents } from '../../src/core/money.ts';
import type { ChangeRequest } from '../../src/limits/change-request.ts';
import { termWords } from '../../src/limits/term.ts';
import type { Role } from '../../src/policy/decide-action.ts';
import type { Message } from '../../src/slack/message.ts';
import { channelMention, link, mention, mentions, withMentions } from '../../src/slack/mrkdwn.ts';
import { requestedRules } from '../actions/asked-words.ts';
import { copyable, escapeUntrusted, RULES_MAX, section, sentence, textMessage, withTimes } from '../core/blocks.ts';
import { cardHandle, cardOfHolder } from '../core/card-words.ts';
import { amountAt } from '../core/purchase-words.ts';
import { whoWords } from '../policy/not-permitted.ts';

export interface Typed {
  readonly words: string;
  /** The channel that a command without a card is about. */
  readonly channel: string | null;
}

interface Question {
  /** Slack user who is not permitted to do it. */
  readonly by: string;
  /** `unblock cards`; if the card is known, followed by it: `unblock`. */
  readonly doing: string;
  /** Null: not about a card, or the card is unknown. */
  readonly card: CardFacts | null;
  /** The text typed for the card, if it is unknown which card is meant, or after a verb without a card. */
  readonly typed: Typed | null;
  readonly input: NonNullable<AskPermissionAction['input']>;
  /** The declined purchase that it is about; null: none. */
  readonly purchase: Pick<TransactionEvent, 'amountCents' | 'merchant'> | null;
  /** Link to the alert or the request. */
  readonly link: string | null;
  readonly reason: string;
  /** `unblock`; null: no command does this for somebody else. */
  readonly command: string | null;
  readonly role: Role;
  readonly whoMay: readonly string[];
}

const asksWhom: Readonly<Record<Role, string>> = {
  approver: 'an approver',
  operator: 'an operator or an approver',
  holder: whoWords.holder,
};

/** Someone is not permitted to do something and asks the people who are. */
export function permissionAsked(question: Question): Message {
  const { by, doing, purchase, reason, role, whoMay } = question;
  const head = `${mention(by)} asks ${asksWhom[role]} to ${doing}${about(question)}${wanted(question)}`;
  const where = [
    purchase === null ? '' : amountAt(purchase.amountCents, purchase.merchant.name),
    question.link === null ? '' : link(question.link, 'Open the message'),
  ]
    .filter(Boolean)
    .join(' · ');
  const why = reason === '' ? null : `Reason: “${escapeUntrusted(reason, 300)}”`;
  const how = `Only ${whoWords[role]} may do this${howToType(question)}.`;
  return {
    text: sentence(`${head}.`, where && `${where}.`, why, how, mentions(whoMay)),
    blocks: [section(`*${head}*`, where, why, [how, mentions(whoMay)].filter(Boolean).join(' '))],
  };
}

function about({ card, typed }: Question): string {
  if (card !== null) return ` ${cardOfHolder(card)}`;
  const words = withMentions(withTimes(typed?.words ?? '', 80));
  return `${words && ` · “${words}”`}${typed?.channel == null ? '' : ` in ${channelMention(typed.channel)}`}`;
}

/** `: daily limit $450.00, for 4 hours`, `: @jane`. */
function wanted({ input: { changeRequest, subject } }: Question): string {
  if (subject !== undefined) return `: ${mention(subject)}`;
  return changeRequest == null ? '' : `: ${escapeUntrusted(requestedRules(changeRequest), RULES_MAX)}`;
}

/** `: /card unblock 4242`; `: type /card quiet off in #sales`, because a channel's command applies where it is typed. */
function howToType(question: Question): string {
  const command = commandFor(question);
  const channel = question.typed?.channel ?? null;
  if (command === null || channel === null) return command === null ? '' : `: ${commandCode(command)}`;
  // Nobody else can type anything in a direct message.
  return channel.startsWith('D') ? '' : `: type ${commandCode(command)} in ${channelMention(channel)}`;
}

/** The command that does exactly this; null: there is none. */
function commandFor({ command, card, typed, input: { changeRequest, subject, details } }: Question): string | null {
  const limit = changeRequest == null ? '' : limitTyped(changeRequest);
  // Without its person, the command would link the card to whoever types it.
  if (command === null || limit === null || subject !== undefined) return null;
  const handle = card === null ? (typed?.words ?? '') : cardHandle(card);
  // A copied mention names nobody.
  if (handle.includes('<@')) return null;
  const words = [handle, limit, details].filter(Boolean).join(' ');
  const shown = copyable(words, 120);
  // Without its end, a filter lets other alerts through.
  return shown === copyable(words, Number.POSITIVE_INFINITY) ? `${command} ${shown}`.trim() : null;
}

/** `daily $450.00 for 4 hours`; null if a command cannot say it. */
function limitTyped({ goals: [goal, ...others], term }: ChangeRequest): string | null {
  const isTyped = term.kind === 'permanent' || term.kind === 'duration';
  if (!isTyped || others.length > 0 || goal?.rule.kind !== 'limit' || typeof goal.to !== 'number') return null;
  const { period, category } = goal.rule;
  if (category !== null || period === 'transaction') return null;
  return `${period} ${formatCents(goal.to)} ${termWords(term)}`;
}

/** The answer to the person who asked. */
export function permissionSent({ whoMay }: Pick<Question, 'whoMay'>): Message {
  return textMessage(
    `Asked: ${mentions(whoMay, 'and') || 'the approvers'}, in the approvals channel. Nothing changed yet.`,
  );
}
