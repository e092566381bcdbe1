import type { CardFacts } from '../../src/core/card-facts.ts';
import type { Message } from '../../src/slack/message.ts';
import { dateToken } from '../../src/slack/mrkdwn.ts';
import { asManyAsFit, context, header, inSections, outside, section, sentence } from '../core/blocks.ts';
import { cardOfHolder, cardOfHolderRaw } from '../core/card-words.ts';
import { amountAt } from '../core/purchase-words.ts';
import { shownReason } from './decline-words.ts';

export interface DeclineList {
  readonly card: CardFacts;
  /** How far it looks back: `7 days`. */
  readonly since: string;
  /** False: the card service could not be asked, these are the alerts alone. */
  readonly isComplete: boolean;
  /** Newest first. */
  readonly declines: readonly {
    readonly id: string;
    readonly occurredAt: string;
    readonly amountCents: number;
    readonly merchant: string;
    readonly code: string;
    readonly message: string;
  }[];
}

/** Lines of one block: few enough that no block is cut. */
const LINES = 8;

/** Declines of a card, counted by reason, for whoever asked. */
export function declineList({ card, since, isComplete, declines }: DeclineList): Message {
  const counted = `${declines.length} ${declines.length === 1 ? 'decline' : 'declines'}`;
  const titles = declines.map((said) => shownReason(said, 'direct').title);
  const reasons = [...new Set(titles)]
    .map((title) => ({ title, count: titles.filter((one) => one === title).length }))
    .toSorted((one, other) => other.count - one.count);
  const lines = declines.map(
    ({ id, occurredAt, amountCents, merchant }, at) =>
      `• ${dateToken(occurredAt)}: ${amountAt(amountCents, merchant)}, ${outside(lower(titles[at] ?? ''), 80)}  ·  ${id}`,
  );
  const { shown, left } = asManyAsFit(inSections(lines, LINES));

  return {
    text: sentence(
      `${cardOfHolder(card)}: ${counted} in ${since}.${reasons.map(({ title, count }) => ` ${outside(title, 100)}: ${count}.`).join('')}`,
    ),
    blocks: [
      header(`${counted} in ${since}: ${cardOfHolderRaw(card)}`),
      ...(reasons.length === 0
        ? []
        : [section(...reasons.map(({ title, count }) => `*${outside(title, 100)}:* ${count}`))]),
      ...shown,
      ...context(
        left === 0
          ? null
          : `… and ${declines.length - shown.length * LINES} older ones. Ask for a shorter time to see the rest.`,
        isComplete ? null : 'The card service could not be asked: these are the ones that came as alerts.',
        'Only you see this.',
      ),
    ],
  };
}

function lower(title: string): string {
  return title.charAt(0).toLowerCase() + title.slice(1);
}
