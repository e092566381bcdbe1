import type { KnownBlock } from '@slack/types';
import type { ListPage } from '../../src/app-home/home-page.ts';
import { CardStatus } from '../../src/core/event.ts';
import { capital } from '../../src/core/first-letter.ts';
import { actionId } from '../../src/slack/action-id.ts';
import { dateAfter, plain, truncate } from '../../src/slack/mrkdwn.ts';
import { actions, button, context, countOf, section } from '../core/blocks.ts';
import { balanceWord, cardCommand, cardName, cardRaw, statusWord } from '../core/card-words.ts';
import { type CardShow, declineLine, LIMITS_UNREAD, limitLeftLine } from '../directory/card-show.ts';
import { holderBlockButton } from '../holders/holder-buttons.ts';
import { statusMeanings } from '../holders/holder-status.ts';
import { homeList } from './home-list.ts';

/** Its declines are those of our alerts: the page is rendered too often to ask the card service for them. */
export interface OwnCardFacts extends Omit<CardShow, 'isEveryDeclineKnown'> {
  /** The sealed card, used as the value of its buttons. */
  readonly value: string;
  /** False when the card service did not give the status: then it is the last known one. */
  readonly isStatusRead: boolean;
  /** When the card service was asked what its status, balance and limits are, UTC ISO 8601. */
  readonly readAt: string;
}

/** The page of somebody in the team has room for fewer, because everything that waits for the team is on it. */
export const CARDS_SHOWN = { own: 5, ofTeam: 2 } as const;
const LIMITS_MAX = 8;
/** A page shows its own time to the minute. */
const NEW_MS = 60_000;
export const DECLINES_SHOWN = 3;

/**
 * The person's own cards: status, what is left of each limit, and recent declines.
 *
 * @param at when the page was rendered, UTC ISO 8601.
 */
export function homeOwnCards(cards: ListPage<OwnCardFacts>, at: string): KnownBlock[] {
  return homeList({ list: 'cards', title: cards.total === 1 ? 'Your card' : 'Your cards', ...cards }, (shown) =>
    shown.flatMap((card) => ownCard(card, at)),
  );
}

/** What is known of a card's status. */
export function ownStatus({ status, isStatusRead }: Pick<OwnCardFacts, 'status' | 'isStatusRead'>): string {
  if (status === null) return 'status not known';
  return isStatusRead ? statusWord(status) : `last known as ${statusWord(status)}`;
}

function ownCard(own: OwnCardFacts, at: string): KnownBlock[] {
  const { card, value, status, isStatusRead, balance, limits, hasLimits, declines, readAt } = own;
  const set = limits.filter(({ limitCents }) => limitCents !== null);
  const more = set.length - LIMITS_MAX;
  const isNew = Date.parse(at) - Date.parse(readAt) < NEW_MS;
  const virtual = card.isVirtual === true ? ', virtual' : '';
  const isActive = status?.toUpperCase() === 'ACTIVE';

  return [
    section(
      `*${capital(cardName(card))}${virtual}: ${ownStatus(own)}*`,
      whatHelps(own),
      balance === null ? null : `Balance: ${balanceWord(balance)}`,
      ...set.slice(0, LIMITS_MAX).map(limitLeftLine),
      more > 0 ? `… and ${countOf(more, 'more limit')}: ${cardCommand('show', card)}` : null,
      set.length === 0 && hasLimits ? 'No limit is set.' : null,
      hasLimits ? null : LIMITS_UNREAD,
      isNew || !(isStatusRead || hasLimits) ? null : `${dateAfter('As of', readAt)}.`,
    ),
    ...(declines.length === 0
      ? []
      : [
          section(
            '*Recent declines*',
            ...declines.slice(0, DECLINES_SHOWN).map((decline) => declineLine(decline, { place: 'direct' })),
          ),
        ]),
    ...(isActive
      ? actions(
          button({
            text: 'Ask for more…',
            action: actionId.homeAsk,
            value,
            label: `Ask for more for your ${truncate(plain(cardRaw(card)), 50)}`,
          }),
          holderBlockButton({ value, card }, actionId.homeBlock),
        )
      : []),
    ...context(declines.length === 0 ? 'No recent declines among my alerts.' : null),
  ];
}

/** Empty for a card that works, or of which nothing is known for certain. */
function whatHelps({ card, status, isStatusRead }: OwnCardFacts): string {
  const known = CardStatus.safeParse(status?.toUpperCase()).data;
  // A virtual card is activated by its order, unless it was deactivated since.
  const isUnclear = known === 'INACTIVE' && card.isVirtual === true;
  return known === undefined || !isStatusRead || isUnclear ? '' : statusMeanings[known];
}
