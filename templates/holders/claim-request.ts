import type { CardFacts } from '../../src/core/card-facts.ts';
import { actionId } from '../../src/slack/action-id.ts';
import type { Message } from '../../src/slack/message.ts';
import { dateAfter, dateToken, mention } from '../../src/slack/mrkdwn.ts';
import { actions, button, context, header, outside, section, sentence } from '../core/blocks.ts';
import { cardOfHolder, cardOfHolderRaw } from '../core/card-words.ts';

export interface ClaimRequest {
  /** Opaque id of the claim; a button adds which card it is about. */
  readonly value: string;
  /** Slack user who claims to hold the card. */
  readonly claimedBy: string;
  readonly claimedAt: string;
  /** What was typed. */
  readonly query: string;
  /** The cards that this can mean. */
  readonly cards: readonly CardFacts[];
  readonly state: 'open' | 'confirmed' | 'refused' | 'expired';
  /** The card that was confirmed. */
  readonly confirmed: CardFacts | null;
  readonly decidedBy: string | null;
  /** When it was decided or expired, or will expire. */
  readonly until: string;
}

const titles: Readonly<Record<ClaimRequest['state'], string>> = {
  open: 'Whose card is this?',
  confirmed: 'Card linked',
  refused: 'Claim refused',
  expired: 'Claim expired',
};

/** Somebody claims to hold a card; an approver says whether that is so. */
export function claimRequest(request: ClaimRequest): Message {
  const { value, claimedBy, claimedAt, query, cards, state } = request;
  const what = `${mention(claimedBy)} says to hold the card “${outside(query, 80)}”`;
  const whyAsked = cards.length === 0 ? 'I find no such card.' : 'Slack’s e-mail address does not prove it.';

  return {
    text: sentence(`${titles[state]} ${what}. ${state === 'open' ? whyAsked : outcome(request)}`),
    blocks: [
      header(titles[state]),
      section(`*${what}.*`, state === 'open' ? `${whyAsked} Confirm only what you know.` : outcome(request)),
      ...(state === 'open'
        ? [
            ...cards.map((card, index) => ({
              ...section(`*${cardOfHolder(card)}*`, outside(card.group ?? '', 80)),
              accessory: button({
                text: 'Confirm',
                action: actionId.confirmClaim,
                value: `${value}.${index}`,
                label: `Confirm ${cardOfHolderRaw(card)}`,
              }),
            })),
            ...actions(button({ text: 'Refuse', action: actionId.refuseClaim, value, style: 'danger' })),
          ]
        : []),
      ...context(
        dateAfter('Asked', claimedAt),
        state === 'open' ? `${dateAfter('Expires', request.until)}. Nobody confirms an own claim.` : null,
      ),
    ],
  };
}

function outcome({ state, claimedBy, confirmed, decidedBy, until }: ClaimRequest): string {
  const by = decidedBy === null ? '' : ` by ${mention(decidedBy)}`;
  if (state === 'confirmed' && confirmed !== null) {
    return `Confirmed${by} ${dateToken(until)}: ${mention(claimedBy)} holds ${cardOfHolder(confirmed)}.`;
  }
  if (state === 'refused') return `Refused${by} ${dateToken(until)}. Nothing changed.`;
  return `Nobody decided in time: it expired ${dateToken(until)}. Nothing changed.`;
}
