import type { SectionBlock } from '@slack/types';
import { capital } from '../../src/core/first-letter.ts';
import { commandCode } from '../../src/core/installation.ts';
import { formatCents } from '../../src/core/money.ts';
import type { Sums } from '../../src/digests/tally-store.ts';
import type { Message } from '../../src/slack/message.ts';
import { asManyAsFit, context, countOf, header, inSections, sentence } from '../core/blocks.ts';
import { balanceWord, cardName } from '../core/card-words.ts';
import { sinceWords } from '../digests/digest.ts';
import { declineLine, LIMITS_UNREAD, limitLeftLine, type ShownDecline } from '../directory/card-show.ts';
import { type OwnCardFacts, ownStatus } from './home-own-cards.ts';

/** One declined purchase, with all its attempts. */
export type OwnDecline = ShownDecline & {
  /** Within the digest's period. */
  readonly attempts: number;
  /** False when an earlier digest has shown its first attempts. */
  readonly isNew: boolean;
};

interface OwnDigestFacts {
  readonly often: 'daily' | 'weekly';
  /** UTC ISO 8601; null: exactly a day or a week ago. */
  readonly from: string | null;
  readonly total: Sums;
  /** There were more declines than are kept. */
  readonly isCut: boolean;
  readonly cards: readonly (Omit<OwnCardFacts, 'declines'> & { readonly declines: readonly OwnDecline[] })[];
}

/** Lines per block: few enough that no block is cut. */
const LINES = 12;

/** A day or a week of a person's own cards: the declines, and what is left of the limits. */
export function ownDigest({ often, from, total, isCut, cards }: OwnDigestFacts): Message {
  const usual = often === 'daily' ? 'in the last day' : 'in the last week';
  const counted = (isCut ? 'at least ' : '') + countedWords(total, from === null ? usual : sinceWords(from));
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

function countedWords({ count, attempts, cents }: Sums, span: string): string {
  if (count > 0) return `${countOf(count, 'declined purchase')} ${span}, ${formatCents(cents)}`;
  return attempts === 0
    ? `nothing was declined ${span}`
    : `no new declines ${span}, ${countOf(attempts, 'more attempt')} at earlier ones`;
}

function cardSections(own: OwnDigestFacts['cards'][number]): SectionBlock[] {
  const { card, balance, limits, hasLimits, declines } = own;
  const lines = [
    `*${capital(cardName(card))}: ${ownStatus(own)}*`,
    balance === null ? null : `Balance: ${balanceWord(balance)}`,
    ...limits.filter(({ limitCents }) => limitCents !== null).map(limitLeftLine),
    hasLimits ? null : LIMITS_UNREAD,
    ...declines.map(attemptsLine),
  ];
  return inSections(lines, LINES);
}

function attemptsLine({ attempts, isNew, ...decline }: OwnDecline): string {
  const more = countOf(attempts, isNew ? 'attempt' : 'more attempt');
  const tried = isNew && attempts === 1 ? '' : ` (${more})`;
  return `${declineLine(decline, { place: 'direct' })}${tried}`;
}
