import type { CardFacts } from '../../src/core/card-facts.ts';
import type { TransactionEvent } from '../../src/core/event.ts';
import { capital, lowerFirst } from '../../src/core/first-letter.ts';
import type { Message } from '../../src/slack/message.ts';
import { dateToken } from '../../src/slack/mrkdwn.ts';
import {
  context,
  copyable,
  countOf,
  escapeUntrusted,
  header,
  inSections,
  pageOf,
  pageWords,
  section,
  sentence,
} from '../core/blocks.ts';
import { cardOfHolder, cardOfHolderRaw } from '../core/card-words.ts';
import { sentences } from '../core/change-words.ts';
import { amountAt } from '../core/purchase-words.ts';
import type { ShownDecline } from '../directory/card-show.ts';
import { shownReason } from './decline-words.ts';

interface DeclineList {
  readonly card: CardFacts;
  /** How far it looks back: `7 days`; null: to when the card was linked to the person. */
  readonly since: string | null;
  /** The person asked for more than that. */
  readonly isCut?: boolean;
  /**
   * How many transactions of the card service could not be read. Null when it could not be asked, or none could be read: the
   * list contains only our alerts.
   */
  readonly unreadable: number | null;
  /** The requested page, from 1. */
  readonly page: number;
  /** Card and time, to be typed for another page: `4242 30d`. */
  readonly again: string;
  /** Newest first. */
  readonly declines: readonly (Pick<TransactionEvent, 'id'> & ShownDecline)[];
}

/** Lines per block: few enough that no block is cut. */
const LINES = 8;

/** Declines of a card, counted by reason, for the person who asked. */
export function declineList({ card, since, isCut = false, unreadable, page, again, declines }: DeclineList): Message {
  const number = declines.length === 0 ? 'No declines' : countOf(declines.length, 'decline');
  const when = since === null ? 'since it was linked to you' : `in ${since}`;
  const counted = `${unreadable === null ? knownOf(number, declines.length) : number} ${when}`;
  const unread = unreadableWords(unreadable, declines.length);
  const longest = isCut ? `I can look back ${since} at most.` : '';
  const titles = declines.map((declined) => shownReason(declined, 'direct').title);
  const reasons = [...new Set(titles)]
    .map((title) => ({ title, count: titles.filter((one) => one === title).length }))
    .toSorted((one, other) => other.count - one.count);
  const lines = declines.map(
    ({ id, occurredAt, amountCents, merchant }, at) =>
      `• ${dateToken(occurredAt)}: ${amountAt(amountCents, merchant.name)}, ${escapeUntrusted(lowerFirst(titles[at] ?? ''), 80)}  ·  ${id}`,
  );
  const pages = pageOf(inSections(lines, LINES), page);

  return {
    text: sentence(
      `${cardOfHolder(card)}: ${counted}.${reasons.map(({ title, count }) => ` ${escapeUntrusted(title, 100)}: ${count}.`).join('')} ${sentences(longest, unread)}`.trim(),
    ),
    blocks: [
      header(`${capital(counted)}: ${cardOfHolderRaw(card)}`),
      ...(reasons.length === 0
        ? []
        : [section(...reasons.map(({ title, count }) => `*${escapeUntrusted(title, 100)}:* ${count}`))]),
      ...pages.shown,
      ...context(pageWords(pages, `declines ${copyable(again, 60)} page`), longest, unread),
    ],
  };
}

/** `at least 3 declines`, `No declines among my alerts`: the card service may know of more. */
function knownOf(number: string, count: number): string {
  return count === 0 ? `${number} among my alerts` : `at least ${number}`;
}

function unreadableWords(unreadable: number | null, count: number): string | null {
  if (unreadable === null) {
    const only = count === 0 ? '.' : ': these are only the declines that came as alerts.';
    return `The card service did not answer, or its list could not be read${only}`;
  }
  return unreadable > 0 ? `${countOf(unreadable, 'transaction')} of this card could not be read.` : null;
}
