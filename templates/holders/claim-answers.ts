import type { CardFacts } from '../../src/core/card-facts.ts';
import { commandCode } from '../../src/core/installation.ts';
import { actionId } from '../../src/slack/action-id.ts';
import type { Message } from '../../src/slack/message.ts';
import { mention } from '../../src/slack/mrkdwn.ts';
import { button, context, headed, section, sentence } from '../core/blocks.ts';
import { cardOfHolder, cardOfHolderRaw } from '../core/card-words.ts';

/** A card that the person can confirm as their own. `value` is the button's value, an opaque id. */
interface OwnCard {
  readonly value: string;
  readonly card: CardFacts;
}

/** "Is it yours?", for a person whose email address matches the holder's. */
export function confirmOwnCard(cards: readonly OwnCard[]): Message {
  const question = cards.length === 1 ? 'Is this your card?' : 'Which of these is your card?';
  const why = 'Your Slack email matches the cardholder’s.';

  return {
    text: sentence(`${question} ${cards.map(({ card }) => cardOfHolder(card)).join(', ')}. ${why}`),
    blocks: [
      section(`*${question}*`, why),
      ...cards.slice(0, 10).map(({ value, card }) => ({
        ...section(`*${cardOfHolder(card)}*`),
        accessory: button({
          text: 'This is my card',
          action: actionId.confirmOwnCard,
          value,
          style: 'primary' as const,
          label: `Confirm that ${cardOfHolderRaw(card)} is mine`,
        }),
      })),
      ...context('You’ll then get direct messages about it, and can always block it. Nothing has changed yet.'),
    ],
  };
}

interface Claimed {
  readonly isUnlink: boolean;
  /** Whose link it is to end, if not the claimant's. Not named: the claimant may not know who holds the card. */
  readonly linkOf?: string | undefined;
}

const wronglyLinked = 'that this card is linked to the wrong person';

/** The same answer to every claim an approver has to decide, so that it does not reveal whose card it is. */
export function claimWaits({ isUnlink, linkOf }: Claimed): Message {
  const what = linkOf === undefined ? 'that it is no longer your card' : wronglyLinked;
  const why = isUnlink ? `Somebody else has to confirm ${what}.` : 'I can’t confirm this by myself.';
  const text = `${why} I asked the approvers; you’ll hear from me within 24 hours.`;
  return { text, blocks: [section(`*Sent to the approvers.* ${text}`, 'Nothing changed yet.')] };
}

interface ClaimDecided extends Claimed {
  readonly state: 'refused' | 'expired';
  /** Who denied it; null when it expired. */
  readonly by: string | null;
}

/** For the claimant: the claim was not confirmed. */
export function claimDecided({ state, by, isUnlink, linkOf }: ClaimDecided): Message {
  const notMine = linkOf === undefined ? 'that you no longer hold this card' : wronglyLinked;
  const what = isUnlink ? notMine : 'that you hold this card';
  const why =
    state === 'refused' && by !== null
      ? `${mention(by)} could not confirm ${what}.`
      : `Nobody confirmed ${what} within 24 hours.`;
  const command = isUnlink ? `${commandCode('unlink')}` : `${commandCode('link')}`;
  const todo = state === 'refused' ? 'Talk to them if you disagree.' : `Ask again with ${command}.`;
  return headed(why, `Nothing changed. ${todo}`);
}
