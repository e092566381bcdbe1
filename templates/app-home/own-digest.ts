import type { SectionBlock } from '@slack/types';
import { capital } from '../../src/core/first-letter.ts';
import { commandCode } from '../../src/core/installation.ts';
import { formatCents } from '../../src/core/money.ts';
import type { Message } from '../../src/slack/message.ts';
import { asManyAsFit, context, countOf, header, inSections, sentence } from '../core/blocks.ts';
import { balanceWord, cardName, statusWord } from '../core/card-words.ts';
import { declineLine, limitLine, type ShownDecline } from '../directory/card-show.ts';
import type { OwnCardFacts } from './home-own-cards.ts';

/** One declined purchase, with all its attempts. */
export type OwnDecline = ShownDecline & { readonly attempts: number };

export interface OwnDigestFacts {
  readonly often: 'daily' | 'weekly';
  readonly cards: readonly (Omit<OwnCardFacts, 'declines'> & { readonly declines: readonly OwnDecline[] })[];
}

/** Lines per block: few enough that no block is cut. */
const LINES = 12;

/** A day or a week of a person's own cards: the declines, and what is left of the limits. */
export function ownDigest({ often, cards }: OwnDigestFacts): Message {
  const declines = cards.flatMap((card) => card.declines);
  const span = often === 'daily' ? 'in the last day' : 'in the last week';
  const cents = declines.reduce((sum, { amountCents }) => sum + amountCents, 0);
  const counted =
    declines.length === 0
      ? `nothing was declined ${span}`
      : `${countOf(declines.length, 'declined purchase')} ${span}, ${formatCents(cents)}`;
  const { shown, left } = asManyAsFit(cards.flatMap(cardSections));
  return {
    text: sentence(`Your cards: ${counted}.`),
    blocks: [
      header(`Your cards: ${counted}`),
      ...shown,
      ...context(
        left > 0 ? '… and more than a message can show: see the Home tab.' : null,
        `To end this digest: ${commandCode('notify digest off')}`,
      ),
    ],
  };
}

function cardSections({
  card,
  status,
  balanceCents,
  limits,
  declines,
}: OwnDigestFacts['cards'][number]): SectionBlock[] {
  const known = status === null ? 'status not known' : statusWord(status);
  const lines = [
    `*${capital(cardName(card))}: ${known}*`,
    balanceCents === null ? null : `Balance: ${balanceWord(balanceCents)}`,
    ...limits.filter(({ limitCents }) => limitCents !== null).map(limitLine),
    ...declines.map(attemptsLine),
  ];
  return inSections(
    lines.filter((line) => line !== null),
    LINES,
  );
}

function attemptsLine({ attempts, ...decline }: OwnDecline): string {
  const tried = attempts === 1 ? '' : ` (${attempts} attempts)`;
  return `${declineLine(decline, { place: 'direct' })}${tried}`;
}
