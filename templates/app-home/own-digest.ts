import type { KnownBlock } from '@slack/types';
import { commandCode } from '../../src/core/installation.ts';
import { formatCents } from '../../src/core/money.ts';
import type { Message } from '../../src/slack/message.ts';
import { context, countOf, header, section, sentence } from '../core/blocks.ts';
import { balanceWord, capital, cardName, statusWord } from '../core/card-words.ts';
import { declineLine, limitLine, type ShownDecline } from '../directory/card-show.ts';
import type { OwnCardFacts } from './home-own-cards.ts';

/** One purchase that was declined, however often it was tried. */
export interface OwnDecline extends ShownDecline {
  readonly attempts: number;
}

export interface OwnDigestFacts {
  readonly often: 'daily' | 'weekly';
  readonly cards: readonly (Omit<OwnCardFacts, 'declines'> & { readonly declines: readonly OwnDecline[] })[];
}

/** So much stays within the size of a message. */
const CARDS_MAX = 5;
const DECLINES_MAX = 5;
const LIMITS_MAX = 5;

/** A day or a week of somebody's own cards: what was declined, and what is left of the limits. */
export function ownDigest({ often, cards }: OwnDigestFacts): Message {
  const declines = cards.flatMap((card) => card.declines);
  const span = often === 'daily' ? 'in the last day' : 'in the last week';
  const cents = declines.reduce((sum, { amountCents }) => sum + amountCents, 0);
  const counted =
    declines.length === 0
      ? `nothing was declined ${span}`
      : `${countOf(declines.length, 'declined purchase')} ${span}, ${formatCents(cents)}`;
  const more = cards.length - CARDS_MAX;
  return {
    text: sentence(`Your cards: ${counted}.`),
    blocks: [
      header(`Your cards: ${counted}`),
      ...cards.slice(0, CARDS_MAX).flatMap(cardSection),
      ...context(
        more > 0 ? `… and ${countOf(more, 'more card')}, in the Home tab` : null,
        `To end this digest: ${commandCode('notify digest off')}`,
      ),
    ],
  };
}

function cardSection({ card, status, balanceCents, limits, declines }: OwnDigestFacts['cards'][number]): KnownBlock[] {
  const known = status === null ? 'status not known' : statusWord(status);
  const more = declines.length - DECLINES_MAX;
  return [
    section(
      `*${capital(cardName(card))}: ${known}*`,
      balanceCents === null ? null : `Balance: ${balanceWord(balanceCents)}`,
      ...limits
        .filter(({ limitCents }) => limitCents !== null)
        .slice(0, LIMITS_MAX)
        .map(limitLine),
      ...declines.slice(0, DECLINES_MAX).map(attemptsLine),
      more > 0 ? `… and ${countOf(more, 'more decline')}` : null,
    ),
  ];
}

function attemptsLine({ attempts, ...decline }: OwnDecline): string {
  const tried = attempts === 1 ? '' : ` (${attempts} attempts)`;
  return `${declineLine(decline, { place: 'direct' })}${tried}`;
}
