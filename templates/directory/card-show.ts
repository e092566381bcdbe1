import type { LimitPeriod } from '../../src/card-api/rule.ts';
import type { CardFacts, DeclinedCard } from '../../src/core/card-facts.ts';
import { mayShow } from '../../src/core/channel-visibility.ts';
import type { TransactionEvent } from '../../src/core/event.ts';
import { capital, lowerFirst } from '../../src/core/first-letter.ts';
import { formatCents } from '../../src/core/money.ts';
import type { Remedy } from '../../src/limits/remedy-change.ts';
import type { Message } from '../../src/slack/message.ts';
import { dateAfter } from '../../src/slack/mrkdwn.ts';
import { shownReason } from '../alerts/decline-words.ts';
import {
  asManyAsFit,
  context,
  countOf,
  escapeUntrusted,
  fields,
  header,
  inSections,
  section,
  sentence,
} from '../core/blocks.ts';
import {
  balanceWord,
  type CardBalance,
  cardName,
  cardOfHolder,
  holderName,
  holderRaw,
  limitWord,
  statusWord,
} from '../core/card-words.ts';
import { amountAt } from '../core/purchase-words.ts';
import type { View } from '../core/view.ts';
import { followsRuleset, rulesetOf } from '../limits/ruleset-words.ts';

export interface ShownLimit {
  readonly period: LimitPeriod | 'transaction';
  /** Null: the card's overall limit. */
  readonly category: string | null;
  /** Null: no limit. */
  readonly limitCents: number | null;
  /** Null: unknown. */
  readonly remainingCents: number | null;
}

export interface ShownDecline
  extends Pick<TransactionEvent, 'occurredAt' | 'amountCents' | 'merchant' | 'decline'>,
    DeclinedCard {
  /** What would have let it pass; absent or null where only the service's words are known. */
  readonly remedy?: Remedy | null;
}

export interface CardShow {
  readonly card: CardFacts;
  /** As the card service writes it; null when unknown. */
  readonly status: string | null;
  /** Null when unknown, or not to be shown. */
  readonly balance: CardBalance | null;
  readonly limits: readonly ShownLimit[];
  /** False when they could not be read. */
  readonly hasLimits: boolean;
  /** Newest first. */
  readonly declines: readonly ShownDecline[];
  /** False when the card service may know of more: they are those of our alerts. */
  readonly isEveryDeclineKnown: boolean;
}

const BAR_LENGTH = 10;
/** Limits per block: few enough that no block is cut. */
const LINES = 15;
export const DECLINES_SHOWN = 5;
const NO_DECLINES_KNOWN = 'no declines among my alerts';
export const LIMITS_UNREAD = 'The limits are not available right now.';

/** One card, for the person who asked. */
export function cardShow(shownCard: CardShow, view: View): Message {
  const { card, status, balance, limits, hasLimits, declines, isEveryDeclineKnown } = shownCard;
  const known = status === null ? 'not known' : statusWord(status);
  const is = status === null ? ': status not known' : ` is ${known}`;
  const set = limits.filter(({ limitCents }) => limitCents !== null);
  const none = hasLimits ? 'No limit is set.' : LIMITS_UNREAD;
  const lines = ['*Limits*', ...set.map(limitLeftLine), set.length === 0 ? none : null, followsRuleset(card)];
  const noneKnown = isEveryDeclineKnown ? 'no recent declines' : NO_DECLINES_KNOWN;
  const countedLimits = hasLimits ? `${countOf(set.length, 'limit')} set and ` : '';
  const { shown, left } = asManyAsFit(inSections(lines, LINES));
  const mayShowBalance = balance !== null && mayShow('balance', view.place);

  return {
    text: sentence(
      `${cardOfHolder(card)}${is}, with ${countedLimits}${declines.length === 0 ? noneKnown : countOf(declines.length, 'recent decline')}.${hasLimits ? '' : ` ${LIMITS_UNREAD}`}`,
    ),
    blocks: [
      header(`${capital(cardName(card))}: ${holderRaw(card)}`),
      ...fields([
        ['Status', capital(known)],
        ['Cardholder', holderName(card)],
        ['Balance', mayShowBalance ? capital(balanceWord(balance)) : ''],
        ['Kind', card.isVirtual === null ? '' : card.isVirtual ? 'Virtual' : 'Physical'],
        ['Group', escapeUntrusted(card.group ?? '', 80)],
        ['Ruleset', card.ruleset == null ? '' : capital(rulesetOf(card))],
        ['Custom id', escapeUntrusted(card.customId ?? '', 60)],
        ['Account', card.acctId === null ? '' : String(card.acctId)],
        ['Card id', card.cardId === null ? '' : String(card.cardId)],
      ]),
      ...shown,
      ...context(left === 0 ? null : 'There are more limits than a message can show.'),
      section(
        '*Recent declines*',
        ...declines.slice(0, DECLINES_SHOWN).map((decline) => declineLine(decline, view)),
        declines.length === 0 ? (isEveryDeclineKnown ? 'None.' : `${capital(NO_DECLINES_KNOWN)}.`) : null,
      ),
    ],
  };
}

/** `Daily: $35.10 of $400.00 left  ▰▱▱▱▱▱▱▱▱▱`. The bar only illustrates the words. */
export function limitLeftLine({ period, category, limitCents, remainingCents }: ShownLimit): string {
  const name = period === 'transaction' ? 'Single purchase' : capital(period);
  const about = `${name}${category === null ? '' : `, ${escapeUntrusted(category, 60)}`}`;
  if (limitCents === null || remainingCents === null) return `${about}: ${limitWord(limitCents)}`;
  const share = limitCents <= 0 ? 0 : Math.min(1, Math.max(0, remainingCents / limitCents));
  const full = remainingCents > 0 ? Math.max(1, Math.round(share * BAR_LENGTH)) : 0;
  const bar = '▰'.repeat(full) + '▱'.repeat(BAR_LENGTH - full);
  return `${about}: ${formatCents(Math.max(0, remainingCents))} of ${formatCents(limitCents)} left  ${bar}`;
}

export function declineLine(declined: ShownDecline, { place }: View): string {
  const { occurredAt, amountCents, merchant } = declined;
  const { title } = shownReason(declined, place);
  return `• ${amountAt(amountCents, merchant.name)}: ${escapeUntrusted(lowerFirst(title), 80)}${dateAfter(',', occurredAt)}`;
}
