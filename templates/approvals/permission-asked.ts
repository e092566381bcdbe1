import type { CardFacts } from '../../src/core/card-facts.ts';
import { commandCode } from '../../src/core/installation.ts';
import type { Message } from '../../src/slack/message.ts';
import { mention, mentions } from '../../src/slack/mrkdwn.ts';
import { copyable, escapeUntrusted, section, sentence } from '../core/blocks.ts';
import { cardHandle, cardOfHolder } from '../core/card-words.ts';

interface Question {
  /** Slack user who is not permitted to do it. */
  readonly by: string;
  /** `unblock cards` */
  readonly doing: string;
  /** Null: not about a card, or the card is unknown. */
  readonly card: CardFacts | null;
  /** The text typed for the card, if it is unknown which card is meant. */
  readonly words: string | null;
  readonly reason: string;
  /** `unblock`; null: it is only a button. */
  readonly command: string | null;
  readonly whoMay: readonly string[];
}

/** Someone is not permitted to do something and asks the people who are. */
export function permissionAsked({ by, doing, card, words, reason, command, whoMay }: Question): Message {
  const about = card !== null ? ` · ${cardOfHolder(card)}` : words === null ? '' : ` · “${escapeUntrusted(words, 80)}”`;
  const head = `${mention(by)} asks you to ${doing}${about}`;
  const handle = card === null ? (words ?? '') : cardHandle(card);
  const how =
    command === null
      ? 'Only you may do this.'
      : `Only you may do this: ${commandCode(`${command} ${copyable(handle, 60)}`.trim())}.`;
  const why = reason === '' ? null : `Reason: “${escapeUntrusted(reason, 300)}”`;
  return {
    text: sentence([`${head}.`, why, how, mentions(whoMay)].filter(Boolean).join(' ')),
    blocks: [section(`*${head}*`, why, [how, mentions(whoMay)].filter(Boolean).join(' '))],
  };
}

/** The answer to the person who asked. */
export function permissionSent({ whoMay }: Pick<Question, 'whoMay'>): Message {
  const said = `Asked: ${mentions(whoMay, 'and') || 'the approvers'}, in the approvals channel. Nothing changed yet.`;
  return { text: sentence(said), blocks: [section(said)] };
}
