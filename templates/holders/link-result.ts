import type { CardFacts } from '../../src/core/card-facts.ts';
import type { Message } from '../../src/slack/message.ts';
import { mention } from '../../src/slack/mrkdwn.ts';
import { headed, section, sentence, textMessage } from '../core/blocks.ts';
import { cardCommand, cardName, cardOfHolder } from '../core/card-words.ts';

interface LinkResult {
  readonly card: CardFacts;
  /** Slack user who holds the card. */
  readonly userId: string;
  /** The reader is that person. */
  readonly isOwn: boolean;
  /** Slack user who was linked to it before; null: nobody. */
  readonly before: string | null;
  /** It was already linked to this person. */
  readonly isSame: boolean;
  /** Set if somebody else has decided since: who holds the card now; null: nobody. */
  readonly heldNow?: string | null | undefined;
}

/** For the person who linked a card. */
export function linkResult({ card, userId, isOwn, before, isSame, heldNow }: LinkResult): Message {
  // Whoever claims a card does not learn who holds it.
  if (heldNow !== undefined) return decidedSince(card, isOwn ? 'If you hold it, ask an approver.' : linkedNow(heldNow));
  const name = cardOfHolder(card);
  const [same, linked, they] = isOwn
    ? [`${name} is already linked to you`, `This card is linked to you: ${name}`, 'You']
    : [`${mention(userId)} is already linked to ${name}`, `Linked: ${mention(userId)} holds ${name}`, 'They'];
  const head = isSame ? `${same}. Nothing changed.` : `${linked}.`;
  const effect = isSame ? '' : `${they} get direct messages about it from now on, and can always block it.`;
  const replaced = before === null ? '' : `${mention(before)} is no longer linked to it.`;
  return headed(head, effect, replaced);
}

function decidedSince(card: CardFacts, now: string): Message {
  return headed(`Who holds ${cardOfHolder(card)} has been decided again since you asked.`, now);
}

function linkedNow(heldBy: string | null): string {
  return `${heldBy === null ? 'Nobody' : mention(heldBy)} is linked to it now.`;
}

/** For the person who ended a link. `heldNow` was linked to the card since; null: nobody. */
export function linkEnded({ card, heldNow }: { readonly card: CardFacts; readonly heldNow: string | null }): Message {
  if (heldNow !== null) return decidedSince(card, linkedNow(heldNow));
  return headed(`Unlinked: nobody gets direct messages about ${cardOfHolder(card)} any more.`);
}

/** For a person whose change of the holder changed nothing. `heldBy` is linked to the card; null: nobody. */
export function linkUnchanged({ card, heldBy }: { readonly card: CardFacts; readonly heldBy: string | null }): Message {
  const who = heldBy === null ? 'Nobody' : mention(heldBy);
  return headed(`${who} is linked to ${cardOfHolder(card)} now.`, 'Nothing changed.');
}

/** The first direct message to a holder. `by` is the approver who linked the card; null when the holder proved it. */
export function holderWelcome({ card, by }: { readonly card: CardFacts; readonly by: string | null }): Message {
  const name = cardName(card);
  const who = by === null ? 'You confirmed it yourself.' : `Linked by ${mention(by)}.`;

  return {
    text: sentence(`Your ${name} is linked to you. You can always block it.`),
    blocks: [
      section(
        `*Your ${name} is linked to you.* ${who}`,
        'I’ll message you here when a purchase is declined, when a new card ships, and when the card is blocked or works again. The Home tab shows which of these are on, and lets you choose.',
        `You can always block it: press the button on such a message, or write ${cardCommand('block', card)}. Not your card? Write ${cardCommand('unlink', card)}.`,
      ),
    ],
  };
}

interface LinkLost {
  readonly card: CardFacts;
  readonly by: string;
  /** Who holds it from now on; null: nobody. */
  readonly heldBy: string | null;
  /** Somebody had claimed it, or had said that it is not theirs. */
  readonly isClaim: boolean;
}

/** For the previous holder of a card. */
export function linkLost({ card, by, heldBy, isClaim }: LinkLost): Message {
  const head = `Your ${cardName(card)} is no longer linked to you.`;
  const who = whoEnded({ by, heldBy, isClaim });
  const todo = 'You no longer get messages about it. If you still hold it, talk to an approver.';
  return textMessage(`*${head}* ${who}`, todo);
}

function whoEnded({ by, heldBy, isClaim }: Omit<LinkLost, 'card'>): string {
  if (heldBy === by) return `${mention(by)} proved that it is theirs.`;
  const now = heldBy === null ? '' : ` It is linked to ${mention(heldBy)} now.`;
  if (isClaim) return `${mention(by)} confirmed that.${now}`;
  return heldBy === null ? `Unlinked by ${mention(by)}.` : `Linked to ${mention(heldBy)} by ${mention(by)}.`;
}
