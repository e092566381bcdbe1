import type { CardFacts } from '../../src/core/card-facts.ts';
import type { Message } from '../../src/slack/message.ts';
import { section, sentence } from '../core/blocks.ts';
import { cardName, shortCard } from '../core/card-words.ts';

const day = new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', dateStyle: 'medium' });

/** A card in use is about to expire, and no new one is on its way. */
export function expiryWarning(
  { card, expiresOn }: { readonly card: CardFacts /** `2026-11-30` */; readonly expiresOn: string },
  audience: 'team' | 'holder',
): Message {
  const isHolders = audience === 'holder';
  const date = Number.isNaN(Date.parse(expiresOn)) ? 'soon' : day.format(new Date(expiresOn));
  const who = isHolders ? `your ${cardName(card)}` : shortCard(card);
  const title = `Card expires ${date} · ${who}`;
  const todo = isHolders
    ? 'No new card has been ordered yet. Ask your operators for one, and update the subscriptions that charge this card.'
    : 'No new card has been ordered yet. Order one now, so that it arrives in time.';
  return { text: sentence(`${title}. ${todo}`), blocks: [section(`*${title}*`, todo)] };
}
